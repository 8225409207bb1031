"""Page Join: the class as a student sees it, on a phone."""

from dptopk.ui.frame import shell
from dptopk.ui.presenters import join
from dptopk.ui.widgets import elements

shell.begin()
screen = elements.Screen.opened()
room = join.choose(screen.controls())
screen.ask(*join.question(room))
elements.draw_all(join.present(room))
