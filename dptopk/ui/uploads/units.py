"""Guess the unit of uploaded counts and let the user correct it."""

from typing import Any

from dptopk.data.ingest import MAX_UNIT, Contribution, checked_unit, unit_of


def ask(place: Any, header: str, contribution: Contribution, about: str) -> str:
    """Draw a box with the unit that the header suggests; ``about`` identifies the upload."""
    guess = unit_of(header, contribution)
    written = place.text_input(
        "The counts are numbers of",
        guess,
        max_chars=MAX_UNIT,
        key=f"unit-{about}-{contribution.value}",
        help="In the plural, such as users, likes or orders; used in axes, tables and sentences.",
    )
    unit = checked_unit(written)
    if unit is None:
        place.caption(f"One to three words of letters, please; until then they are {guess}.")
    return unit or guess
