"""Public counts that somebody uploads to choose ε on: last year's file beside this year's.

They are read by the dialog of uploads, with its checks, turns and limits, stay in their session,
and are in no link.
"""

from typing import Any

import streamlit as st

from dptopk.core.counts import ItemCounts
from dptopk.questions import settings, stand_in
from dptopk.questions.stand_in import StandIn
from dptopk.ui import keys
from dptopk.ui.controls import inputs
from dptopk.ui.formats import plain, plural
from dptopk.ui.uploads import dialog
from dptopk.ui.uploads.session_uploads import Uploaded


def choose(place: Any) -> str:
    """Choose public data; where they are a file, upload it, change it, or let go of it."""
    choice = inputs.choice(place, settings.stand_in(), look="select")
    if choice == settings.FILE_STAND_IN:
        held = _held() is not None
        label = "Another public file" if held else "Upload the public file"
        if place.button(label, icon=":material/upload_file:", key="upload-public"):
            dialog.public_dialog()
        if held:
            place.button(
                "Remove it",
                icon=":material/delete:",
                key="remove-public",
                on_click=dialog.drop_public,
            )
    return choice


def beside(choice: str, counts: ItemCounts, unit: str) -> StandIn | str:
    """What stands beside counts of this unit, or why nothing can; not for none."""
    if choice != settings.FILE_STAND_IN:
        return stand_in.beside(choice, counts)
    public = _held()
    if public is None:
        return "No public file is in this session yet: uploads end with it and are in no link."
    theirs = public.result.counts
    name = plain(theirs.name)
    words = (
        f"{name}: {plural(theirs.d, 'item')}, numbers of {public.unit}. It stays in this session "
        "and is in no link; take ε from it only if it is public."
    )
    if public.unit != unit:
        words += f" Your own counts are numbers of {unit}: compare only like with like."
    return StandIn(name, theirs, words, public.python)


def _held() -> Uploaded | None:
    held: Uploaded | None = st.session_state.get(keys.PUBLIC_FILE)
    return held
