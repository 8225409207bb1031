"""Draw and describe how a mechanism chooses items."""

from collections.abc import Sequence

import numpy as np

from dptopk import figures
from dptopk.mechanisms import Mechanism, NoisyOrder
from dptopk.mechanisms.pictures import Coins, Limits, NoisyCounts, Picture, Sizes, Threshold
from dptopk.questions.origin import Origin
from dptopk.questions.small_cases import SmallCase
from dptopk.questions.view import View
from dptopk.ui.formats import compact, joined, plural, probability
from dptopk.ui.show import Chart

_BY_ROUNDING = 1e-6  # differences of sums: less is not told from nothing
_SIZES_TOLD = 6  # to those who do not see the picture


def chart(
    picture: Picture,
    names: Sequence[str],
    mechanism: Mechanism,
    case: SmallCase | View,
    name: str,
    title: str,
    origin: Origin,
    height: int = 360,
) -> Chart:
    """Return the chart of the picture of a mechanism, for items of these names of a case."""
    style, unit, finding = mechanism.card.style, case.unit, described(picture, names)
    if isinstance(picture, Coins):
        drawn = figures.coins(names, picture, style, odds_of_coins(picture))
    elif isinstance(picture, NoisyCounts):
        down, up = mechanism.reach if isinstance(mechanism, NoisyOrder) else (0.0, 0.0)
        scale = mechanism.scale_on(case.counts.d)
        drawn = figures.noisy_counts(names, picture, style, unit, (down * scale, up * scale))
    elif isinstance(picture, Threshold):
        drawn = figures.threshold(picture, style, odds_of_test(picture))
    elif isinstance(picture, Sizes):
        drawn = figures.sizes(picture, style, odds_of_sizes(picture), unit)
    else:
        drawn = figures.limits(picture, style, odds_of_limits(picture), unit)
    return Chart(drawn, name, title, origin, height=height, finding=finding)


def caption(picture: Picture, view: View, place: int) -> str:
    """Describe a picture that begins at a place."""
    if isinstance(picture, Coins):
        before = f", after the true first {place - 1}" if place > 1 else ""
        return (
            f"Round {place}{before}: the coins of the largest remaining counts, and the "
            "probability that each is released among all that remain. Exact, at ε = "
            f"{compact(view.epsilon)}."
        )
    if isinstance(picture, NoisyCounts):
        first = f"From place {place} on, after the true first {place - 1}. " if place > 1 else ""
        return (
            f"{first}One draw of {picture.noise} noise for these items alone (seed {view.seed}; "
            "not that of Release): numbers are their ranks among these items by noisy count."
            + ("" if picture.threshold is None else " Items above the threshold ⊥ are released.")
        )
    if isinstance(picture, Limits):
        return (
            f"{picture.letter} is {picture.what}. Above: its exact probability. Below: how many "
            f"items lie at most {picture.letter} below the true count of the place."
            f"{_nobody(picture, view)}"
        )
    if isinstance(picture, Threshold):
        return (
            "The distance to instability, the number of users who can change before the top set "
            "does, is compared with the threshold after noise is added: the curve is the density "
            "of the noisy distance. Exact "
            f"probabilities, at ε = {compact(view.epsilon)} and δ = {compact(view.delta)}."
        )
    return (
        "Above: the gap after each size. Below: the probability that the size is drawn, and that "
        "its set then passes the test. Nothing is released (⊥): "
        f"{probability(picture.log_nothing)}. Exact, at ε = {compact(view.epsilon)} and δ = "
        f"{compact(view.delta)}."
    )


def odds_of_coins(coins: Coins) -> tuple[list[str], list[str]]:
    """Format the probabilities of heads and of being released."""
    with np.errstate(divide="ignore"):  # log 0 = -inf: heads for certain
        log_tails = np.log(-np.expm1(coins.log_heads))
    heads = zip(coins.log_heads.tolist(), log_tails.tolist(), strict=True)
    return [probability(*both) for both in heads], [*map(probability, coins.log_released.tolist())]


def odds_of_limits(limits: Limits) -> list[str]:
    """Format the probability of each range of limits; sums below 1e-6 are rounding."""
    return [
        "< 1e-6" if p < _BY_ROUNDING else probability(np.log(p))
        for p in limits.probabilities.tolist()
    ]


def odds_of_test(threshold: Threshold) -> tuple[str, str]:
    """Format the probabilities that a set is released and that nothing is."""
    released, withheld = threshold.log_released, threshold.log_withheld
    return probability(released, withheld), probability(withheld, released)


def odds_of_sizes(sizes: Sizes) -> tuple[list[str], list[str]]:
    """Format the probabilities that each size is drawn and that it is released."""
    drawn, released = sizes.log_chosen.tolist(), sizes.log_released.tolist()
    return [*map(probability, drawn)], [*map(probability, released)]


def _nobody(limits: Limits, view: View) -> str:
    """Return a sentence on the limit below which only the true top k is eligible."""
    top = view.counts.sorted.top(view.k + 1)
    least = int((top[:-1] - top[1:]).min(initial=2**53))
    if least < 2 or top.size == 1 or len(limits.places) == 1:
        return ""
    smallest = f"{limits.letter} = {least:,}, the smallest gap"
    return f" Below {smallest}, only the true top {view.k} is eligible."


def described(picture: Picture, names: Sequence[str]) -> str:
    """Describe the picture for screen readers."""
    if isinstance(picture, Coins):
        odds = zip(names, *odds_of_coins(picture), strict=True)
        each = [f"{name}: heads {heads}, released {out}" for name, heads, out in odds]
        return f"Probability of heads and of being released, exact. {'; '.join(each)}."
    if isinstance(picture, NoisyCounts):
        drawn = zip(names, picture.counts, picture.noisy, picture.places, strict=True)
        each = [f"{name}: {true:,}, {noisy:,.1f}, {place}" for name, true, noisy, place in drawn]
        end = "." if picture.threshold is None else f"; the threshold ⊥: {picture.threshold:,.1f}."
        return (
            f"True count, count with {picture.noise} noise, and place by it. {'; '.join(each)}{end}"
        )
    if isinstance(picture, Threshold):
        out, nothing = odds_of_test(picture)
        return (
            f"Distance to instability: {picture.distance:,}, to which noise is added; "
            f"threshold {picture.threshold:,.1f}. The set is released: {out}; nothing is released: "
            f"{nothing}."
        )
    if isinstance(picture, Sizes):
        chosen, released = odds_of_sizes(picture)
        sizes = np.argsort(-picture.log_chosen, kind="stable")[:_SIZES_TOLD]
        each = [
            f"{m + 1}: gap {picture.gaps[m]:,}, drawn {chosen[m]}, released {released[m]}"
            for m in sizes
        ]
        return f"Sizes by probability of being drawn, likeliest first. {'; '.join(each)}."
    if picture.median is None:  # limits beyond all that can be drawn: a tiny ε
        return f"{picture.letter} is {picture.what}. Its median is above {picture.stop[-1] - 1:,}."
    first, *others = picture.eligible[:, np.searchsorted(picture.limits, picture.median)].tolist()
    numbers = [plural(first, "eligible item"), *(f"{n:,}" for n in others)]
    let_in = [f"{n} at place {place}" for n, place in zip(numbers, picture.places, strict=True)]
    letter, verb = picture.letter, "is" if first == 1 else "are"
    return (
        f"{letter} is {picture.what}. Its median is {picture.median:,}. At {letter} = "
        f"{picture.median:,} there {verb} {joined(let_in)}."
    )
