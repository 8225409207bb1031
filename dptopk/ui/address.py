"""The settings of a session, and the address that holds them.

Every setting is a parameter with a stable key (see `dptopk.core.parameters`).  The address of a
page holds the settings that the page has touched and that are not at their default, so that a
link opens the same view and the browser's Back undoes the last change.  What a link asks for
is checked before any control sees it; what is not possible is said once, and nothing is
replaced in silence.

On a page switch Streamlit drops the settings from the address.  `carry` puts them back before the
new page gets its entry in the browser's history, so that there is one entry, and one press of Back.
Where the two pages have settings of their own, a second entry is written here, which takes the
place of the first in the browser (see assets/one_entry.js).  Should both be there, as when somebody
is quicker than the page, who goes back to the first one has chosen nothing there, so the settings
stay (see `_in_passing`).

A run of the script calls `carry` before the page is known, then `arrive`, `value` for every setting
it reads, and `depart` last.  Controls go through `dptopk.ui.controls.inputs`.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from dptopk.core.parameters import Choice, Several, Text
from dptopk.questions import settings
from dptopk.ui import keys
from dptopk.ui.formats import plain

_LONGEST = 2_000  # characters of one entry that are looked at
_FEW = 30  # options that are told one by one


@dataclass
class _Address:
    """What a session has chosen; ``asked`` is what its address said and nobody read yet."""

    asked: dict[str, str] = field(default_factory=dict)
    chosen: dict[str, Any] = field(default_factory=dict)
    shown: dict[str, Any] = field(default_factory=dict)
    made: dict[str, Any] = field(default_factory=dict)  # by key: on which page, with which bounds
    making: dict[str, Any] = field(default_factory=dict)  # likewise, by runs not ended
    touched: dict[str, Any] = field(default_factory=dict)  # by key: the parameters of this run
    drawn: set[str] = field(default_factory=set)  # keys of those that have a control in this run
    unsent: dict[str, Any] = field(default_factory=dict)  # what runs not ended wrote over, by key
    wrong: list[str] = field(default_factory=list)
    waiting: set[str] = field(default_factory=set)  # keys of which it was said where they belong
    facts: dict[str, Any] = field(default_factory=dict)
    arrived: bool = False
    going_back: bool = False
    switched: bool = False  # whether this run is the first one on another page
    passing: bool = False  # whether this run is at an entry that nobody chose
    page: str = ""
    written: dict[str, str] = field(default_factory=dict)  # by the run before
    carried: dict[str, dict[str, str]] = field(default_factory=dict)  # by page, on switching to it
    entered: dict[str, dict[str, str]] = field(default_factory=dict)  # what was written right then


def carry() -> None:
    """Keep the settings in the address when the visitor switches pages."""
    address = _address()
    if address.arrived and not st.query_params and not _in_history():
        st.query_params.from_dict(address.written)


def arrive() -> None:
    """Begin a run: read the address on the first one, and when the visitor goes back."""
    address = _address()
    page, before = str(getattr(get_script_run_ctx(), "page_script_hash", "")), address.page
    moved = _in_history()
    address.passing = moved and _in_passing(address, page)
    address.going_back = moved and not address.passing
    address.switched = address.arrived and page != before and not moved
    address.page = page
    # a link of ours asks for something else than what `carry` keeps
    followed = address.switched and st.query_params.to_dict() != address.written
    if not address.arrived or address.going_back or followed:
        address.asked.update(
            {key: ",".join(st.query_params.get_all(key))[:_LONGEST] for key in st.query_params}
        )
        address.arrived = True
    address.touched, address.drawn = {}, set()


def value(parameter: Any) -> Any:
    """Present value of a setting: what was chosen, else what the link asks for, else default."""
    address, key = _address(), parameter.key
    first = key not in address.touched
    address.touched[key] = parameter
    if first and key in address.asked:
        text = address.asked.pop(key)
        address.chosen.pop(key, None)
        try:
            address.chosen[key] = parameter.parse(text)
        except (TypeError, ValueError) as error:
            if isinstance(parameter, Several) and (known := parameter.parted(text)[0]):
                address.chosen[key] = known
            shown = address.chosen.get(key, parameter.default)
            address.wrong.append(_complaint(parameter, text, shown, error))
    elif first and address.going_back:
        address.chosen.pop(key, None)
    elif key in st.session_state and key in address.shown:
        moved = _comparable(st.session_state[key])
        if moved != _comparable(address.shown[key]) and not _is_echo(key):  # by its control
            address.chosen[key] = address.shown[key] = moved
            _has_come(key)
    return address.chosen.get(key, parameter.default)


def show(parameter: Any, shown: Any, bounds: tuple[float, ...] = ()) -> None:
    """Put a value into the control that is made next; it may differ from what was chosen."""
    address = _address()
    hold(parameter.key, list(shown) if isinstance(shown, tuple) else shown, bounds)
    address.shown[parameter.key] = shown
    address.drawn.add(parameter.key)


def hold(key: str, held: Any, bounds: tuple[float, ...] = ()) -> None:
    """Let the control that is made next hold this.

    One that holds it already is left alone: writing it would undo in the browser what the visitor
    has moved since, a second key on a slider, say.  With other ``bounds``, or on another page,
    Streamlit makes another control, which holds nothing.  What a run wrote that was cut short may
    never have come to the browser, whose control then stands at its lowest: it is written again.
    """
    address = _address()
    made, state = (address.page, bounds), st.session_state
    if key in state and _comparable(state[key]) == _comparable(held):
        if address.made.get(key) == made:
            return
    elif key in state:
        address.unsent.setdefault(key, state[key])
    state[key], address.making[key] = held, made


def is_typed(parameter: Any, box: str) -> bool:
    """Whether a text in a box beside a control is what somebody typed.

    It is not where the control itself was moved, or where the browser had not heard yet of what
    stands in the box now.
    """
    address, key = _address(), parameter.key
    stands = key not in address.shown or st.session_state.get(key) == address.shown[key]
    return stands and not _is_echo(box)


def choose(parameter: Any, chosen: Any) -> None:
    """Change a setting from a callback, as its control would."""
    address = _address()
    address.chosen[parameter.key] = parameter.checked(chosen)
    address.asked.pop(parameter.key, None)
    address.shown.pop(parameter.key, None)


def in_force() -> dict[str, Any]:
    """Value of every setting that this run has read, by key, as far as it was drawn: as shown."""
    address = _address()
    return {
        key: address.shown[key]
        if key in address.drawn
        else address.chosen.get(key, parameter.default)
        for key, parameter in address.touched.items()
    }


def is_news(key: str, fact: Any) -> bool:
    """Whether a fact about a setting is another than it was when it was last asked for."""
    address = _address()
    news = address.facts.get(key) != fact
    address.facts[key] = fact
    return news


def depart(known: Collection[str], elsewhere: Mapping[str, str]) -> list[str]:
    """End a run: write the settings into the address, and tell what was wrong with the link.

    ``known`` are the keys of all settings, those of pages not visited yet among them; ``elsewhere``
    names these pages by the keys of settings that are theirs alone.  What is told is markdown, a
    sentence each.
    """
    address = _address()
    entries = {
        key: parameter.text(address.chosen[key])
        for key, parameter in address.touched.items()
        if key in address.chosen and address.chosen[key] != parameter.default
    }
    if address.switched:
        address.carried[address.page] = st.query_params.to_dict()
        address.entered[address.page] = entries
    present = st.query_params.to_dict()
    # in the order of the link: in another, `carry` would leave one more entry
    address.written = present if present == entries else entries
    if present != entries and not address.passing:
        st.query_params.from_dict(entries)
    for key in sorted(address.asked.keys() - set(known)):
        address.wrong.append(_unknown(key, address.asked.pop(key), known))
    for key in sorted(address.asked.keys() & elsewhere.keys() - address.waiting):
        address.waiting.add(key)
        asked = plain(f"{key}={address.asked[key]}")
        address.wrong.append(f"{asked} asked: no setting of this page, but of {elsewhere[key]}.")
    wrong, address.wrong = address.wrong, []
    return wrong


def complete() -> None:
    """Note that a run came to its end: the browser hears of all that was written in it."""
    address = _address()
    address.unsent.clear()
    address.made |= address.making
    address.making.clear()


def _has_come(key: str) -> None:
    """Note that a control is as it was made, even if that run was cut short: it was moved."""
    address = _address()
    if key in address.making:
        address.made[key] = address.making.pop(key)


def _is_echo(key: str) -> bool:
    """Whether a control holds what a run wrote over that was cut short before it could tell so."""
    unsent = _address().unsent
    return key in unsent and _comparable(unsent[key]) == _comparable(st.session_state[key])


def _in_passing(address: _Address, page: str) -> bool:
    """Whether an entry of the history is the first of two that a switch to its page left.

    The run before is another page's, or stands right behind that entry.
    """
    carried, entered = address.carried.get(page), address.entered.get(page)
    is_first = carried == st.query_params.to_dict() and carried != entered
    return is_first and (page != address.page or address.written == entered)


def _in_history() -> bool:
    """Whether the visitor went back or forward in the browser's history."""
    return bool(getattr(get_script_run_ctx(), "is_history_navigation", False))


