"""Names of the random streams of mechanisms; a changed name changes published draws."""

from dataclasses import MISSING, Field, fields
from typing import Any, ClassVar, Protocol

from dptopk.core.privacy import NeighborRelation
from dptopk.mechanisms.card import Card


class _Carded(Protocol):
    """Dataclass with a card, as every mechanism is."""

    __dataclass_fields__: ClassVar[dict[str, "Field[Any]"]]
    card: ClassVar[Card]


def key(mechanism: _Carded) -> str:
    """Return the name of a mechanism's random streams: the card's key and fields.

    Other fields only where they differ from their default, so that a field that is added later
    leaves every draw published before as it was.
    """
    shown = []
    for field in fields(mechanism):
        value = getattr(mechanism, field.name)
        if field.name in mechanism.card.stream or value != _default(field):
            shown.append(f"{field.name}={_text(value)}")
    return f"{mechanism.card.key}({', '.join(shown)})"


def _default(field: "Field[Any]") -> object:
    """Return the default of a field; None without one."""
    if field.default_factory is not MISSING:
        return field.default_factory()
    return None if field.default is MISSING else field.default


def _text(value: object) -> str:
    """Return a field's value as text that is stable across versions."""
    if isinstance(value, NeighborRelation):
        return f"<NeighborRelation.{value.name}: {value.value!r}>"
    return repr(value)
