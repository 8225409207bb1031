"""Page Map: the best of the chosen mechanisms at each k and ε."""

from dptopk.ui import show
from dptopk.ui.controls import mechanism_chooser
from dptopk.ui.layout import shell
from dptopk.ui.sections import comparison, winner_map

view = shell.view()
with show.first_screen() as screen:
    controls = show.controls()
    mechanism_chooser.by_questions(controls)
    screen.ask_first(
        "Which mechanism is best at each k and ε?",
        "Each region names the best of the chosen mechanisms. Blank: no clear winner. Gray: even "
        "the best is closer to guessing than to the right list.",
    )
    shown = winner_map.compared(view, controls)
    show.given(view.counts, view.unit, view.k)
    if shown is None:
        show.done()
    screen.title(shown.title)
    show.lead(shown.chart)
comparison.below(view, shown)
