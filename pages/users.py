"""Page Users: how many items of each user should count, and what a list each period costs."""

from dptopk.ui.frame import shell
from dptopk.ui.presenters import users
from dptopk.ui.widgets import elements

view = shell.view()
with elements.first_screen() as screen:
    screen.ask(*users.question())
    options = users.choose(view, screen.controls())
    below = screen.draw(users.present(view, options))
elements.draw_all(below)
