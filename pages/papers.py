"""Page Papers: the papers' figures drawn here, and their statements beside what is computed."""

from itertools import groupby

import streamlit as st

from dptopk.questions.origin import Origin
from dptopk.questions.paper_figures import FIGURES
from dptopk.questions.papers import STATEMENTS, check_statements, statement_rows
from dptopk.ui import results, show, snippets
from dptopk.ui.controls import inputs
from dptopk.ui.frame import shell
from dptopk.ui.sections import papers

shell.view()
show.heading(
    "Do the papers' statements hold here?",
    "The papers' figures drawn again, and what each source says, in our words, beside what is "
    "computed here; a link opens the page with the settings of a statement.",
)
papers.share()
key = inputs.choice(show.controls(), papers.FIGURE, look="select")
statements = tuple(one for one in STATEMENTS if key in (papers.ALL, one.figure))
with st.container(key="papers_counted"):
    counted = st.container()
if key == papers.ALL:
    papers.wall()
else:
    papers.whole_figure(FIGURES[key])

checked = check_statements(results.IN_TURNS, statements)
origin = Origin(
    "examples and bundled data",
    None,
    (),
    "as each statement says",
    note="settings of each statement",
)
if key == papers.ALL:
    with counted:
        show.tiles(papers.tiles(checked))
st.caption(
    "Examples and data sets are tried: ✓ means that nothing here contradicts the statement, not "
    "that it is proven."
)
for paper, own in groupby(checked, lambda one: one.statement.source.paper):
    st.header(paper.short, anchor=False)
    papers.of_paper(paper, list(own), origin)

st.header("All numbers", anchor=False)
if len(numbers := papers.numbers(checked)):
    show.table(show.Table(numbers, "numbers", "Numbers of the sources beside ours", origin))
show.table(show.Table(statement_rows(checked), "statements", "All statements", origin))
code = """
for one in check_statements():
    print(one.verdict.value, "|", one.statement.source.words, "|", one.words)
"""
show.code(snippets.small("", (), code), origin)
