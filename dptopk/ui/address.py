"""Synchronize the settings of a session with the query parameters of the page's address.

Every setting is a parameter with a stable key (see `dptopk.core.parameters`).  The address of a
page holds the settings that the page has touched and that are not at their default, so that a
link opens the same view and the browser's Back undoes the last change.  Values of a link
are checked before any control sees them; a value that is replaced is reported once.

On a page switch Streamlit drops the settings from the address.  `carry` puts them back before the
new page gets its entry in the browser's history, so that there is one entry, and one press of Back.
Where the two pages have settings of their own, a second entry is written here, which takes the
place of the first in the browser (see assets/one_entry.js).  If both remain, as when somebody
is quicker than the page, going back to the first one is no choice, and the settings stay (see
`_in_passing`).

Streamlit's own binding (``bind="query-params"``) is no substitute.  It writes the words of an
option, not its value, drops what it cannot read without saying so, overflows at ``inf``, forgets
what was chosen where a limit lowers it, leaves an entry in the history for each of two settings
that change together, and knows no setting without a control, which a page has up to twenty of.

A run of the script calls `carry` before the page is known, then `arrive`, `value` for every setting
it reads, and `depart` last.  Controls go through `dptopk.ui.controls.inputs`.
"""

import secrets
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from dptopk.core.parameters import Choice, Ladder, Several, Text
from dptopk.questions import settings
from dptopk.ui import keys
from dptopk.ui.formats import plain

OWN_SEED = "own"
"""Text in place of a seed in a link that gives everybody who opens it a seed of their own."""

_LONGEST = 8_000  # characters of one entry that are looked at
_FEW = 30  # options that are told one by one


@dataclass
class _Address:
    """Settings of a session: values chosen, shown and ``asked`` for by an address still unread."""

    asked: dict[str, str] = field(default_factory=dict)
    chosen: dict[str, Any] = field(default_factory=dict)
    shown: dict[str, Any] = field(default_factory=dict)
    made: dict[str, Any] = field(default_factory=dict)  # by key: on which page, with which bounds
    touched: dict[str, Any] = field(default_factory=dict)  # by key: the parameters of this run
    drawn: dict[str, Any] = field(default_factory=dict)  # by key: what controls of this run show
    # by key: the state that runs not ended wrote over, `...` if there was none
    unsent: dict[str, Any] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    waiting: set[str] = field(default_factory=set)  # keys of which it was said where they belong
    own_seed: str = field(default_factory=lambda: str(secrets.randbelow(int(settings.SEED.high))))
    going_back: bool = False
    switched: bool = False  # whether this run is the first one on another page
    opening: Mapping[str, str] = field(default_factory=dict)  # what one without settings asks
    opened: set[str] = field(default_factory=set)  # keys of what such a one asked
    page: str = ""  # key of the page of this run; none before the first run
    bound_for: str = ""  # key of the page that a callback asked for, until a run of it has ended
    written: dict[str, str] = field(default_factory=dict)  # by the run before
    # by page, on switching to it: what `carry` kept, and what was written right then
    entered: dict[str, tuple[dict[str, str], ...]] = field(default_factory=dict)


def carry() -> None:
    """Keep the settings in the address when the visitor switches pages."""
    address = _address()
    if address.page and not st.query_params and not _in_history():
        st.query_params.from_dict(address.written)


def arrive(
    page: str,
    opening: Mapping[str, str] = {},
    unsaid: Mapping[str, str] = {},
    known: Collection[str] = (),
) -> None:
    """Begin a run of a page, by its key: read the address on the first one, and after Back.

    An address without any setting, of which ``known`` holds the keys, asks for ``opening`` where
    that is given, and any address for what of ``unsaid`` it does not name.  To be presented is no
    such setting.  What it asked for and nobody changed becomes what the ``opening`` of the next
    page asks for.
    """
    address = _address()
    former, address.opening = address.opening, opening
    before, moved = address.page, _in_history()
    address.going_back = moved and not _in_passing(address, page)
    address.switched = before not in ("", page) and not moved
    address.page = page
    # a link of ours asks for something else than what `carry` keeps; on the way to a page that a
    # callback asked for, the browser may still name the view that was left
    moved_by_link = address.switched and not address.bound_for
    followed = moved_by_link and st.query_params.to_dict() != address.written
    if address.going_back and address.bound_for:
        address.bound_for = ""
        address.asked.clear()
    if not before or address.going_back or followed:
        address.asked.update(unsaid)
        address.asked.update(
            {key: ",".join(st.query_params.get_all(key))[:_LONGEST] for key in st.query_params}
        )
        if address.asked.get(settings.SEED.key) == OWN_SEED:
            address.asked[settings.SEED.key] = address.own_seed
        if not any(key in known for key in st.query_params if key != settings.PRESENT.key):
            address.asked.update(address.opening)
            address.waiting.update(address.opening)  # for the pages that they are settings of
            address.opened.update(address.opening)
    elif address.switched:
        for key in address.opened & address.opening.keys() & address.touched.keys():
            parameter, text = address.touched[key], address.opening[key]
            text_now = parameter.text(address.chosen.get(key, parameter.default))
            if text_now != former.get(key, text_now):
                address.opened.discard(key)
            elif text_now != text:
                address.asked[key] = text
    address.touched, address.drawn = {}, {}


