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
    judged = mechanisms_to_check(view, case, what)
    losses_of = worst_cases_of(case.counts, judged.mechanisms, judged.neighbors, results.IN_TURNS)
    if not losses_of:
        show.done()
    run = replace(judged, mechanisms=tuple(m for m in judged.mechanisms if m.label in losses_of))
    mechanism = inputs.one_mechanism(controls, run.mechanisms)
    promise = replace(mechanism.guarantee, neighbors=run.neighbors)
    worst = losses_of[mechanism.label][0].neighbour
    neighbour = worst_cases.choose_neighbor(controls, case.counts, promise, worst)
    at_neighbour = worst_cases.Neighbor(run, mechanism, neighbour)
    used = {label: loss.value for label, (loss, _) in losses_of.items()}
    tiles = [worst_cases.use_tile(m, *losses_of[m.label]) for m in run.mechanisms]
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
        st.text(at_neighbour.user)
    outputs, losses = at_neighbour.charts(view.epsilon)
    show.lead(outputs)
if what != settings.AS_PROMISED:
    st.info(PITFALLS[what].story, icon=":material/school:")
with show.below(outputs, quoting(outputs.finding)):
    show.table(at_neighbour.table())

st.header("The worst neighbour of each mechanism", anchor=False)
show.tiles(tiles)
show.chart(every)
if not run.wrong:
    small_cases.telling(view, case)
for note in worst_cases.notes(view, run, losses_of):
    st.caption(note)

st.header("This neighbour, output by output", anchor=False)
if neighbour is not worst:
    st.text(at_neighbour.user)
show.chart(losses)
worst_cases.profile(view, at_neighbour)

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
show.take_away(snippets.small(case.python, judged.mechanisms, code), run.origin(run.mechanisms))
