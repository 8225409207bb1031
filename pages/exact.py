"""Page Exact: the probability of every output of a small case."""

import streamlit as st

from dptopk import figures
from dptopk.questions import settings
from dptopk.questions.exact import exact_origin
from dptopk.ui import show, snippets
from dptopk.ui.controls import inputs, small_cases
from dptopk.ui.layout import shell
from dptopk.ui.sections import enumeration
from dptopk.ui.sentences import alt_text, titles
from dptopk.ui.widgets import links

view = shell.view()
with show.first_screen() as screen:
    controls = show.controls()
    screen.ask_first(
        "Which outputs are possible, and how likely are they?",
        "For a few items, the probability of every possible output is exact. Drag the counts.",
    )
    case = small_cases.choose(view, controls)
    n_draws = inputs.steps(
        controls,
        settings.DRAWS,
        (0, 1_000, 10_000, 100_000),
        name=lambda n: f"{n:,}" if n else "none",
    )
    small_cases.presets(controls)
    small_cases.drag(case)
    show.given(case.counts, case.unit, case.k)
    mechanisms = view.at(case.k, case.counts, by_law=True)
    try:
        outputs = enumeration.enumerated(case.counts, mechanisms, n_draws, view.seed)
    except ValueError as error:
        small_cases.too_many(error)
        show.done()
    origin = exact_origin(view, case, mechanisms, n_draws)
    headline = enumeration.headline(*outputs.names_of_the_likeliest())
    tiles = [enumeration.tile(outputs, label) for label in outputs.exact]
    rows = enumeration.short_labels(outputs)
    chart = show.Chart(
        enumeration.bars(outputs, rows, view, case, tiles),
        "outputs",
        "Exact probability of each output as bars, with the share of the draws and its interval.",
        origin,
        height=figures.height_of_rows(len(rows), len(tiles)),
        least=enumeration.least(len(rows), len(tiles)),
        finding=f"{headline}: {alt_text.numbers(tiles)}",
    )
    screen.lead(f"{headline}: {titles.apart(enumeration.numbers(outputs))}", chart)
if len(rows) < len(outputs.labels):
    st.caption(enumeration.shown_share(outputs, len(rows)))
if not enumeration.in_columns(outputs):
    show.tiles(tiles)
small_cases.telling(view, case)
drawn = [f"{tile.label} {tile.value} ({tile.kind})." for tile in tiles if tile.kind != "exact"]
drawn = drawn if enumeration.in_columns(outputs) else []  # else the tiles say it
with show.below(chart, *drawn, *case.notes, *enumeration.notes(outputs, mechanisms)):
    links.mechanisms([mechanism.card for mechanism in mechanisms])
    show.table(enumeration.outputs(outputs, origin))
if outputs.fits:
    st.header("Do the samplers follow the exact probabilities?", anchor=False)
    enumeration.fit_table(outputs, "fit", "χ² test of the draws", origin)

law, samples = "output_distribution", "samples"
if outputs.merged:
    law, samples = "merged_output_distribution", "merged_outputs(counts, samples)"
code = f"""
for mechanism in mechanisms:
    law = {law}(counts, mechanism)
    print(mechanism.label)
    print(law.to_frame().to_string(max_rows=20))
"""
if n_draws:
    code += snippets.fit(n_draws, view.seed, samples)
listed = [mechanism for mechanism in mechanisms if mechanism.label not in outputs.left_out]
show.take_away(snippets.small(case.python, listed, code), origin)
