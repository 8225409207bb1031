"""Page Gaps: the gaps between consecutive counts, which determine how hard a data set is."""

import streamlit as st

from dptopk import figures
from dptopk.mechanisms import MECHANISMS
from dptopk.questions import settings
from dptopk.questions.gaps import (
    CHANCE,
    TITLE,
    gap_rows,
    gaps_origin,
    set_epsilons,
    sets_of,
    with_epsilons,
)
from dptopk.questions.origin import TRUE_COUNTS
from dptopk.simulation.summaries import count_histogram
from dptopk.ui import show, snippets
from dptopk.ui.controls import inputs
from dptopk.ui.layout import shell
from dptopk.ui.sections import swaps
from dptopk.ui.sentences import alt_text, titles
from dptopk.ui.sentences.gaps import sets_within, ties_within

view = shell.view()
counts, k, largest = view.counts, view.k, min(view.counts.d - 1, settings.MOST_PLACES)
origin = view.origin((), TRUE_COUNTS, more={"k": k})
headline = titles.gaps(counts.sorted, k, view.unit)
about = f"{headline}. {ties_within(counts.sorted, k)}".strip()

with show.first_screen() as screen:
    controls = show.controls()
    screen.ask_first(
        "How far apart are the top counts?",
        "Neighbours in rank swap when the noise is as large as the gap between them. A swap of "
        "ties is no error.",
    )
    if not largest:
        show.note("There is one item, so there are no gaps.")
        show.done()
    places = largest
    if largest > 2:
        places = inputs.number(controls, settings.places(k), high=largest, slider=True)
    logarithmic = inputs.flag(controls, settings.LOGARITHMIC)
    gaps = gap_rows(counts, places, view.unit)
    chart = show.Chart(
        figures.count_gaps(
            counts.sorted.top(places + 1), k, logarithmic=logarithmic, unit=view.unit
        ),
        "gaps",
        f"The largest {places + 1} counts as bars"
        f"{f'; the gap after place {k} is marked' if k <= places else ''}.",
        origin,
        finding=about,
        slide="A gap is the difference between a count and the next one. Noise larger than a gap "
        f"can swap the items beside it; swapping ties is not an error. Here: {about}",
    )
    screen.lead(headline, chart)
sets, epsilons, of_sets = sets_of(view), set_epsilons(view, places), gaps_origin(view)
with show.below(chart):
    show.table(show.Table(with_epsilons(gaps, epsilons), "gaps", TITLE, of_sets))

st.header("Effect on each mechanism", anchor=False)
featured = (m for m in MECHANISMS.values() if m.card.featured)
mechanisms = view.mechanisms or tuple(view.build(m, k) for m in featured)
show.listed(swaps.meaning(view, mechanisms))
if swapped := swaps.swap_chart(view, mechanisms):
    st.caption(swapped.line)
    show.chart(swapped)

if sets:
    st.header("ε at which a set is released", anchor=False)
    sentences = [sets_within(m, epsilons[m.label], view.epsilon, CHANCE) for m in sets]
    show.listed(sentences)
    if any(each[each < float("inf")].size for each in epsilons.values()):
        styles = {m.label: m.card.style for m in sets}
        show.chart(
            show.Chart(
                figures.set_epsilons(epsilons, styles, view.epsilon, k),
                "sets",
                f"Epsilon at which a top set is released with probability {CHANCE:.0%}, by k.",
                of_sets,
                height=340,
                finding=" ".join(sentences),
            )
        )

st.header("Number of items by count", anchor=False)
levels, spread = counts.sorted, alt_text.spread(counts.sorted, k, view.unit)
show.chart(
    show.Chart(
        figures.count_histogram(
            *count_histogram(levels.values, levels.multiplicities),
            int(levels.top(k)[-1]),
            k,
            view.unit,
        ),
        "counts",
        f"Number of items by count; the count at k = {k} is marked.",
        origin,
        height=340,
        finding=spread,
        slide="Number of items by count: the more items have nearly the same count, the smaller "
        f"the gaps. {spread}",
    )
)
code = f"""
top = counts.sorted.top({places + 1})
print(top[:-1] - top[1:])
for mechanism in mechanisms:
    print(mechanism.label, swaps(mechanism, counts.d))
"""
if sets:
    code += f"""\
    if hasattr(mechanism, "epsilons_for_sets"):
        print(mechanism.label, mechanism.epsilons_for_sets(counts.sorted, {places}, {CHANCE}))
"""
show.take_away(snippets.small(view.source.python, mechanisms, code), origin)
