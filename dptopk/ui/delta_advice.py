"""How large δ may be for so many users, and why."""

from dataclasses import dataclass
from math import floor, log10

from dptopk.ui.formats import compact, rounded


@dataclass(frozen=True)
class Advice:
    """What to say of a δ, and one to take instead if it is too large."""

    sentence: str
    better: float | None


def advice(delta: float, n_users: int, largest_count: int) -> Advice:
    """Judge δ by the number of users, and that number by the data."""
    advised, most = min(n_users**-1.5, 0.1 / n_users), 0.1 / n_users
    of, limit = f"1/n^1.5 = {rounded(advised, 2)}", f"1/(10 n) = {rounded(most, 2)}"
    if advised == most:
        of = limit
    sentence = f"δ = {compact(delta)} fits {n_users:,} users: it is at most {of}."
    if delta > advised:
        sentence = (
            f"δ = {compact(delta)} is too large for {n_users:,} users: showing each user's data "
            "with probability δ would keep such a promise, and that shows "
            f"{rounded(delta * n_users, 2)} of them on average. Take at most {of}."
        )
        if delta <= most:
            sentence = (
                f"δ = {compact(delta)} is below {limit} for {n_users:,} users; the usual advice "
                f"is at most {of}, so that hardly ever anybody's data is shown."
            )
    if n_users < largest_count:
        sentence += (
            f" But {n_users:,} users are too few: one item alone counts {largest_count:,}, if one "
            "user counts once for an item."
        )
    return Advice(sentence, _rounded_down(advised) if delta > advised else None)


def _rounded_down(value: float) -> float:
    """The largest number of one digit that is not above a value."""
    power = floor(log10(value))
    digit = floor(value / 10.0**power)
    return float(f"{digit}e{power}")
