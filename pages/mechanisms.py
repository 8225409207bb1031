"""Page Mechanisms: how a mechanism chooses, why it is private, and when to use it."""

from dptopk.ui.frame import shell
from dptopk.ui.presenters.mechanisms import presenter as mechanisms
from dptopk.ui.widgets import elements

view = shell.view()
screen = elements.Screen.opened()
options = mechanisms.choose(view, screen.controls())
screen.ask(*mechanisms.question(options))
elements.draw_all(mechanisms.present(view, options))
