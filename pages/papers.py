"""Page Papers: the papers' figures drawn here, and their statements beside what is computed."""

import streamlit as st

from dptopk.questions.paper_figures import FIGURES
from dptopk.questions.papers import STATEMENTS, check_statements
from dptopk.ui import results, show, snippets
from dptopk.ui.controls import inputs
from dptopk.ui.layout import shell
from dptopk.ui.sections import papers

shell.view()
papers.share()
key = inputs.choice(show.controls(), papers.FIGURE, look="select")  # above, where no words move it
screen = show.Screen.opened()
if key == papers.ALL:
    screen.ask_first(*papers.EVERY)
    working = papers.wall()
else:
    screen.ask(*papers.opening(key))
    papers.whole_figure(FIGURES[key])
    working = st.container()
statements = tuple(one for one in STATEMENTS if key in (papers.ALL, one.figure))
with working:
    checked = check_statements(results.InTurns("Checking statements"), statements)
if checked:
    screen.title(papers.finding(checked))  # where it has none yet
    papers.list_statements(checked)
show.take_away(snippets.small("", (), papers.code(key)), papers.ORIGIN)
