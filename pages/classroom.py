"""Page Class: students predict and draw on their phones, beside the exact law."""

from dptopk.ui.frame import shell
from dptopk.ui.presenters.classroom import presenter as classroom
from dptopk.ui.widgets import elements

view = shell.view()
screen = elements.Screen.opened()
screen.ask(*classroom.question())
options = classroom.choose(view, screen.controls())
elements.draw_all(classroom.present(view, options))
