"""Open a class: students predict and draw on their phones, and the exact law is revealed."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from html import escape
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import segno
import streamlit as st

from dptopk import figures
from dptopk.core import application
from dptopk.questions.origin import Origin
from dptopk.questions.small_cases import SmallCase
from dptopk.questions.view import View
from dptopk.simulation.summaries import wilson_interval
from dptopk.ui import keys, results
from dptopk.ui.controls import inputs, small_cases
from dptopk.ui.exhibits import snippets
from dptopk.ui.exhibits.base import (
    Button,
    Buttons,
    Caption,
    Chart,
    Code,
    Columns,
    Exhibit,
    Expander,
    Lead,
    Live,
    Markdown,
    Tile,
    Tiles,
)
from dptopk.ui.formats import counted, plain, share_of_runs
from dptopk.ui.presenters.classroom import poll
from dptopk.ui.presenters.classroom.poll import ASKED, Poll
from dptopk.ui.server.classroom import (
    ABSENT_MINUTES,
    CLASSROOMS,
    HOURS,
    MOST_DRAWS,
    MOST_STUDENTS,
    Classroom,
    ClassroomError,
    Results,
)

_SECONDS = 1.0  # between two looks at the answers
_JOIN = application.script().parent / "pages" / "join.py"
_DRAWS, _PREDICTIONS = "draws", "predictions"
_SHOWN = {_DRAWS: "Draws", _PREDICTIONS: "Predictions", "nothing": "Nothing"}
_LOCAL = ("localhost", "127.0.0.1", "::1")
_PRIVACY = (
    "No account and no name: of each student this server keeps a random seed, one prediction and "
    f"at most {MOST_DRAWS} draws of the present question, in memory alone. They are deleted with "
    "the next question, when the class is closed, when its teacher has been away for "
    f"{ABSENT_MINUTES} minutes, and after {HOURS} hours. No student can see, change or delete what "
    f"another one answered. A class has at most {MOST_STUDENTS} students."
)


@dataclass(frozen=True)
class Options:
    """Settings of the page: the question that is prepared."""

    case: SmallCase
    poll: Poll


def question() -> tuple[str, str]:
    """Return the page's question and a sentence on how to read it."""
    return (
        "What does a class predict, and what does it draw?",
        "Students join on their phones with a code, predict, then draw, each with an own seed. "
        "All draws together stand beside the exact probabilities, which you reveal.",
    )


def choose(view: View, place: Any) -> Options:
    """Draw the controls of the question."""
    case = small_cases.choose(view, place, most_outputs=poll.MOST_OUTPUTS)
    mechanism = inputs.one_mechanism(place, view.at(case.k, case.counts))
    asked = inputs.choice(place, ASKED, look="select")
    return Options(case, results.remembered(poll.make, case.counts, mechanism, asked, size=1_000))


def present(view: View, options: Options) -> Iterator[Exhibit]:
    """Show the class that is open here, or offer to open one."""
    room = _room()
    if room is None:
        yield Columns((3, 2), ([_counts(options)], _offer()))
    else:
        yield Columns((1, 3), (_invitation(room), [Live(partial(_board, options), _SECONDS)]))
    yield Expander("What is kept of students", ":material/shield_person:", [Markdown(_PRIVACY)])
    mechanism = options.poll.mechanism
    yield Code(
        snippets.small(options.case.python, [mechanism], _CODE),
        options.case.origin([mechanism], "exact"),
    )


_CODE = """
for mechanism in mechanisms:
    law = output_distribution(counts, mechanism)
    print(mechanism.label)
    print(law.to_frame().to_string())
"""


def _room() -> Classroom | None:
    """Return the class that this session teaches."""
    key = st.session_state.get(keys.TAUGHT)
    return None if key is None else CLASSROOMS.taught(key)


