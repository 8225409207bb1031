"""Read an uploaded list that was published, and its record.

Each is read in a process of its own, within the limits of uploads.  A record sets mechanism, k, ε
and so on as their controls would, once, so that the address holds them; names stay in the session.
"""

from dataclasses import dataclass
from typing import Any

import streamlit as st

from dptopk.core.parameters import EPSILON
from dptopk.data.ingest import IngestError
from dptopk.mechanisms import Mechanism
from dptopk.publishing.published_files import (
    MAX_LIST_BYTES,
    PublishedFileError,
    PublishedRecord,
    check_of_one_release,
    read_published_list,
    read_record,
)
from dptopk.questions import settings
from dptopk.ui import address, keys
from dptopk.ui.server import work

_READING = "published-files"
_RECORD = (".yaml", ".yml")


@dataclass(frozen=True)
class Published:
    """Names and record of a release, as far as their files were given."""

    names: tuple[str, ...] | None = None
    record: PublishedRecord | None = None


def choose(place: Any) -> Published | str:
    """Draw the uploader; return what was read, or the reason if a file cannot be read."""
    inside = place.popover("Add a list and its record", icon=":material/upload_file:")
    files = inside.file_uploader(
        "The list (CSV) and its record (YAML), as published",
        accept_multiple_files=True,
        max_upload_size=max(1, MAX_LIST_BYTES // 2**20),
        key="published-files",
    )
    if not files:
        st.session_state.pop(keys.PUBLISHED, None)
        work.resume(_READING)
        return Published()
    ids = tuple(file.file_id for file in files)
    held: tuple[Any, Published | str] | None = st.session_state.get(keys.PUBLISHED)
    if held is not None and held[0] == ids:
        return held[1]
    try:
        with inside.container():
            found = _read(files, ids)
    except work.StoppedError:
        return "stopped: remove the files, and add them again to read them."
    if isinstance(found, Published):
        refused = _take(found)
        found = refused or found
    st.session_state[keys.PUBLISHED] = ids, found
    if isinstance(found, Published):
        st.rerun()  # the control line was drawn before the record was read
    return found


def take(mechanism: Mechanism) -> None:
    """Set mechanism, k, ε and so on as a record says; a callback, too."""
    chosen = {settings.K: mechanism.k, EPSILON: mechanism.epsilon}
    own = {p.key: getattr(mechanism, p.key) for p in mechanism.card.parameters}
    address.choose(settings.mechanism(), mechanism.card.key)
    address.choose(settings.NEIGHBORS, mechanism.neighbors.value)
    for parameter, value in chosen.items():
        address.choose(parameter, value)
    for key, parameter in settings.of_mechanisms().items():
        if key in own:
            address.choose(parameter, own[key])


def _take(found: Published) -> str:
    """Set what the files say; return why that cannot be done, if so."""
    largest = settings.MAX_K
    k = found.record.mechanism.k if found.record else len(found.names or ())
    if k > largest:
        return f"the list has k = {k:,}, but this page reads up to {largest}."
    if found.record:
        take(found.record.mechanism)
    else:
        address.choose(settings.K, k)
    return ""


def _read(files: list[Any], ids: tuple[Any, ...]) -> Published | str:
    """Read at most one file of each kind, told apart by the ends of their names."""
    listed, record = None, None
    for file in files:
        is_record = file.name.casefold().endswith(_RECORD)
        if (record if is_record else listed) is not None:
            kind = "records" if is_record else "lists"
            return (
                f"two {kind} were added: keep one of them, and the other file that belongs to it."
            )
        function = read_record if is_record else read_published_list
        try:
            found = work.stoppable(
                _READING, ids, file.file_id, "Reading", function, file.getvalue()
            )
        except PublishedFileError as error:
            return f"{error}."
        except IngestError:
            return "the file takes too much time or memory to read."
        if is_record:
            record = found
        else:
            listed = found
    if listed is not None and record is not None:
        try:
            check_of_one_release(listed, record.mechanism)
        except PublishedFileError as error:
            return f"{error}."
    return Published(listed.names if listed is not None else None, record)
