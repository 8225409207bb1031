"""The text that names a mechanism's random streams: changing it changes published draws."""

from dataclasses import MISSING, Field, fields
from typing import TYPE_CHECKING, Any

from dptopk.core.privacy import NeighborRelation

if TYPE_CHECKING:
    from dptopk.mechanisms.base import Mechanism


def key(mechanism: "Mechanism") -> str:
    """The card's key and the fields that the card names, as text.

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
    """What a field holds when it is not given."""
    if field.default_factory is not MISSING:
        return field.default_factory()
    return None if field.default is MISSING else field.default


def _text(value: object) -> str:
    """A field's value as it stands in stream keys, whatever its class prints."""
    if isinstance(value, NeighborRelation):
        return f"<NeighborRelation.{value.name}: {value.value!r}>"
    return repr(value)
