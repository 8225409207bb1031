"""Page Release: the true top k beside one release of each mechanism."""

from dptopk.ui.frame import shell
from dptopk.ui.presenters.release import presenter as release
from dptopk.ui.widgets import elements

view = shell.view()
with elements.first_screen() as screen:
    screen.ask(*release.question(view))
    options = release.choose(view, screen.controls())
    below = screen.draw(release.present(view, options))
elements.draw_all(below)
