"""Page Errors: the distribution of the error over many runs."""

from dptopk.ui.frame import shell
from dptopk.ui.presenters import errors
from dptopk.ui.widgets import elements

view = shell.view()
with elements.first_screen() as screen:
    screen.ask(*errors.question(view))
    options = errors.choose(view, screen.controls())
    below = screen.draw(errors.present(view, options))
elements.draw_all(below)
