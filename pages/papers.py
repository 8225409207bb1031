"""Page Papers: what the sources say, and what is computed here."""

from dptopk.ui.frame import shell
from dptopk.ui.presenters import papers
from dptopk.ui.widgets import elements

shell.view()
screen = elements.Screen.opened()
screen.ask(*papers.question())
elements.draw_all(papers.present())