def has_arrived() -> bool:
    """Return True if a run before has read the address."""
    return bool(_address().page)


def value(parameter: Any) -> Any:
    """Return the value of a setting: as chosen, else as asked by the link, else the default."""
    address, key = _address(), parameter.key
    first = key not in address.touched
    address.touched[key] = parameter
    if key in address.asked:
        text = address.asked.pop(key)
        address.chosen.pop(key, None)
        try:
            address.chosen[key] = parameter.parse(text)
        except (TypeError, ValueError) as error:
            if isinstance(parameter, Several) and (known := parameter.parted(text)[0]):
                address.chosen[key] = known
            in_place = address.chosen.get(key, parameter.default)
            address.wrong.append(_complaint(parameter, text, in_place, error))
    elif first and address.going_back:
        address.chosen.pop(key, None)
    elif _differs(key) and not _is_echo(key):  # it was moved
        moved = address.shown[key] = st.session_state[key]
        address.chosen[key] = tuple(moved) if isinstance(moved, list) else moved
        address.unsent.pop(key, None)  # the control has reached the browser
    return address.chosen.get(key, parameter.default)


def show(parameter: Any, current: Any, bounds: tuple[float, ...] = ()) -> Any:
    """Set the value of the control drawn next; it may differ from the value that was chosen.

    The value is returned, and must also be given to the control as its default: a browser that
    had not yet drawn the control when the next run followed knows nothing else.
    """
    address, key = _address(), parameter.key
    address.shown[key] = list(current) if isinstance(current, tuple) else current
    hold(key, address.shown[key], bounds)
    address.drawn[key] = current
    return current


def hold(key: str, held: Any, bounds: tuple[float, ...] = ()) -> None:
    """Set the state of the control drawn next.

    An equal state is not written again: that would undo later moves of the user in the browser,
    such as a second key press on a slider.  With other ``bounds``, or on another page, Streamlit
    makes a new control without state.  The state that an interrupted run wrote may not have
    reached the browser: it is written again.
    """
    address = _address()
    made, state = (address.page, bounds), st.session_state
    before = state.get(key, ...)
    if before == held and address.made.get(key) == made and key not in address.unsent:
        return
    address.unsent.setdefault(key, before)
    state[key], address.made[key] = held, made


def is_typed(box: str) -> bool:
    """Return True if the text of the box beside a control was typed by the user.

    False if a control was moved, or if the browser has not yet received the text that the app
    wrote into the box: what it tells is then the text from before.
    """
    return not _is_echo(box) and not any(map(_differs, _address().shown))


def choose(parameter: Any, chosen: Any) -> None:
    """Change a setting from a callback, as its control would; to its default, it is not chosen."""
    address, checked = _address(), parameter.checked(chosen)
    for part in (address.chosen, address.shown, address.asked):
        part.pop(parameter.key, None)
    if checked != parameter.default:
        address.chosen[parameter.key] = checked


def is_chosen(key: str, text: str = "") -> bool:
    """Return True if a setting is not at its default, or a link asks for it; for this ``text``."""
    address = _address()
    chosen = address.chosen | address.asked
    return key in chosen and text in ("", chosen[key])


def follow(page: str, query: Mapping[str, str]) -> None:
    """Go to a page by its key, with all settings replaced by those of a link; from a callback."""
    address = _address()
    for part in (address.chosen, address.shown, address.asked):
        part.clear()
    address.asked.update(query)
    address.bound_for = page


def turn(page: str) -> None:
    """Go to a page by its key, with the settings as they are; from a callback."""
    _address().bound_for = page


def bound_for() -> str:
    """Return the key of the page that a callback asked for, if no run of it has ended yet.

    The run that switches to the page, or the first one there, may be interrupted.
    """
    return "" if _in_history() else _address().bound_for


def written() -> dict[str, str]:
    """Return the settings in the address, as the run before wrote them."""
    return dict(_address().written)


def refuse(parameter: Any, why: str) -> None:
    """Return a setting to its default, and report why its value cannot be used."""
    address = _address()
    text = parameter.text(address.chosen.pop(parameter.key, parameter.default))
    address.wrong.append(_complaint(parameter, text, None, ValueError(why)))


def in_force() -> dict[str, Any]:
    """Return the value of every setting that this run has read, by key; of drawn ones as shown."""
    address = _address()
    read = address.touched.items()
    return {key: address.chosen.get(key, one.default) for key, one in read} | address.drawn


def is_untouched() -> bool:
    """Return True if every setting read in this run has its default or opening value."""
    address = _address()
    return all(
        address.chosen.get(key, parameter.default) == parameter.default
        or parameter.text(address.chosen[key]) == address.opening.get(key)
        for key, parameter in address.touched.items()
    )


