"""Page Compare: the chosen mechanisms side by side, or on a map of k and ε."""

from dptopk.ui.frame import shell
from dptopk.ui.presenters.compare import presenter as compare
from dptopk.ui.widgets import elements

view = shell.view()
with elements.first_screen() as screen:
    options = compare.choose(view, screen.controls())
    screen.ask(*compare.question(view, options))
    below = screen.draw(compare.present(view, options))
elements.draw_all(below)
