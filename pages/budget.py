"""Page Accounting: the noise that a budget needs by each method of composing rounds."""

import streamlit as st

from dptopk import figures
from dptopk.core.errors import METRICS
from dptopk.mechanisms.selections import ONE_SHOT
from dptopk.questions import budget as question, settings
from dptopk.ui import results, show, snippets
from dptopk.ui.controls import inputs
from dptopk.ui.formats import compact, plural
from dptopk.ui.layout import shell
from dptopk.ui.sections import calibrations as section
from dptopk.ui.widgets import links

CHOSEN = "The bar in full colour is the chosen calibration."

view = shell.view()
with show.first_screen() as screen:
    chosen = section.choose(view, show.controls())
    screen.ask_first(
        "How much noise does this budget need?",
        f"{chosen.name} picks {plural(view.k, 'item')} in {plural(view.k, 'round')}, "
        f"which share ε = {compact(view.epsilon)} and δ = {compact(view.delta)}. How their losses "
        "are added up decides the noise on each count; all keep the same ε and δ.",
    )
    budget = view.epsilon, view.delta, view.k
    ranges = results.remembered(question.ranges, *budget, doing="Calibrating")
    product = question.noise_times_range(chosen)
    noise = {method: product / each for method, each in ranges.items()}
    title = section.title(chosen, noise, view.unit)
    origin = question.of_any_counts(question.each_calibration(view))
    chart = show.Chart(
        figures.amounts(
            [question.METHODS[method] for method in noise],
            list(noise.values()),
            f"noise on each count ({view.unit}, Gumbel scale)",
            section.tick_template(max(noise.values())),
            [method == section.method_of(chosen) for method in noise],
            lines=3,
        ),
        "noise",
        "Noise on each count by the method of composing rounds; the chosen calibration is darker.",
        origin.read_as(CHOSEN),
        height=340,
        least=320,  # names of two lines
        finding=f"{title}.",
    )
    screen.lead(title, chart)
rows = results.remembered(question.calibrations, *budget, product)
equal = " With δ = 0 all methods are equal: each round gets ε/k." * (not view.delta)
meaning = f"{section.spent(chosen, rows, view)} {CHOSEN} The choice holds on all pages.{equal}"
with show.below(chart, meaning):
    numbers = question.calibration_rows(rows, view.unit)
    words = section.words_of_methods(numbers, view.unit)
    show.table(show.Table(numbers, "calibrations", question.TITLE, origin, words=words))
    links.sources(section.SOURCES)

st.header("Cost of the whole run", anchor=False)
section.cost_of_the_run(view, chosen)

st.header(f"Effect on {view.source.title}", anchor=False)
section.errors(view, METRICS[inputs.choice(st, settings.METRIC, look="select")])

st.header("Why rounds of the exponential mechanism compose well", anchor=False)
section.composition(view)
section.noise_scales(view, view.build_on(ONE_SHOT, view.k, view.counts))
lines = snippets.small(
    view.source.python, section.every_mechanism(view), section.code(view, chosen)
)
show.take_away(lines, chart.origin)
