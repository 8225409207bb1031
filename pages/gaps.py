"""Page Gaps: the gaps between consecutive counts and their effect on mechanisms."""

from dptopk.ui.frame import shell
from dptopk.ui.presenters import gaps
from dptopk.ui.widgets import elements

view = shell.view()
with elements.first_screen() as screen:
    screen.ask(*gaps.question())
    options = gaps.choose(view, screen.controls())
    below = screen.draw(gaps.present(view, options))
elements.draw_all(below)
