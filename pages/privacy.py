"""How much can one user change the answer?  The privacy loss, exactly, output by output."""

import numpy as np
import streamlit as st

from dptopk import figures
from dptopk.privacy_loss import privacy_profile
from dptopk.ui import controls, privacy_cases, runs, shell, show, small_cases, snippets, texts

view = shell.view()
show.heading(
    "How much can one user change the answer?",
    "Every neighbour of a few counts is tried, and the largest change of any probability is "
    "compared with what was promised. All numbers here are exact.",
)
case = small_cases.choose(
    view, privacy_cases.MOST_ITEMS[view.neighbors], privacy_cases.MOST_OUTPUTS
)
run = privacy_cases.choose_run(view, case)
found = runs.worst_cases(case.counts, run.mechanisms, run.neighbors, "privacy")
if not found:
    st.stop()
tried = [mechanism for mechanism in run.mechanisms if mechanism.label in found]

st.markdown(f"#### Largest privacy loss when {texts.NEIGHBORS[run.neighbors]}")
show.tiles(privacy_cases.use_tile(m, *found[m.label]) for m in tried)
show.chart(
    figures.privacy_use({label: loss.value for label, (loss, _) in found.items()}, view.epsilon),
    "privacy-use",
    "Largest privacy loss of each mechanism beside the promised epsilon.",
    height=130 + 50 * len(found),
)

st.subheader("One neighbour, output by output", anchor=False)
labels = [mechanism.label for mechanism in tried]
chosen = labels[0]
if len(labels) > 1:
    controls.keep_within("shown", labels)
    chosen = st.segmented_control(
        "Mechanism", labels, default=labels[0], required=True, key="shown", bind="query-params"
    )
mechanism = tried[labels.index(chosen)]
neighbour = privacy_cases.choose_neighbour(case, run, found[chosen][0])
st.text(privacy_cases.describe_neighbour(case.counts, neighbour))
comparison = privacy_cases.compare(mechanism, case.counts, neighbour)
shown = comparison.shown()
show.chart(
    figures.neighbouring_outputs(shown.labels, shown.here, shown.there, chosen, shown.marked),
    "neighbouring-outputs",
    "Probability of each output on the data and on the neighbour.",
    height=380,
)
show.chart(
    figures.privacy_losses(shown.labels, shown.loss, view.epsilon, chosen, shown.marked),
    "privacy-losses",
    "Privacy loss of each output, with the promised band.",
    height=380,
)
if mechanism.guarantee.delta:
    epsilons = np.linspace(0, 2 * view.epsilon, 161)
    profile = privacy_profile(mechanism, case.counts, neighbour, epsilons)
    show.chart(
        figures.privacy_profile(
            epsilons,
            {f"{chosen}, this neighbour": (profile, "solid")},
            view.epsilon,
            mechanism.guarantee.delta,
        ),
        "profile",
        "Hockey-stick of this neighbour against epsilon, with the promised point.",
        height=380,
    )
    excess = privacy_profile(mechanism, case.counts, neighbour, [view.epsilon])[0]
    st.caption(
        "The curve is the probability in excess of e^ε (the hockey-stick) between these two data "
        f"sets. At the promised ε = {view.epsilon:g} it is {excess:.2g}; promised was at most "
        f"δ = {mechanism.guarantee.delta:g}."
    )
show.table(
    comparison.frame,
    "neighbour",
    height=320,
    column_config={
        column: st.column_config.NumberColumn(format="%.6f")
        for column in comparison.frame.columns[1:]
    },
)

st.subheader("Do the samplers follow these probabilities?", anchor=False)
if st.button("Draw 100,000 times and check", icon=":material/verified:", key="check"):
    written = small_cases.write_out(
        case.counts, runs.full_digest(case.counts), tuple(tried), 100_000, view.seed
    )
    show.table(written.fit_frame(), "checked")
    st.caption(small_cases.FIT_WORDS)
st.caption(texts.EXPLORATION)
show.code(
    snippets.small(
        case.python,
        run.mechanisms,
        f"""
for mechanism in mechanisms:
    worst = worst_case_loss(mechanism, counts, NeighborRelation.{run.neighbors.name})
    print(mechanism.label, worst.value, worst.neighbour.counts, worst.output)
""",
    )
)
