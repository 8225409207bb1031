"""How large δ may be for so many users, and why."""

from dataclasses import dataclass
from math import floor, log10

from dptopk.numerals import compact, rounded

NO_DELTA = "The mechanisms chosen have no δ: none has to go with the number of users."
"""What to say of a number of users where no mechanism takes a δ."""


@dataclass(frozen=True)
class Advice:
    """What to say of a δ, whether it warns, and one to take instead if it is too large."""

    sentence: str
    warns: bool
    better: float | None


def advice(delta: float, n_users: int, largest_count: int) -> Advice:
    """Judge δ by the number of users, and that number by the data."""
    most = 0.1 / n_users
    advised = min(n_users**-1.5, most)
    limit = f"{'1/(10 n)' if advised == most else '1/n^1.5'} = {rounded(advised, 2)}"
    too_few = (
        f"{n_users:,} users are too few: one item alone counts {largest_count:,}, if one user "
        "counts once for an item."
        if n_users < largest_count
        else ""
    )
    judged = f"δ = {compact(delta)}"
    if delta <= advised:
        fits = f"{judged} fits {n_users:,} users: it is at most {limit}."
        return Advice(too_few or fits, bool(too_few), None)
    if delta <= most:
        sentence = (
            f"{judged} is rather too large for {n_users:,} users: take at most {limit}, so that "
            "hardly ever anybody's data is shown."
        )
    else:
        sentence = (
            f"{judged} is too large for {n_users:,} users: showing each user's data with "
            "probability δ would keep such a promise, and that shows "
            f"{rounded(delta * n_users, 2)} of them on average. Take at most {limit}."
        )
    return Advice(f"{sentence} {too_few}".rstrip(), True, _rounded_down(advised))


def _rounded_down(value: float) -> float:
    """The largest number of one digit that is not above a value."""
    power = floor(log10(value))
    digit = floor(value / 10.0**power)
    return float(f"{digit}e{power}")