def _counts(options: Options) -> Chart:
    """Plot the counts of the question, which tell nothing of its answer."""
    case = options.case
    return Chart(
        figures.amounts(
            case.counts.items,
            case.counts.counts.tolist(),
            case.unit,
            "%{x:,}",
            [True] * case.counts.d,
        ),
        "counts",
        "The counts of the question.",
        case.origin((), "true counts, no noise"),
        height=figures.height_of_rows(case.counts.d),
        finding=f"{', '.join(f'{plain(item)} {count:,}' for item, count in case.counts)}.",
    )


def _offer() -> Iterator[Exhibit]:
    """Offer to open a class, or to join one."""
    if keys.TAUGHT in st.session_state:
        yield Markdown("**The class is closed, and all its answers are deleted.**")
    yield Markdown("Open a class: a code and a QR code appear here, and students join with them.")
    yield Buttons([Button("Open a class", "class-open", _open)], "class", primary=True)
    if refused := st.session_state.pop(keys.CLASS_REFUSED, ""):
        yield Markdown(f"**{refused}**")
    st.page_link(_JOIN, label="Join a class as a student", icon=":material/login:")


def _invitation(room: Classroom) -> Iterator[Exhibit]:
    """Show how to join: the address, the code and the QR code."""
    base = _address()
    link = f"{base}?code={room.code}"
    uri = segno.make(link, error="m").svg_data_uri(border=3, light="#fff", dark="#000")
    st.html(
        f'<div class="class-code"><p>Code</p><strong>{escape(room.code)}</strong>'
        f'<img src="{escape(uri)}" alt="QR code of the address {escape(link)}">'
        f"<p>{escape(base.partition('://')[2] or base)}</p></div>"
    )
    if urlsplit(base).hostname in _LOCAL:
        yield Caption(
            "This address leads to this computer only: phones reach the app where it is published "
            "under a name (see the folder deploy)."
        )


def _address() -> str:
    """Return the address at which students join: that of this page, as the browser names it."""
    here = urlsplit(st.context.url or "")
    return here._replace(
        path=here.path.rpartition("/")[0] + "/join", query="", fragment=""
    ).geturl()


def _board(options: Options) -> Iterator[Exhibit]:
    """Show the present question with the answers of all, and the buttons of the teacher."""
    room = _room()
    if room is None:
        st.rerun()
        return
    found = room.results()
    asked: Poll | None = found.asked.question if found.asked else None
    if found.asked is None or asked is None:
        yield Tiles([Tile("Students", f"{found.n_present:,}")], "class")
        yield Buttons(_buttons(room, found, options), "class", primary=True)
        yield Markdown("Students wait for the question that is prepared above.")
        return
    yield Markdown(f"**Question {found.asked.number}. {asked.words}**")
    yield Markdown(asked.case)
    yield Tiles(_tiles(found, asked), "class")
    yield Buttons(_buttons(room, found, options), "class", primary=True)
    shown = st.segmented_control(
        "Show",
        list(_SHOWN),
        default=_DRAWS,
        required=True,
        format_func=_SHOWN.__getitem__,
        key="class-shown",
        label_visibility="collapsed",
    )
    if shown == _DRAWS:
        yield _draws(found, asked)
    elif shown == _PREDICTIONS:
        yield _predictions(found, asked)


def _tiles(found: Results, asked: Poll) -> list[Tile]:
    n_draws, n_predictions = sum(found.draws), sum(found.predictions)
    tiles = [
        Tile("Students", f"{found.n_present:,}"),
        Tile("Predictions", f"{n_predictions:,}"),
        Tile("Draws", f"{n_draws:,}"),
    ]
    if found.revealed:
        tiles.append(
            Tile(
                "Exact", asked.answer if asked.asked == poll.TOP else asked.written[asked.likeliest]
            )
        )
        right = sum(found.predictions[i] for i in asked.right)
        if n_predictions:
            tiles.append(Tile("Right predictions", f"{right:,} of {n_predictions:,}"))
    return tiles


