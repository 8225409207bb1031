"""Page Ledger: what is left of a budget, or a series of lists that are charged by their items."""

from dptopk.ui import show
from dptopk.ui.controls import inputs
from dptopk.ui.layout import shell
from dptopk.ui.sections import ledger_copy, series

view = shell.view()
with show.first_screen() as screen:
    controls = show.controls()
    copy = ledger_copy.uploaded(controls)
    example = ledger_copy.LEDGER if copy else inputs.choice(controls, ledger_copy.EXAMPLE)
if example == ledger_copy.LEDGER:
    ledger_copy.describe(view, screen, copy)
else:
    series.example(view, screen, controls)
