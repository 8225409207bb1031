"""Page k and ε: the median error of each mechanism against k or epsilon."""

from dptopk.ui.frame import shell
from dptopk.ui.presenters import sweep
from dptopk.ui.widgets import elements

view = shell.view()
with elements.first_screen() as screen:
    screen.ask(*sweep.question())
    options = sweep.choose(view, screen.controls())
    below = screen.draw(sweep.present(view, options))
elements.draw_all(below)
