"""Page Map: the best of the chosen mechanisms at each k and ε."""

from dptopk.core.errors import METRICS
from dptopk.questions import settings
from dptopk.ui import show
from dptopk.ui.controls import inputs, mechanism_chooser
from dptopk.ui.layout import shell
from dptopk.ui.sections import comparison, winner_map
from dptopk.ui.sentences import texts

view = shell.view()
with show.first_screen() as screen:
    controls = show.controls()
    mechanism_chooser.by_questions(controls)
    ks_of = inputs.choice(controls, settings.MAP_KS, look="select")
    measure = winner_map.choose_measure(controls)
    measured = texts.describe_metric(METRICS[measure]) if measure in METRICS else ""
    screen.ask_first(
        "Which mechanism is best at each k and ε?",
        f"{measured} Each region names the best of the chosen mechanisms. Blank: no clear winner. "
        "Gray: even the best is closer to guessing than to the right list.",
    )
    show.given(view.counts, view.unit, view.k)
    drawn = winner_map.compared(view, controls, ks_of, measure)
    screen.lead(drawn.title, drawn.chart)
comparison.below(view, drawn)
