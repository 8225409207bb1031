"""Controls of settings: one way to draw each kind, always in step with the address."""

from collections.abc import Callable, Sequence
from typing import Any

from dptopk.parameters import Choice, Flag, Ladder, Number, Parameter, Several, Text
from dptopk.ui import address


def choice(
    place: Any,
    parameter: Choice,
    allowed: Sequence[str] | None = None,
    look: str = "segmented",
    **options: Any,
) -> str:
    """Choose one of the options, or of those that are allowed here."""
    offered = [option for option in parameter.options if allowed is None or option in allowed]
    wanted = address.value(parameter)
    address.show(parameter, wanted if wanted in offered else offered[0])
    draw, extra = {
        "segmented": (place.segmented_control, {"required": True}),
        "select": (place.selectbox, {}),
        "radio": (place.radio, {}),
    }[look]
    result: str = draw(
        parameter.label,
        offered,
        key=parameter.key,
        format_func=parameter.options.__getitem__,
        help=parameter.help or None,
        **extra,
        **options,
    )
    return result


def ladder(place: Any, parameter: Ladder, label: str = "") -> float:
    """Choose a step; a value between the steps, from a link, is offered as well."""
    wanted = address.value(parameter)
    address.show(parameter, wanted)
    result: float = place.select_slider(
        label or parameter.label,
        sorted({*parameter.steps, wanted}),
        key=parameter.key,
        format_func=parameter.text,
        help=parameter.help or None,
    )
    return result


def number(place: Any, parameter: Number, high: float | None = None, slider: bool = False) -> Any:
    """Choose a number up to ``high``; one that is too high here comes back where it is not."""
    wanted = address.value(parameter)
    high = parameter.high if high is None else high
    address.show(parameter, wanted if wanted is None else min(wanted, high))
    kind = int if parameter.integer else float
    limits: dict[str, Any] = {"min_value": kind(parameter.low), "max_value": kind(high)}
    if not slider:
        limits["value"] = None if parameter.default is None else "min"
    return (place.slider if slider else place.number_input)(
        parameter.label,
        **limits,
        key=parameter.key,
        help=parameter.help or None,
        **({"placeholder": "automatic"} if parameter.default is None else {}),
    )


def steps(place: Any, parameter: Number, offered: Sequence[int], **options: Any) -> int:
    """Choose a number on a scale of a few; one between them, from a link, is offered as well."""
    wanted = address.value(parameter)
    address.show(parameter, wanted)
    options = {"format_func": lambda n: f"{n:,}"} | options
    result: int = place.select_slider(
        parameter.label,
        sorted({*offered, wanted}),
        key=parameter.key,
        help=parameter.help or None,
        **options,
    )
    return result


def flag(place: Any, parameter: Flag) -> bool:
    """Switch something on or off."""
    address.show(parameter, address.value(parameter))
    result: bool = place.toggle(parameter.label, key=parameter.key, help=parameter.help or None)
    return result


def text(place: Any, parameter: Text, area: bool = False) -> str:
    """Type a text."""
    address.show(parameter, address.value(parameter))
    draw: Callable[..., str] = place.text_area if area else place.text_input
    return draw(
        parameter.label,
        key=parameter.key,
        max_chars=parameter.longest,
        help=parameter.help or None,
    )


def several(place: Any, parameter: Several, look: str = "pills") -> tuple[str, ...]:
    """Choose any number of the options."""
    address.show(parameter, address.value(parameter))
    names = {"format_func": parameter.options.__getitem__, "help": parameter.help or None}
    if look == "pills":
        chosen = place.pills(
            parameter.label,
            list(parameter.options),
            selection_mode="multi",
            key=parameter.key,
            **names,
        )
    else:
        chosen = place.multiselect(
            parameter.label, list(parameter.options), key=parameter.key, **names
        )
    return parameter.checked(chosen)


def of_mechanism(place: Any, parameter: Parameter, used_by: str) -> Any:
    """Set a parameter that a mechanism's card lists."""
    label = f"{parameter.label}, of {used_by}"
    if isinstance(parameter, Ladder):
        return ladder(place, parameter, label)
    if isinstance(parameter, Choice):
        return choice(place, parameter, look="radio")
    return number(place, parameter)
