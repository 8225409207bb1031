"""Page Budget: the noise that a budget needs by each method of composing rounds."""

from dptopk.ui.frame import shell
from dptopk.ui.presenters import budget
from dptopk.ui.widgets import elements

view = shell.view()
with elements.first_screen() as screen:
    screen.ask(*budget.question(view))
    options = budget.choose(view, screen.controls())
    below = screen.draw(budget.present(view, options))
elements.draw_all(below)
