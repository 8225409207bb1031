"""Settings of all pages, their values, and the controls that pages draw of them."""

import re
import sys
from typing import Any

from dptopk import MECHANISMS
from dptopk.core.parameters import Choice, Flag, Ladder, Number, Several, Text
from dptopk.data import sources
from dptopk.questions import settings
from dptopk.ui.layout import deck
from dptopk.ui.layout.pages import JOIN, PAGES
from dptopk.ui.sections.learn import LESSONS

QUICK = {"runs": "7", "runs_a_point": "1"}
MECHANISM_KEYS = [mechanism.card.key for mechanism in MECHANISMS.values()]
# settings that only these links have, by functions, so that no module holds them
CONDITIONAL = (
    ("release", {"picture": "noise", "mechanisms": "PNFPeel"}),
    ("privacy", {"who": "chosen"}),
    ("privacy", {"who": "chosen", "neighbors": "swap"}),
    ("mechanisms", {"mechanism": "PNFPeel"}),
)
_KINDS = (Choice, Flag, Ladder, Number, Several, Text)
_COSTLY = {"runs", "runs_a_point", "draws", "d"}  # their high ends take minutes
_BOXES = (
    *("select_slider", "slider", "selectbox", "radio", "toggle", "number_input"),
    *("text_input", "multiselect", "button_group"),
)


def settings_of_pages(opened) -> dict[str, Any]:
    """Return every setting by its key, as modules declare it or else as pages read it."""
    modules = [module for name, module in sys.modules.items() if name.startswith("dptopk.")]
    held = [one for module in modules for one in vars(module).values()]
    declared = [one for one in held if isinstance(one, _KINDS)]
    declared += [one for part in held if isinstance(part, tuple) for one in part]
    declared += [lesson.prediction for lesson in LESSONS.values()]
    declared += [own for choice in sources.choices() for own in sources.own_settings(choice)]
    found = {one.key: one for one in declared if isinstance(one, _KINDS)}
    for place in (*PAGES, JOIN):
        if not found.keys() >= {*place.settings}:
            found |= opened(place.key, **QUICK).settings
    for page, query in CONDITIONAL:
        found |= opened(page, **QUICK | query).settings
    return found


def values_of(parameter: Any) -> list[Any]:
    """Return values of a setting: all of a few, of numbers the ends and the default."""
    if isinstance(parameter, Choice):
        return list(parameter.options)
    if isinstance(parameter, Several):
        return [(), tuple(parameter.options)[:2], *((option,) for option in parameter.options)]
    if isinstance(parameter, Flag):
        return [True, False]
    if isinstance(parameter, Ladder):
        between = (parameter.steps[-1] + parameter.steps[-2]) / 2
        return [*parameter.steps, between]
    if isinstance(parameter, Text):
        decks = deck.ready() if parameter.key == settings.DECK.key else ()
        return ["", parameter.default, "9 8 7", "a 3\nb 2", *decks][parameter.longest < 6 :]
    low, default = parameter.low, parameter.default
    if parameter.key in _COSTLY:
        return [7, int(low)]
    if not parameter.integer:
        return [default, float(low), float(parameter.high)]
    return [default, int(low), int(low) + 1, int(parameter.high)]


def texts_of(parameter: Any) -> list[str]:
    """Return the values of a setting as a link holds them."""
    return [parameter.text(value) for value in values_of(parameter)]


def controls_of(block: Any) -> dict[str, Any]:
    """Return the controls of a page, or of a part of it, by key."""
    return {control.key: control for kind in _BOXES for control in getattr(block, kind)}


def another(control: Any, parameters: dict[str, Any]) -> Any:
    """Return a value that a control offers beside its present one."""
    key, now, kind = control.key, control.value, type(control).__name__
    own = parameters.get(key)
    if kind == "Toggle":
        return not now
    if key.startswith("_typed-"):
        of = parameters[key.removeprefix("_typed-")]
        return "2" if isinstance(of, Number) else of.text(of.steps[len(of.steps) // 2])
    if kind == "TextInput":
        return "8 5"
    if kind in ("Slider", "NumberInput"):
        value = control.min if now is None or now + 1 > control.max else now + 1
        return int(value) if own.integer else value
    if own is None:  # a group of mechanisms
        known = MECHANISM_KEYS
    elif isinstance(own, Several):
        known = list(own.options)
    else:
        texts = (re.sub(r"\D", "", text.partition(" ")[0]) for text in control.options)
        known = [*values_of(own), *(int(text or 0) for text in texts)]

    def is_offered(value: Any) -> bool:
        try:
            return control.format_func(value) in control.options
        except (KeyError, TypeError, ValueError):
            return False

    offered = [value for value in known if is_offered(value)]
    if isinstance(now, list):
        return next([value] for value in offered if [value] != now)
    return next(value for value in offered if value != now)
