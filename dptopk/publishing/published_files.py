"""Read and check an uploaded list and its record, as `Publication.write` makes them.

Nothing in them is trusted.  Both are small; a record is YAML without anchors and aliases, of which
only text, lists and mappings are made, and a list is CSV.  Messages and results may quote them:
show these as plain text.
"""

import csv
import json
import math
from dataclasses import dataclass
from typing import Any, NamedTuple

from dptopk.core import validation
from dptopk.core.cancellation import Progress, no_progress
from dptopk.core.numerals import compact
from dptopk.data.ingest import MAX_NAME, plain
from dptopk.data.tables import unescaped
from dptopk.mechanisms import MECHANISMS, Mechanism
from dptopk.publishing.registry_record import SETTINGS

MAX_LIST_BYTES = 256 * 1024
"""Largest list that is read."""

MAX_RECORD_BYTES = 64 * 1024
"""Largest record that is read."""

_MOST_NAMES = 10_000
_LONGEST = 300  # characters of a description
_ITEM, _PLACE = "item", "place"


class PublishedFileError(ValueError):
    """A published file cannot be read; the message says why, in one sentence without its stop."""


@dataclass(frozen=True)
class PublishedRecord:
    """Content of a record that matters to its reader."""

    mechanism: Mechanism
    description: str  # of what was released, in the words of the record
    n_items: int | None  # it was chosen from, where that is public


class PublishedList(NamedTuple):
    """Names of a published list, and whether its file numbers their places."""

    names: tuple[str, ...]
    has_places: bool


def check_of_one_release(listed: PublishedList, mechanism: Mechanism) -> None:
    """Raise if a list has an order and the mechanism of a record releases none."""
    if listed.has_places and not mechanism.outputs.ordered:
        raise PublishedFileError(
            f"the list numbers its places, but {mechanism.label}, the mechanism of the record, "
            "releases sets without an order: the two are not from one release"
        )


def read_published_list(content: bytes, progress: Progress = no_progress) -> PublishedList:
    """Read the names of a published list, in its order.

    It is a CSV file with a column "item", or text with one name a line.
    """
    text = _decoded(content, "list", MAX_LIST_BYTES)
    try:
        rows = [row for row in csv.reader(text.splitlines(), strict=True) if any(row)]
    except csv.Error as error:
        raise PublishedFileError(f"the list is not a readable CSV file: {error}") from error
    if not rows:
        raise PublishedFileError("the list is empty: it needs one name a line")
    header = [cell.strip().casefold() for cell in rows[0]]
    if _ITEM in header:
        rows, column = rows[1:], header.index(_ITEM)
    elif len(header) == 1:
        column = 0
    else:
        raise PublishedFileError(
            'the list has several columns and none is called "item": give that name to the column '
            "of items"
        )
    has_places = _PLACE in header and column != header.index(_PLACE)
    if has_places:
        place = header.index(_PLACE)
        places = [row[place].strip() for row in rows if len(row) > place]
        if places != [str(number) for number in range(1, len(rows) + 1)]:
            raise PublishedFileError("the places of the list are not 1, 2, 3, … in this order")
    cells = (row[column] if len(row) > column else "" for row in rows)
    names = tuple(plain(unescaped(cell)) for cell in cells)
    _check_names(names)
    progress(1.0)
    return PublishedList(names, has_places)


def read_record(content: bytes, progress: Progress = no_progress) -> PublishedRecord:
    """Read the mechanism and its settings from a YAML record, as `publish` writes it."""
    deployment = _part(_parsed(_decoded(content, "record", MAX_RECORD_BYTES)), "deployment")
    notes = _part(deployment, "administrative").get("notes", "")
    settings = _settings(notes if isinstance(notes, str) else "")
    mechanism = _mechanism(settings)
    epsilon = _part(_part(deployment, "privacy_loss"), "privacy_parameters").get("epsilon")
    one = _part(deployment, "deployment_model").get("release_type") == "One release"
    if one and _number(epsilon) != mechanism.epsilon:
        raise PublishedFileError(
            f"the record contradicts itself: ε is {str(epsilon)[:40]} in its privacy parameters "
            f"and {compact(mechanism.epsilon)} in its settings"
        )
    n_items = settings.get("items")
    if n_items is not None and (type(n_items) is not int or not 1 <= n_items <= 2**53):
        raise PublishedFileError("the number of items in the settings of the record is not a count")
    described = _part(deployment, "basic").get("description", "")
    progress(1.0)
    return PublishedRecord(mechanism, plain(str(described)[:_LONGEST]), n_items)