def depart(known: Collection[str], elsewhere: Mapping[str, str]) -> list[str]:
    """End a run: write the settings into the address and return the problems of the link.

    ``known`` are the keys of all settings, including those of pages not visited yet; ``elsewhere``
    names these pages by the keys of their own settings.  Each problem is a sentence in markdown.
    """
    address = _address()
    entries = {
        key: parameter.text(address.chosen[key])
        for key, parameter in address.touched.items()
        if key in address.chosen and address.chosen[key] != parameter.default
    }
    if not entries.keys() - {settings.PRESENT.key}:  # it would ask for something else
        defaults = {
            key: address.touched[key].text(address.touched[key].default)
            for key in sorted(address.opening.keys() & address.touched.keys())
        }
        others = [key for key, text in defaults.items() if text != address.opening[key]]
        entries |= {key: defaults[key] for key in others[:1]}
    present = st.query_params.to_dict()
    if address.switched:
        address.entered[address.page] = present, entries
    # in the order of the link: in another, `carry` would leave one more entry
    address.written = present if present == entries else entries
    # an entry behind the one that is gone back to would send whoever goes back forward again
    if present != entries and not _in_history():
        st.query_params.from_dict(entries)
    for key in sorted(address.asked.keys() - set(known)):
        entry = plain(f"{key}={address.asked.pop(key)}")
        similar = settings.similar(key, known)
        meant = f" Did you mean {similar}?" if similar else ""
        address.wrong.append(f"{entry} requested: there is no such setting.{meant}")
    for key in sorted(address.asked.keys() & elsewhere.keys() - address.waiting):
        address.waiting.add(key)
        entry = plain(f"{key}={address.asked[key]}")
        address.wrong.append(f"{entry} requested: a setting of {elsewhere[key]}, not of this page.")
    wrong, address.wrong, address.bound_for = address.wrong, [], ""
    return wrong


def complete() -> None:
    """Note that a run ended normally, so that the browser received all that it wrote."""
    _address().unsent.clear()


def _differs(key: str) -> bool:
    """Return True if a control has another state than it was given."""
    values, state = _address().shown, st.session_state
    return key in values and key in state and bool(state[key] != values[key])


def _is_echo(key: str) -> bool:
    """Return True if a control still holds the value that an interrupted run overwrote."""
    unsent = _address().unsent
    return key in unsent and unsent[key] == st.session_state[key]


def _in_passing(address: _Address, page: str) -> bool:
    """Return True if a history entry is the first of the two that a page switch left.

    The run before is another page's, or stands right behind that entry.
    """
    carried, entered = address.entered.get(page, (None, None))
    is_first = carried == st.query_params.to_dict() and carried != entered
    return is_first and (page != address.page or address.written == entered)


def _in_history() -> bool:
    """Return True if the user went back or forward in the browser's history."""
    return bool(getattr(get_script_run_ctx(), "is_history_navigation", False))


def _address() -> _Address:
    try:
        address: _Address = st.session_state[keys.ADDRESS]
    except KeyError:
        address = st.session_state[keys.ADDRESS] = _Address()
    return address


def _complaint(parameter: Any, text: str, current: Any, error: Exception) -> str:
    """Return a sentence naming the value that a link asked for, the one shown, and the reason."""
    requested = f"{plain(f'{parameter.key}={text}')} requested"
    if parameter is settings.PRESENT:  # nobody chose it by a number
        return f"{requested}: this page has no figure {plain(text)}."
    if current is None and isinstance(parameter, Text):
        return f"{requested}: {plain(error, 200)}."
    in_place = parameter.empty if current is None else plain(parameter.text(current)) or "none"
    begin = f"{requested}, {in_place} shown: "
    if isinstance(parameter, Choice):
        return f"{begin}it is {_not_offered(text, parameter.options)}"
    if isinstance(parameter, Several):
        unknown = parameter.parted(text)[1]
        only, are = (unknown[0], "is") if len(unknown) == 1 else ("", "are")
        return f"{begin}{plain(', '.join(unknown))} {are} {_not_offered(only, parameter.options)}"
    rule = str(error) if isinstance(parameter, Text) else str(error).partition(", got ")[0]
    meant = parameter.of_percent(text) if isinstance(parameter, Ladder) else ""
    return f"{begin}{plain(rule, 120)}.{f' Did you mean {meant}?' if meant else ''}"


def _not_offered(text: str, options: Collection[str]) -> str:
    """Return a clause saying that a value is no option, with a similar option or all of them."""
    held = [option for option in options if len(text) > 2 and text.lower() in option.lower()]
    alike = held[:1] if len(held) == 1 else get_close_matches(text, options, 1, 0.6)
    if alike:
        return f"not among those offered. Did you mean {plain(alike[0])}?"
    few = f" ({', '.join(map(plain, options))})" if len(options) <= _FEW else ""
    return f"not among those offered{few}."
