"""Page Release: the true top k beside one release of each mechanism."""

from functools import partial

import streamlit as st

from dptopk.core.errors import METRICS
from dptopk.ui import address, results, show
from dptopk.ui.controls import inputs
from dptopk.ui.formats import plural
from dptopk.ui.layout import shell
from dptopk.ui.sections import draws, pictures, releases
from dptopk.ui.widgets import links, moving_ranks

view = shell.view()
with show.first_screen() as screen:
    controls = show.controls()
    screen.ask_first(
        f"What is released as the top {view.k}?",
        pictures.HOW_TO_READ[address.value(pictures.PICTURE)].format(k=view.k),
    )
    show.given(view.counts, view.unit, view.k)
    toured = address.is_untouched()  # nothing was chosen yet: lead to the lessons
    main = view.mechanisms[0].label
    with controls:
        looked = pictures.look(view, releases.marks(view.mechanisms, view.unit))
        links.onward(view.k, f"Seed {view.seed} · {plural(view.counts.d, 'item')}")
    with st.container(key="phone_only"):
        if looked.table:
            main = inputs.one_mechanism(st, view.mechanisms).label
    released = results.shown(
        "release shown",
        view,
        (main, looked.code, show.is_narrow()),
        partial(releases.contents, view, main, looked.code),
    )
    screen.title(looked.finding or released.finding)
    with st.container(key="looked"):  # one place: a picture comes where the other was
        if looked.table:
            show.ranking(released.ranking)
        if looked.noise:
            show.lead(looked.noise)
        if looked.ranks:
            moving_ranks.show(looked.ranks)
    if toured:
        links.tour()
for words in () if looked.noise else looked.words:
    st.caption(words)
if looked.noise and looked.behind:
    with show.below(looked.noise, *looked.words):
        show.table(looked.behind)
elif looked.behind:
    show.table(looked.behind)
show.chart(released.chart)

st.header("Errors of this release", anchor=False)
show.html_table(released.errors, "small-table")
with st.expander("What each error measures", icon=":material/straighten:"):
    st.markdown(
        "\n".join(f"- **{metric.title}**: {metric.meaning}." for metric in METRICS.values())
    )
for table, captions in released.with_numbers:
    st.header(table.title, anchor=False)
    for words in captions:
        st.caption(words)
    show.table(table)
draws.draws_so_far(view)

st.header("What is promised", anchor=False)
if failing := releases.failing(view):
    show.note(failing)
for promise in released.promises:
    st.markdown(promise)
links.mechanisms([mechanism.card for mechanism in view.mechanisms])
for words in released.notes:
    st.caption(words)
show.take_away(released.code, released.origin)
