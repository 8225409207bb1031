"""Page Ledger: what is left of a budget, or a series of calls on one as an example."""

from dptopk.ui import show
from dptopk.ui.layout import shell
from dptopk.ui.sections import ledger_copy, series

view = shell.view()
with show.first_screen() as screen:
    controls = show.controls()
    copy = ledger_copy.uploaded(controls)
if copy is None:
    series.example(view, screen, controls)
else:
    ledger_copy.describe(view, screen, copy)
