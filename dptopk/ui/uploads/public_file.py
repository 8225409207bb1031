"""Upload public counts on which ε is chosen, such as last year's file.

The upload dialog reads them, with the same checks and limits; they stay in the session and are in
no link.
"""

from typing import Any

import streamlit as st

from dptopk.core.counts import ItemCounts
from dptopk.questions import settings, stand_in
from dptopk.questions.stand_in import StandIn
from dptopk.ui import keys
from dptopk.ui.controls import inputs
from dptopk.ui.formats import plain, plural
from dptopk.ui.uploads import dialog, session_uploads
from dptopk.ui.uploads.session_uploads import Uploaded


def choose(place: Any) -> str:
    """Draw the choice of public data, with buttons to upload or remove a file."""
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
                on_click=session_uploads.drop_public,
            )
    return choice


def chosen_stand_in(choice: str, counts: ItemCounts, unit: str) -> StandIn | str:
    """Return the public data for counts of this unit, or the reason why there are none."""
    if choice != settings.FILE_STAND_IN:
        return stand_in.stand_in_for(choice, counts)
    public = _held()
    if public is None:
        return (
            "This session has no public file yet: uploads are deleted with their session and are "
            "not part of any link."
        )
    theirs = public.result.counts
    name = plain(theirs.name)
    words = (
        f"{name}: {plural(theirs.d, 'item')}, numbers of {public.unit}. It stays in this session "
        "and is not part of any link; take ε from it only if it is public."
    )
    if public.unit != unit:
        words += (
            f" Your own counts are numbers of {unit}: the two are not comparable unless the units "
            "agree."
        )
    return StandIn(name, theirs, words, public.python)


def _held() -> Uploaded | None:
    held: Uploaded | None = st.session_state.get(keys.PUBLIC_FILE)
    return held
