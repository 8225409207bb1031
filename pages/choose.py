"""Page Choose ε: the smallest ε that reaches a target, cheapest mechanism first."""

from dptopk.ui.frame import shell
from dptopk.ui.presenters.choose import presenter as choose
from dptopk.ui.widgets import elements

view = shell.view()
with elements.first_screen() as screen:
    options = choose.choose(view, screen.controls())
    screen.ask(*choose.question(view, options))
    below = screen.draw(choose.present(view, options))
elements.draw_all(below)
