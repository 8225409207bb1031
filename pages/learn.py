"""Page Learn: lessons with a small example, a prediction and the exact answer."""

from dptopk.ui.frame import shell
from dptopk.ui.presenters.learn import presenter as learn
from dptopk.ui.widgets import elements

view = shell.view()
screen = elements.Screen.opened()
options = learn.choose(view, screen.controls())
screen.ask(*learn.question(options))
elements.draw_all(learn.present(view, options))
