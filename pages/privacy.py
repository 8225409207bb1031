"""Page Privacy: the exact privacy loss of every output of a small case."""

from dptopk.ui.frame import shell
from dptopk.ui.presenters.privacy import presenter as privacy
from dptopk.ui.widgets import elements

view = shell.view()
with elements.first_screen() as screen:
    screen.ask(*privacy.question())
    options = privacy.choose(view, screen.controls())
    below = screen.draw(privacy.present(view, options))
elements.draw_all(below)
