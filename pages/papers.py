"""Page Papers: what the sources say, and what is computed here."""

from itertools import groupby

import streamlit as st

from dptopk.questions.origin import Origin
from dptopk.questions.papers import STATEMENTS, check_statements
from dptopk.ui import results, show, snippets
from dptopk.ui.findings import paper_figures
from dptopk.ui.frame import shell
from dptopk.ui.sections import papers
from dptopk.ui.server import work

shell.view()
show.heading(
    "Do the papers' statements hold here?",
    "What each source says, in our words, beside what is computed here. The sidebar changes "
    "nothing on this page; a link opens the page with the settings of a statement.",
)
work.share(
    part
    for statement in STATEMENTS
    for counts in statement.counts
    for part in (counts.identity, counts.digest)
)
checked = check_statements(results.IN_TURNS)
origin = Origin(
    "examples and bundled data",
    None,
    (),
    "as each statement says",
    note="settings of each statement",
)
show.tiles(papers.tiles(checked))
st.caption(
    "Examples and data sets are tried: ✓ means that nothing here contradicts the statement, not "
    "that it is proven."
)
for paper, own in groupby(checked, lambda one: one.statement.source.paper):
    st.header(paper.short, anchor=False)
    papers.of_paper(paper, list(own), origin)

st.header("Figures to draw again", anchor=False)
show.listed(paper_figures.redrawn())
st.caption(
    "The figures of Gillenwater et al. numbered 3, 4, 5 and 7 are missing here: their captions "
    "were not available when this page was written, so it is not known what each shows. Apart "
    "from the errors above, the authors’ code draws three things: the time of a draw, which is "
    "measured below; and the gaps and a histogram of the counts, which the page linked above "
    "shows."
)
papers.redrawn()

st.header("The time of one draw, measured here", anchor=False)
papers.times()

st.header("All numbers", anchor=False)
show.table(
    show.Table(papers.numbers(checked), "numbers", "Numbers of the sources beside ours", origin)
)
show.table(show.Table(papers.statements(checked), "statements", "All statements", origin))
code = """
for one in check_statements():
    print(one.verdict.value, "|", one.statement.source.words, "|", one.words)
"""
show.code(snippets.small("", (), code), origin)
