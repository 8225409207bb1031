"""Read, check and write decks: ordered lists of views of this app for a class.

A deck is JSON in a file, and the same compressed in a link.  Either may come from a stranger: every
slide must be a relative link to a page of this app with settings that links may hold, and sizes
are limited before anything is unpacked.  A `ValueError` says in one sentence what is wrong.
"""

import base64
import binascii
import functools
import json
import math
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode

from dptopk.core import validation
from dptopk.questions import settings
from dptopk.ui.layout import control_line
from dptopk.ui.layout.pages import PAGES

MAX_BYTES = 64 * 1024
"""Largest file that is read, and the largest content of a link."""

MOST_SLIDES = int(settings.SLIDE.high)
_NAME, _SCHEMA = "dptopk_deck", 1
_READY = {path.stem: path for path in (Path(__file__).parents[1] / "assets/decks").glob("*.json")}
_LONGEST = {"title": 120, "link": 1_000, "notes": 1_000}
_MOST_MINUTES = 240
OF_DECKS = {settings.DECK.key, settings.SLIDE.key, settings.ANSWER.key, settings.PREDICTION.key}
"""Keys of the settings that concern the deck that is open, and no view."""


@dataclass(frozen=True)
class Slide:
    """One view of a deck."""

    title: str
    link: str  # page and settings, such as release?epsilon=0.1&present=1
    minutes: float = 0.0  # planned
    notes: str = ""  # what the teacher says, in plain text
    hidden: bool = False  # whether the answer is hidden until it is revealed

    @property
    def page(self) -> str:
        """Key of its page."""
        return self.link.partition("?")[0]

    @property
    def query(self) -> dict[str, str]:
        """Settings of its link, with the answer hidden if it is to be."""
        query = dict(parse_qsl(self.link.partition("?")[2], keep_blank_values=True))
        return query | ({settings.ANSWER.key: settings.HIDDEN_ANSWER} if self.hidden else {})


@dataclass(frozen=True)
class Deck:
    """Views in their order, with a title."""

    title: str
    slides: tuple[Slide, ...] = ()

    @property
    def minutes(self) -> float:
        """Planned time of all slides."""
        return sum(slide.minutes for slide in self.slides)


def planned(minutes: float) -> str:
    """Format the time planned for slides, to follow their name; empty where none is."""
    return f", {minutes:g} min" if minutes else ""


def ready() -> list[str]:
    """Return the names of the decks of the package, the shortest first."""
    return sorted(_READY, key=lambda name: read(name).minutes)


@functools.lru_cache(maxsize=64)
def read(value: str) -> Deck:
    """Return the deck that a link names or holds."""
    if len(value) > settings.DECK.longest:  # a query may be longer, and is kept in the cache
        raise ValueError("the link holds no readable deck")
    if value in _READY:
        return parsed(_READY[value].read_bytes())
    try:
        packed = base64.b64decode(value + "=" * (-len(value) % 4), b"-_", validate=True)
        unpacking = zlib.decompressobj()
        content = unpacking.decompress(packed, MAX_BYTES)
    except (ValueError, binascii.Error, zlib.error) as error:
        raise ValueError("the link holds no readable deck") from error
    if unpacking.unconsumed_tail or not unpacking.eof:
        raise ValueError("the link holds no whole deck")
    return parsed(content)


def written(deck: Deck) -> str:
    """Return a deck as a link holds it, if it is short enough."""
    content = json.dumps(_plain(deck), ensure_ascii=False, separators=(",", ":"))
    packed = zlib.compress(content.encode(), 9)
    value = base64.urlsafe_b64encode(packed).decode().rstrip("=")
    if len(value) > settings.DECK.longest:
        raise ValueError(
            f"a deck must fit in a link of {settings.DECK.longest:,} characters, and this one has "
            f"{len(value):,}: shorten its notes"
        )
    return value


def file_text(deck: Deck) -> str:
    """Return a deck as a file holds it."""
    return json.dumps(_plain(deck), ensure_ascii=False, indent=2) + "\n"


def parsed(content: bytes) -> Deck:
    """Return the deck of a file, or of a link once it is unpacked."""
    if len(content) > MAX_BYTES:
        raise ValueError(f"a deck has at most {MAX_BYTES:,} bytes")
    try:
        file = json.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise ValueError("it is not valid JSON") from error
    if not isinstance(file, dict) or type(file.get(_NAME)) is not int or file[_NAME] != _SCHEMA:
        raise ValueError(f'it is not a deck: it has no "{_NAME}": {_SCHEMA}')
    slides = file.get("slides")
    if not isinstance(slides, list) or len(slides) > MOST_SLIDES:
        raise ValueError(f"a deck must have a list of at most {MOST_SLIDES} slides")
    checked = tuple(_slide(slide, f"slide {i}") for i, slide in enumerate(slides, 1))
    return Deck(_text(file, "title", "the deck"), checked)


def link(page: str, query: Mapping[str, str]) -> str:
    """Return the link of a view, without what only concerns the deck that is open."""
    kept = {key: text for key, text in query.items() if key not in OF_DECKS}
    return f"{page}?{urlencode(kept)}" if kept else page


def _plain(deck: Deck) -> dict[str, Any]:
    slides = [asdict(slide) for slide in deck.slides]
    return {_NAME: _SCHEMA, "title": deck.title, "slides": slides}


def _slide(entry: Any, where: str) -> Slide:
    if not isinstance(entry, dict):
        raise ValueError(f"{where} must have a title and a link")
    minutes, hidden = entry.get("minutes", 0), entry.get("hidden", False)
    validation.flag(f"{where}: hidden", hidden)
    if isinstance(minutes, bool) or not isinstance(minutes, int | float):
        raise ValueError(f"{where}: minutes must be a number")
    if not (math.isfinite(minutes) and 0 <= minutes <= _MOST_MINUTES):
        raise ValueError(f"{where}: minutes must be in [0, {_MOST_MINUTES}]")
    title, to = _text(entry, "title", where), _text(entry, "link", where)
    page, _, query = to.partition("?")
    if page not in {page.key for page in PAGES}:
        raise ValueError(
            f"{where}: its link must begin with a page of this app, such as release, got "
            f"{page[:40]!r}"
        )
    names = [name for name, _ in parse_qsl(query, keep_blank_values=True)]
    allowed = control_line.known() - OF_DECKS
    for name in names:
        if name not in allowed or names.count(name) > 1:
            raise ValueError(f"{where}: its link must hold each setting once, got {name[:40]!r}")
    return Slide(title, to, float(minutes), _text(entry, "notes", where, ""), hidden)


def _text(entry: dict[str, Any], key: str, where: str, default: str | None = None) -> str:
    return validation.text(f"{where}: {key}", entry.get(key, default), _LONGEST[key])
