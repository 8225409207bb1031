"""Page Exact: the probability of every output of a small case."""

from dptopk.ui.frame import shell
from dptopk.ui.presenters import exact
from dptopk.ui.widgets import elements

view = shell.view()
with elements.first_screen() as screen:
    screen.ask(*exact.question())
    options = exact.choose(view, screen.controls())
    below = screen.draw(exact.present(view, options))
elements.draw_all(below)