def _address() -> _Address:
    address: _Address = st.session_state.setdefault(keys.ADDRESS, _Address())
    return address


def _complaint(parameter: Any, text: str, shown: Any, error: Exception) -> str:
    """What a link asked for, what is shown instead, and why."""
    if parameter is settings.PRESENT:  # nobody chose it by a number
        return f"{plain(f'{parameter.key}={text}')} asked: there is no figure {plain(text)} here."
    in_place = parameter.empty if shown is None else plain(parameter.text(shown))
    said = f"{plain(f'{parameter.key}={text}')} asked, {in_place} shown: "
    if isinstance(parameter, Choice):
        return f"{said}it is {_not_offered(text, parameter.options)}"
    if isinstance(parameter, Several):
        (first, *others) = parameter.parted(text)[1]
        if not others:
            return f"{said}{plain(first)} is {_not_offered(first, parameter.options)}"
        return (
            f"{said}{plain(', '.join([first, *others]))} are {_not_offered('', parameter.options)}"
        )
    rule = str(error) if isinstance(parameter, Text) else str(error).partition(", got ")[0]
    return f"{said}{plain(rule, 120)}."


def _not_offered(text: str, options: Collection[str]) -> str:
    """That a value is none of the options, and which one may have been meant, or what they are."""
    held = [option for option in options if len(text) > 2 and text.lower() in option.lower()]
    alike = held[:1] if len(held) == 1 else get_close_matches(text, options, 1, 0.6)
    if alike:
        return f"not among those offered. Is {plain(alike[0])} meant?"
    few = f" ({', '.join(map(plain, options))})" if len(options) <= _FEW else ""
    return f"not among those offered{few}."


def _unknown(key: str, text: str, known: Collection[str]) -> str:
    """What a link asked for that is no setting, and which one may have been meant."""
    alike = get_close_matches(key.lower(), known, 1, 0.7)
    meant = f" Is {alike[0]} meant?" if alike else ""
    return f"{plain(f'{key}={text}')} asked: there is no such setting.{meant}"


def _comparable(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
