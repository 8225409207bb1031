"""Checks of arguments that are to be mechanisms."""

from dptopk.mechanisms.base import Mechanism


def check_mechanism(name: str, value: object) -> Mechanism:
    """Return ``value`` if it is a mechanism."""
    if not isinstance(value, Mechanism):
        raise TypeError(f"{name} must be a mechanism, got {value!r}")
    return value
