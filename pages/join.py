"""Page Join: the class as a student sees it, on a phone."""

from dptopk.ui import show
from dptopk.ui.layout import shell
from dptopk.ui.sections import student

shell.begin()
screen = show.Screen.opened()
room = student.room(show.controls())
if room is None:
    screen.ask("Join a class", "Type the code that your teacher shows. No account, no name.")
    student.refusal()
else:
    screen.ask(f"Class {room.code}")
    student.answers(room)
