"""Page Ledger: what is left of a budget, or a series of calls on one as an example."""

from dptopk.ui.frame import shell
from dptopk.ui.presenters import ledger
from dptopk.ui.widgets import elements

view = shell.view()
with elements.first_screen() as screen:
    options = ledger.choose(view, screen.controls())
    screen.ask(*ledger.question(view, options))
    below = screen.draw(ledger.present(view, options))
elements.draw_all(below)
