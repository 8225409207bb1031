"""Page Data: the counts, their source and how they were read."""

from dptopk.ui.frame import shell
from dptopk.ui.presenters import data
from dptopk.ui.widgets import elements

view = shell.view()
with elements.first_screen() as screen:
    screen.ask(*data.question(view))
    below = screen.draw(data.present(view))
elements.draw_all(below)
