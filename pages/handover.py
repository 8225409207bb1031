"""Page Publish: a report, a script of the release, a record and a checklist."""

from dptopk.ui import show
from dptopk.ui.layout import shell
from dptopk.ui.sections import handover
from dptopk.ui.sentences import texts

view = shell.view()
with show.first_screen() as screen:
    controls = show.controls()
    first = f"{view.caveat} {handover.MENDED}" if view.source.repeats else handover.BELOW
    screen.ask_first(
        "Is this list ready to be published?",
        " ".join([first, *texts.nothing_chosen(view.k, view.counts.d)]),
    )
    chosen = handover.choose(view, controls)
handover.draw(chosen, screen)
