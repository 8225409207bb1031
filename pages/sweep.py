"""Page k and ε: the median error of each mechanism against k or epsilon."""

from dptopk.core.errors import METRICS
from dptopk.questions import settings
from dptopk.ui import show
from dptopk.ui.controls import inputs
from dptopk.ui.formats import plural
from dptopk.ui.layout import shell
from dptopk.ui.sections import sweep
from dptopk.ui.sentences import texts

view = shell.view()
with show.first_screen() as screen:
    controls = show.controls()
    metric = METRICS[inputs.choice(controls, settings.METRIC, look="select")]
    reads = any(mechanism.card.takes("k_bar") for mechanism in view.mechanisms)
    allowed = [option for option in settings.AGAINST.options if reads or option != "k_bar"]
    against = inputs.choice(controls, settings.AGAINST, allowed)
    logarithmic = inputs.logarithmic_axis(controls, metric)
    n = inputs.steps(controls, settings.RUNS_A_POINT, (50, 100, 250, 1_000))
    screen.ask_first(
        "Which mechanism errs least as k or ε changes?",
        f"{texts.describe_metric(metric)} Lines are medians of {plural(n, 'run')}, bands their "
        "middle half.",
    )
    show.given(view.counts, view.unit, view.k)
sweep.draw(view, screen, metric, against, n, logarithmic=logarithmic)
