"""Page Read a list: how far each name of a published list can be trusted."""

from dptopk.ui.frame import shell
from dptopk.ui.presenters import reader
from dptopk.ui.widgets import elements

view = shell.view()
with elements.first_screen() as screen:
    screen.ask(*reader.question(view))
    options = reader.choose(view, screen.controls())
    below = screen.draw(reader.present(view, options))
elements.draw_all(below)
