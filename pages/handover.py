"""Page Publish: a report, a script of the release, a record and a checklist."""

from dptopk.ui import show
from dptopk.ui.layout import shell
from dptopk.ui.sections import handover
from dptopk.ui.sentences import texts

BELOW = "This app publishes nothing: the commands that do, and what to check, are below."
MENDED = "Upload the log itself, to count distinct users."

view = shell.view()
with show.first_screen() as screen:
    controls = show.controls()
    first = f"{view.caveat} {MENDED}" if view.source.repeats else BELOW
    screen.ask_first(
        "Is this list ready to be published?",
        " ".join([first, *texts.nothing_chosen(view.k, view.counts.d)]),
    )
handover.draw(view, controls, screen)