def _buttons(room: Classroom, found: Results, options: Options) -> list[Button]:
    """Return the buttons of the teacher, the next step first."""
    ask = Button(
        "Ask the first question" if found.asked is None else "Ask the prepared question",
        "class-ask",
        partial(_ask, room.key, options.poll),
        "Deletes the answers to the question before." if found.asked else None,
    )
    reveal = Button(
        "Hide the answer" if found.revealed else "Reveal the answer",
        "class-reveal",
        partial(_reveal, room.key, not found.revealed),
    )
    lock = Button(
        "Admit more students" if found.locked else "Admit no more students",
        "class-lock",
        partial(_lock, room.key, not found.locked),
    )
    close = Button("Close the class", "class-close", partial(_close, room.key))
    if found.asked is None:
        return [ask, lock, close]
    return [ask, reveal, lock, close] if found.revealed else [reveal, ask, lock, close]


def _predictions(found: Results, asked: Poll) -> Lead:
    """Plot how many students predict what; the right one is marked once it is revealed."""
    right = [found.revealed and i in asked.right for i in range(len(asked.options))]
    names = [f"{'✓ ' if r else ''}{name}" for name, r in zip(asked.options, right, strict=True)]
    chosen = right if found.revealed else [True] * len(right)
    said = "; ".join(f"{plain(n)}: {v}" for n, v in zip(names, found.predictions, strict=True) if v)
    return Lead(
        Chart(
            figures.amounts(names, found.predictions, "students", "%{x:,}", chosen),
            "predictions",
            "Predictions of the class.",
            _origin(asked, "predictions of students"),
            height=figures.height_of_rows(len(names)),
            finding=said or "There are none.",
        )
    )


def _draws(found: Results, asked: Poll) -> Lead:
    """Plot the draws of all students; the exact probabilities once they are revealed."""
    n = sum(found.draws)
    drawn = np.array(found.draws)
    share = drawn / max(n, 1)
    low, high = wilson_interval(drawn, n) if n else (share, share)
    words = [share_of_runs(*row) if n else "–" for row in zip(share, low, high, strict=True)]
    kind = asked.mechanism.outputs
    short = figures.short_labels(
        [(kind, row) for row in asked.outputs.tolist()], asked.counts.items
    )
    lines = [
        f"{plain(name)} {word}" + (f", exact {exact}" if found.revealed else "")
        for name, word, exact in zip(asked.names, words, asked.written, strict=True)
    ]
    return Lead(
        Chart(
            figures.pooled_draws(
                asked.names,
                (share, low, high),
                np.exp(asked.log_probabilities) if found.revealed else None,
                asked.mechanism.card.style,
                drawn_words=words,
                words=asked.written,
                short=short,
            ),
            "class-draws",
            f"{counted(n, 'draws')} of all students"
            + (", with the exact probabilities." if found.revealed else "."),
            _origin(asked, "draws of students"),
            height=figures.height_of_rows(len(short)),
            finding="; ".join(lines),
        )
    )


def _origin(asked: Poll, computed: str) -> Origin:
    counts = asked.counts
    title = f"Counts {', '.join(map(str, counts.counts.tolist()))}"
    return Origin(title, counts, [asked.mechanism], computed)


def _open() -> None:
    """Open a class that this session teaches."""
    try:
        room = CLASSROOMS.open(st.context.ip_address or "")
    except ClassroomError as error:
        st.session_state[keys.CLASS_REFUSED] = str(error)
        return
    st.session_state[keys.TAUGHT] = room.key


def _ask(key: str, asked: Poll) -> None:
    if (room := CLASSROOMS.taught(key)) is not None:
        room.ask(asked, len(asked.options), len(asked.names))


def _reveal(key: str, revealed: bool) -> None:
    if (room := CLASSROOMS.taught(key)) is not None:
        room.reveal(revealed)


def _lock(key: str, locked: bool) -> None:
    if (room := CLASSROOMS.taught(key)) is not None:
        room.lock(locked)


def _close(key: str) -> None:
    CLASSROOMS.close(key)
