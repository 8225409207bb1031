"""Page Ledger: a series of calls on one budget, charged by what is released."""

from dptopk.ui.frame import shell
from dptopk.ui.presenters import ledger
from dptopk.ui.widgets import elements

view = shell.view()
with elements.first_screen() as screen:
    screen.ask(*ledger.question(view))
    options = ledger.choose(view, screen.controls())
    below = screen.draw(ledger.present(view, options))
elements.draw_all(below)