def _decoded(content: bytes, what: str, most: int) -> str:
    if len(content) > most:
        raise PublishedFileError(
            f"the {what} is larger than {most // 1024} kB, too large for a {what} of a top k"
        )
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise PublishedFileError(f"the {what} is not text in UTF-8: save it as UTF-8") from error
    if "\0" in text:
        raise PublishedFileError(f"the {what} is not a text file")
    return text


def _check_names(names: tuple[str, ...]) -> None:
    if not names:
        raise PublishedFileError("the list is empty: it has a header and no names")
    if len(names) > _MOST_NAMES:
        raise PublishedFileError(f"the list has {len(names):,} names, more than {_MOST_NAMES:,}")
    seen: set[str] = set()
    for number, name in enumerate(names, 1):
        if not name:
            raise PublishedFileError(f"entry {number} of the list has no name")
        if len(name) > MAX_NAME:
            raise PublishedFileError(
                f"the name of entry {number} has {len(name):,} characters, more than {MAX_NAME}"
            )
        if name in seen:
            raise PublishedFileError(
                f"the list has {name[:80]!r} twice: a release has each item once"
            )
        seen.add(name)


def _parsed(text: str) -> dict[str, Any]:
    import yaml  # here: only who reads a record needs it

    class Loader(yaml.BaseLoader):  # type: ignore[misc]
        """Loader of text, lists and mappings of one entry a key, without anchors and aliases."""

        def compose_node(self, parent: Any, index: Any) -> Any:
            event = self.peek_event()
            if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
                raise yaml.YAMLError("it has anchors or aliases")
            return super().compose_node(parent, index)

        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            mapping = super().construct_mapping(node, deep)
            if len(mapping) < len(node.value):
                raise yaml.YAMLError("it has a key twice")
            return mapping

    try:
        parsed = yaml.load(text, Loader)
    except RecursionError as error:
        raise PublishedFileError("the record is nested too deeply") from error
    except (yaml.YAMLError, ValueError, TypeError) as error:
        reason = " ".join(str(error).split())[:120]
        raise PublishedFileError(f"the record is not valid YAML: {reason}") from error
    if not isinstance(parsed, dict):
        raise PublishedFileError("the record is not that of a release: it has no entries")
    return parsed


def _part(record: dict[str, Any], key: str) -> dict[str, Any]:
    part = record.get(key)
    if not isinstance(part, dict):
        raise PublishedFileError(
            f"the record is not that of a release: it has no entries under {key!r}"
        )
    return part


def _number(text: object) -> float:
    try:
        return float(str(text))
    except ValueError:
        return math.nan


def _settings(notes: str) -> dict[str, Any]:
    begin = notes.find(SETTINGS)
    if begin < 0:
        raise PublishedFileError(
            "the notes of the record do not contain the settings, unlike those that dptopk publish "
            "writes: set mechanism, k and ε by hand, as stated by the publisher"
        )
    read = json.JSONDecoder(object_pairs_hook=validation.json_pairs, parse_int=_bounded)
    try:
        settings, _ = read.raw_decode(notes, begin + len(SETTINGS))
    except (ValueError, RecursionError) as error:
        raise PublishedFileError("the settings in the notes of the record are damaged") from error
    if not isinstance(settings, dict):
        raise PublishedFileError("the settings in the notes of the record are damaged")
    return settings


def _bounded(digits: str) -> float:
    """Return a whole number, which is an int only if it is a setting that could be meant."""
    return int(digits) if len(digits) <= 15 else float(digits)


def _mechanism(settings: dict[str, Any]) -> Mechanism:
    key = str(settings.get("mechanism"))
    if key not in MECHANISMS:
        raise PublishedFileError(
            f"the record names a mechanism that this dptopk does not know: {key[:40]!r}"
        )
    try:
        return MECHANISMS[key].of_settings(settings)
    except KeyError as error:
        raise PublishedFileError(f"the settings of the record lack {error}") from error
    except (TypeError, ValueError, OverflowError) as error:
        reason = str(error)[:200]
        raise PublishedFileError(f"the settings of the record are wrong: {reason}") from error
