"""Page Compare: the chosen mechanisms side by side."""

from dptopk.core.errors import METRICS
from dptopk.questions import settings
from dptopk.questions.errors import errors_of
from dptopk.ui import results, show
from dptopk.ui.controls import inputs, mechanism_chooser
from dptopk.ui.layout import shell
from dptopk.ui.sections import comparison
from dptopk.ui.sentences import texts

view = shell.view()
with show.first_screen() as screen:
    controls = show.controls()
    mechanism_chooser.by_questions(controls)
    metric = METRICS[inputs.choice(controls, settings.METRIC, look="select")]
    logarithmic = inputs.logarithmic_axis(controls, metric)
    screen.ask_first(
        f"Which mechanism for a top {view.k}?",
        f"{texts.describe_metric(metric)} Dots are medians with 95% intervals, bands the middle "
        "half.",
    )
    errors = errors_of(view, metric.key, results.IN_TURNS)
    show.given(view.counts, view.unit, view.k)
    if not errors.mechanisms:
        show.done()
    compared = comparison.side_by_side(view, errors, logarithmic=logarithmic)
    screen.lead(compared.title, compared.chart)
comparison.below(view, compared)
