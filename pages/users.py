"""Page Users: how many items each user counts for, what is found unlisted, a list each period."""

from dptopk.ui.frame import shell
from dptopk.ui.presenters import users
from dptopk.ui.widgets import elements

view = shell.view()
with elements.first_screen() as screen:
    options = users.choose(view, screen.controls())
    screen.ask(*users.question(options))
    below = screen.draw(users.present(view, options))
elements.draw_all(below)
