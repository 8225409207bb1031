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
screen.ask(*papers.opening(key))
if key == papers.ALL:
    counted = papers.wall()
else:
    papers.whole_figure(FIGURES[key])
    counted = st.container()
statements = tuple(one for one in STATEMENTS if key in (papers.ALL, one.figure))
with counted:
    checked = check_statements(results.InTurns("Checking statements"), statements)
    show.tiles(papers.tiles(checked) if key == papers.ALL else ())
if checked:
    papers.list_statements(checked)
show.take_away(snippets.small("", (), papers.code(key)), papers.ORIGIN)
