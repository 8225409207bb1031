"""Page Privacy: the exact privacy loss of every output of a small case."""

from dataclasses import replace

import streamlit as st

from dptopk import figures
from dptopk.mechanisms.pitfalls import PITFALLS
from dptopk.questions import settings
from dptopk.questions.privacy import (
    MOST_ITEMS,
    MOST_OUTPUTS,
    mechanisms_to_check,
    worst_cases as worst_cases_of,
)
from dptopk.questions.view import styles_of
from dptopk.ui import results, show, snippets
from dptopk.ui.controls import inputs, small_cases
from dptopk.ui.formats import quoting
from dptopk.ui.layout import shell
from dptopk.ui.sections import enumeration, worst_cases
from dptopk.ui.sentences import alt_text, texts, titles

CHECKED = 100_000  # draws

view = shell.view()
with show.first_screen() as screen:
    controls = show.controls()
    screen.ask_first(
        "How much can one user change the answer?",
        f"Neighbours are data in which {settings.change(view.neighbors.value)}, with all their "
        "items. All neighbours of these few counts are tried: the largest change is exact.",
    )
    case = small_cases.choose(view, controls, MOST_ITEMS[view.neighbors], MOST_OUTPUTS)
    what = inputs.choice(controls, settings.RUN, look="select")
    asked = mechanisms_to_check(view, case, what)
    found = worst_cases_of(case.counts, asked.mechanisms, asked.neighbors, results.IN_TURNS)
    if not found:
        show.done()
    run = replace(asked, mechanisms=tuple(m for m in asked.mechanisms if m.label in found))
    mechanism = inputs.one_mechanism(controls, run.mechanisms)
    judged = replace(mechanism.guarantee, neighbors=run.neighbors)
    worst = found[mechanism.label][0].neighbour
    neighbour = worst_cases.choose_neighbor(controls, case.counts, judged, worst)
    beside = worst_cases.Neighbor(run, mechanism, neighbour)
    used = {label: loss.value for label, (loss, _) in found.items()}
    tiles = [worst_cases.use_tile(m, *found[m.label]) for m in run.mechanisms]
    every = show.Chart(
        figures.privacy_use(used, view.epsilon, styles_of(run.mechanisms)),
        "privacy-use",
        "Largest privacy loss of each mechanism compared with the guaranteed ε.",
        run.origin(run.mechanisms),
        height=130 + 50 * len(used),
        least=max(256, 100 + 30 * len(used)),
        finding=alt_text.numbers(tiles),
    )
    loss, several = used[mechanism.label], len(run.mechanisms) > 1
    screen.title(titles.one_user(mechanism, loss, named=several))
    if neighbour is worst:  # else the controls say it, and the words below
        st.text(beside.user)
    outputs, losses = beside.charts(view.epsilon)
    show.lead(outputs)
if what != settings.AS_PROMISED:
    st.info(PITFALLS[what].story, icon=":material/school:")
with show.below(outputs, quoting(outputs.finding)):
    show.table(beside.table())

st.header("The worst neighbour of each mechanism", anchor=False)
show.tiles(tiles)
show.chart(every)
if not run.wrong:
    small_cases.telling(view, case)
for note in worst_cases.notes(view, run, found):
    st.caption(note)

st.header("This neighbour, output by output", anchor=False)
if neighbour is not worst:
    st.text(beside.user)
show.chart(losses)
worst_cases.profile(view, beside)

st.header("Do the samplers follow these probabilities?", anchor=False)
if st.button("Draw 100,000 times and check", icon=":material/verified:", key="check"):
    enumeration.fit_table(
        enumeration.enumerated(case.counts, run.mechanisms, CHECKED, view.seed),
        "check",
        f"χ² test of {CHECKED:,} draws",
        case.origin(
            run.mechanisms,
            "draws tested against exact probabilities",
            runs=CHECKED,
            runs_are="draws from each mechanism",
            seed=view.seed,
        ),
    )
st.caption(texts.EXPLORATION)
code = f"""
for mechanism in mechanisms:
    worst = worst_case_loss(counts, mechanism, NeighborRelation.{run.neighbors.name})
    print(mechanism.label, worst.value, worst.neighbour.counts, worst.output)
for mechanism in mechanisms:
    law = output_distribution(counts, mechanism)
{snippets.fit(CHECKED, view.seed)}"""
show.take_away(snippets.small(case.python, asked.mechanisms, code), run.origin(run.mechanisms))
