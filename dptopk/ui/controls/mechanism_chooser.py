"""Choose mechanisms by name in groups, or by three questions about the requirements."""

from typing import Any

import streamlit as st

from dptopk.mechanisms import MECHANISMS, Group, extensions
from dptopk.questions import settings
from dptopk.ui import address, keys
from dptopk.ui.controls import inputs

QUESTIONS = (settings.ORDER, settings.EXTRA, settings.LISTED)


def by_name(place: Any) -> tuple[str, ...]:
    """Draw a row of mechanisms for each group; rows after the first are in an expander."""
    parameter = settings.mechanisms()
    chosen: tuple[str, ...] = address.value(parameter)
    cards = [mechanism.card for mechanism in MECHANISMS.values()]
    for number, ((name, title), offered) in enumerate(_groups().items()):
        if number == 1:
            place = place.expander("More mechanisms", icon=":material/add:")
        box = keys.GROUP.format(name)
        st.session_state[box] = [key for key in offered if key in chosen]
        place.pills(
            title,
            offered,
            selection_mode="multi",
            key=box,
            format_func=parameter.options.__getitem__,
            help="  \n".join(f"**{c.name}**: {c.summary}" for c in cards if c.key in offered),
            on_change=_choose_by_name,
        )
    return chosen


def by_questions(place: Any) -> None:
    """Draw three questions; an answer chooses all mechanisms that fit."""
    for question in QUESTIONS:
        inputs.choice(place, question, look="select", on_change=_choose_fitting)
    fitting = _fitting()
    if fitting:
        taken = fitting == address.value(settings.mechanisms())
        place.button(
            f"All {len(fitting)} are chosen" if taken else f"Choose all {len(fitting)}",
            on_click=_choose_fitting,
            key="take-fitting",
            icon=":material/done_all:",
            disabled=taken,
        )
    else:
        place.info("No mechanism fits these answers; the choice is unchanged.")


def _groups() -> dict[tuple[str, str], list[str]]:
    """Return the keys of all mechanisms by group, those of others in one of their own, the last."""
    cards = [m.card for name, m in MECHANISMS.items() if name not in extensions.SOURCES]
    groups = {(g.name, g.value): [card.key for card in cards if card.group is g] for g in Group}
    groups["OWN", "Your own"] = [MECHANISMS[name].card.key for name in extensions.SOURCES]
    return {group: offered for group, offered in groups.items() if offered}


def _fitting() -> tuple[str, ...]:
    return settings.fitting(*map(address.value, QUESTIONS))


def _choose_by_name() -> None:
    chosen = [key for name, _ in _groups() for key in st.session_state[keys.GROUP.format(name)]]
    address.choose(settings.mechanisms(), chosen)


def _choose_fitting() -> None:
    """Choose all mechanisms that fit; if none does, keep the present choice."""
    fitting = _fitting()
    if fitting:
        address.choose(settings.mechanisms(), fitting)
