"""Page Hand over: a report, a script of the release, a record and a checklist."""

from dptopk.ui.frame import shell
from dptopk.ui.presenters.handover import presenter as handover
from dptopk.ui.widgets import elements

view = shell.view()
with elements.first_screen() as screen:
    screen.ask(*handover.question(view))
    options = handover.choose(view, screen.controls())
    below = screen.draw(handover.present(options))
elements.draw_all(below)
