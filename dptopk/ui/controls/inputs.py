"""Draw the controls of settings, one function for each type of parameter."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

import streamlit as st

from dptopk.core.errors import Metric
from dptopk.core.number_parsing import parse_number
from dptopk.core.parameters import Choice, Flag, Ladder, Number, Parameter, Several, Text
from dptopk.data.ingest import with_names_apart
from dptopk.mechanisms import Mechanism
from dptopk.questions import settings
from dptopk.ui import address, formats, keys
from dptopk.ui.show import Button, Offer

M = TypeVar("M", bound=Mechanism)


def choice(
    place: Any,
    parameter: Choice,
    allowed: Sequence[str] | None = None,
    look: str = "segmented",
    **options: Any,
) -> str:
    """Draw a control for one of the options, or of the subset that is allowed here."""
    offered = [option for option in parameter.options if allowed is None or option in allowed]
    wanted = address.value(parameter)
    initial = address.show(parameter, wanted if wanted in offered else offered[0])
    draw, extra = {
        "segmented": (
            place.segmented_control,
            {"required": True, "default": initial, "wrap": True},  # none is out of sight
        ),
        "select": (place.selectbox, {"index": offered.index(initial)}),
        "radio": (place.radio, {"index": offered.index(initial)}),
    }[look]
    named = _named(parameter) | {"format_func": parameter.options.__getitem__}
    result: str = draw(options=offered, **named | extra | options)
    return result


def ladder(place: Any, parameter: Ladder, label: str = "", *, bare: bool = False) -> float:
    """Draw a scale with a text box; a typed number that satisfies the rule becomes a step.

    A ``bare`` one has no visible label.
    """
    wanted = address.show(parameter, address.value(parameter))
    steps = {formats.compact(step): step for step in parameter.steps}

    def name(value: float) -> str:
        short = formats.compact(value)
        return short if steps.get(short, value) == value else parameter.text(value)

    scale, right = place.columns([5, 2], vertical_alignment="bottom", gap="small")
    result: float = scale.select_slider(
        label or parameter.label,
        sorted({*parameter.steps, wanted}),
        wanted,
        key=parameter.key,
        format_func=name,
        help=None
        if bare
        else f"{parameter.help} Any value can be typed in the box: 0.7, ln 3, 1/2, 1e-7, 2^-20.",
        label_visibility="collapsed" if bare else "visible",
    )
    label = f"{parameter.label}: any number, such as 0.7, ln 3, 1/2, 1e-7 or 2^-20"
    _box(right, parameter, wanted, label)
    return result


def scale(place: Any, parameter: Number, high: float) -> int:
    """Draw a slider for a number up to ``high``, without a label, with a text box beside it."""
    allowed = replace(parameter, high=high)
    left, right = place.columns([5, 2], vertical_alignment="bottom", gap="small")
    result: int = number(left, allowed, slider=True, label_visibility="collapsed")
    _box(right, allowed, result, f"{parameter.label}: {allowed.rule_words}")
    return result


def _box(place: Any, parameter: Ladder | Number, value: float, label: str) -> None:
    """Draw the box beside a scale, in which any number can be typed."""
    box = keys.TYPED.format(parameter.key)
    typed = st.session_state.get(box)
    text = typed if _says(typed, value) else formats.compact(value)
    address.hold(box, text)
    place.text_input(
        label,
        text,
        key=box,
        label_visibility="collapsed",
        on_change=_typed,
        args=(parameter, value),
    )


def _typed(parameter: Ladder | Number, before: float) -> None:
    """Apply a number typed beside a scale, or say why the previous one stays."""
    box = keys.TYPED.format(parameter.key)
    if not address.is_typed(box):
        return
    text = st.session_state[box]
    try:
        number = parse_number(text)
    except ValueError as error:
        rule = f"must be {parameter.rule_words}" if isinstance(parameter, Number) else error
        why = f"{formats.plain(text, 40) or 'An empty box'} {rule}"
    else:
        try:
            is_count = isinstance(parameter, Number) and number.is_integer()
            address.choose(parameter, int(number) if is_count else number)
            return
        except (TypeError, ValueError):
            why = f"{parameter.label.split(',')[0]} must be {parameter.rule_words}"
    meant = parameter.of_percent(text or "") if isinstance(parameter, Ladder) else ""
    hint = f" Did you mean {meant}?" if meant else ""
    words = f"{why}; keeping {formats.compact(before)}.{hint}"
    st.toast(words, icon=":material/undo:")  # a box of its own would move the page


def _says(text: str | None, value: float) -> bool:
    """Return True if a typed text denotes this value, so that the text can stay as it was typed."""
    try:
        return text is not None and parse_number(text) == value
    except ValueError:
        return False


def number(
    place: Any, parameter: Number, high: float | None = None, slider: bool = False, **options: Any
) -> Any:
    """Draw a control for a number up to ``high``; the chosen number returns where it is allowed."""
    wanted = address.value(parameter)
    high = parameter.high if high is None else high
    value = wanted if wanted is None else min(wanted, high)
    address.show(parameter, value, (parameter.low, high))
    kind = int if parameter.integer else float
    return (place.slider if slider else place.number_input)(
        min_value=kind(parameter.low),
        max_value=kind(high),
        value=value if value is None else kind(value),
        **_named(parameter),
        **({"placeholder": parameter.empty} if parameter.default is None else {}),
        **options,
    )


def steps(
    place: Any,
    parameter: Number,
    offered: Sequence[int],
    default: int | None = None,
    name: Callable[[int], str] = "{:,}".format,
) -> int:
    """Draw a scale of a few numbers; another number, given by a link, is offered as well."""
    value = address.show(parameter, default or address.value(parameter), tuple(offered))
    options = sorted({*offered, value})
    result: int = place.select_slider(
        options=options, value=value, format_func=name, **_named(parameter)
    )
    return result


def one_of(
    place: Any, parameter: Number, offered: Sequence[int], automatic: int, *, marked: bool
) -> int:
    """Draw a scale of the numbers that there are here; ``automatic`` stands where none is chosen.

    It may be ``marked``.  Another number, given by a link, is refused.
    """
    wanted = address.value(parameter)
    if wanted is not None and wanted not in offered:
        address.refuse(parameter, f"it must be one of {', '.join(map(str, offered))}")
        wanted = None
    value = automatic if wanted is None else int(wanted)
    if len(offered) == 1:
        return value

    def name(n: int) -> str:
        return f"{n:,}{f' ({parameter.empty})' * (marked and n == automatic)}"

    return steps(place, parameter, offered, value, name)


def flag(place: Any, parameter: Flag) -> bool:
    """Draw a switch."""
    value = address.show(parameter, address.value(parameter))
    result: bool = place.toggle(value=value, **_named(parameter))
    return result


def text(place: Any, parameter: Text, area: bool = False) -> str:
    """Draw a text box."""
    value = address.show(parameter, address.value(parameter))
    draw: Callable[..., str] = place.text_area if area else place.text_input
    return draw(value=value, max_chars=parameter.longest, **_named(parameter))


def names_apart(parameter: Text, summing: str) -> Offer:
    """Return an offer to number the repeated names of a typed text, whose counts were summed."""
    apart = with_names_apart(address.value(parameter))
    act = partial(address.choose, parameter, apart)
    key = f"apart-{parameter.key}"
    words = "Numbers the repeated names, so that each line is a separate item."
    fits = len(apart) <= parameter.longest
    button = Button("Keep these lines apart", key, act, words) if fits else None
    return Offer(summing, button, ":material/call_split:")


def several(place: Any, parameter: Several) -> tuple[str, ...]:
    """Draw a list for any number of the options."""
    chosen = place.multiselect(
        options=list(parameter.options),
        default=list(address.show(parameter, address.value(parameter))),
        format_func=parameter.options.__getitem__,
        **_named(parameter),
    )
    return parameter.checked(chosen)


def one_mechanism(place: Any, mechanisms: Sequence[M], first: M | None = None, **options: Any) -> M:
    """Draw a control for one of several mechanisms; all pages share the choice.

    The default is ``first``, or the first of them.
    """
    offered = {mechanism.card.key: mechanism for mechanism in mechanisms}
    if len(offered) == 1:
        return mechanisms[0]
    labels = {key: mechanism.label for key, mechanism in offered.items()}
    default = (first or mechanisms[0]).card.key
    return offered[choice(place, Choice("shown", "Mechanism", labels, default), **options)]


def is_gallery(parameter: Choice) -> bool:
    """Return True if nothing is chosen to be explained; a slide has the first one."""
    return address.value(parameter) == settings.ALL and not address.value(settings.PRESENT)


def explained(place: Any) -> str:
    """Draw the choice of the mechanism that a page explains; return its key."""
    every = settings.any_mechanism()
    return choice(place, every, [key for key in every.options if key != settings.ALL], "select")


def of_mechanism(place: Any, parameter: Parameter, used_by: str) -> Any:
    """Draw the control of a mechanism's parameter."""
    label = f"{parameter.label}, of {used_by}"
    if isinstance(parameter, Ladder):
        return ladder(place, parameter, label)
    if isinstance(parameter, Choice):
        return choice(place, parameter, look="radio")
    return number(place, parameter)


def logarithmic_axis(place: Any, metric: Metric) -> bool:
    """Draw the choice of scale for an axis of counts; other axes are linear."""
    return metric.in_counts and flag(place, settings.LOGARITHMIC)


def _named(parameter: Any) -> dict[str, Any]:
    """Return what a control takes from any parameter."""
    return {"label": parameter.label, "key": parameter.key, "help": parameter.help or None}
