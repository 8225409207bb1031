"""Recommend an upper limit on δ from the number of users or of other protected units."""

from dataclasses import dataclass, replace
from math import floor, log10

from dptopk.core.numerals import compact, rounded, rounded_down, rounded_up

NO_DELTA = "The chosen mechanisms have no δ, so the number of users does not matter."
"""Sentence on the number of users where no mechanism takes a δ."""


@dataclass(frozen=True)
class Advice:
    """Assessment of a δ: a sentence, whether it warns, and a smaller δ to use instead."""

    sentence: str
    warns: bool
    better: float | None


def advice(delta: float, n_users: int, largest_count: int) -> Advice:
    """Assess δ for a number of users, which must be at least the largest count."""
    judged = _judged(delta, n_users, f"{n_users:,} users", "user's data", "anybody's data")
    too_few = (
        f"{n_users:,} users are too few: if each counts at most once for an item, the largest "
        f"count shows that there are at least {largest_count:,}."
        if n_users < largest_count
        else ""
    )
    if not judged.warns:
        return replace(judged, sentence=too_few or judged.sentence, warns=bool(too_few))
    return replace(judged, sentence=f"{judged.sentence} {too_few}".rstrip())


def advice_of_units(delta: float, total: int, one: str) -> Advice:
    """Assess δ where the guarantee protects one unit of the counts instead of a user."""
    judged = _judged(delta, total, f"a promise for one {one} of {total:,}", one, f"any {one}")
    sentence = f"{judged.sentence} The number of users does not matter: no user is protected."
    return replace(judged, sentence=sentence)


def _judged(delta: float, n: int, whom: str, each: str, anybody: str) -> Advice:
    most = 0.1 / max(n, 1)
    advised = min(max(n, 1) ** -1.5, most)
    written = rounded_up(advised, 2) if delta <= advised else rounded_down(advised, 2)
    limit = f"{'1/(10 n)' if advised == most else '1/n^1.5'} = {compact(written)}"
    judged = f"δ = {compact(delta)}"
    if delta <= advised:
        return Advice(f"{judged} fits {whom}: it is at most {limit}.", False, None)
    if delta <= most:
        sentence = (
            f"{judged} is rather too large for {whom}: take at most {limit}, so that {anybody} is "
            "almost never disclosed."
        )
    else:
        sentence = (
            f"{judged} is too large for {whom}: publishing each {each} with probability δ "
            f"satisfies such a guarantee, and discloses {rounded(delta * n, 2)} of them on "
            f"average. Take at most {limit}."
        )
    return Advice(sentence, True, _rounded_down(advised))


def _rounded_down(value: float) -> float:
    power = floor(log10(value))
    digit = floor(value / 10.0**power)
    return float(f"{digit}e{power}")
