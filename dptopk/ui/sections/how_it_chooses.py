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
    shown: Picture,
    names: Sequence[str],
    mechanism: Mechanism,
    case: SmallCase | View,
    name: str,
    title: str,
    origin: Origin,
    height: int = 360,
) -> Chart:
    """Return the chart of the picture of a mechanism, for items of these names of a case."""
    style, unit, finding = mechanism.card.style, case.unit, described(shown, names)
    if isinstance(shown, Coins):
        drawn = figures.coins(names, shown, style, odds_of_coins(shown))
    elif isinstance(shown, NoisyCounts):
        down, up = mechanism.reach if isinstance(mechanism, NoisyOrder) else (0.0, 0.0)
        scale = mechanism.scale_on(case.counts.d)
        drawn = figures.noisy_counts(names, shown, style, unit, (down * scale, up * scale))
    elif isinstance(shown, Threshold):
        drawn = figures.threshold(shown, style, odds_of_test(shown))
    elif isinstance(shown, Sizes):
        drawn = figures.sizes(shown, style, odds_of_sizes(shown), unit)
    else:
        drawn = figures.limits(shown, style, odds_of_limits(shown), unit)
    return Chart(drawn, name, title, origin, height=height, finding=finding)


def caption(shown: Picture, view: View, place: int) -> str:
    """Describe a picture that begins at a place."""
    if isinstance(shown, Coins):
        before = f", after the true first {place - 1}" if place > 1 else ""
        return (
            f"Round {place}{before}: the coins of the largest remaining counts, and the "
            "probability that each is released among all that remain. Exact, at ε = "
            f"{compact(view.epsilon)}."
        )
    if isinstance(shown, NoisyCounts):
        first = f"From place {place} on, after the true first {place - 1}. " if place > 1 else ""
        return (
            f"{first}One draw of {shown.noise} noise for these items alone (seed {view.seed}; not "
            "that of Release): numbers are their ranks among these items by noisy count."
            + ("" if shown.threshold is None else " Items above the threshold ⊥ are released.")
        )
    if isinstance(shown, Limits):
        return (
            f"{shown.letter} is {shown.what}. Above: its exact probability. Below: how many "
            f"items lie at most {shown.letter} below the true count of the place."
            f"{_nobody(shown, view)}"
        )
    if isinstance(shown, Threshold):
        return (
            "The distance to instability, the number of users who can change before the top set "
            "does, is compared with the threshold after noise is added: the curve is the density "
            "of the noisy distance. Exact "
            f"probabilities, at ε = {compact(view.epsilon)} and δ = {compact(view.delta)}."
        )
    return (
        "Above: the gap after each size. Below: the probability that the size is drawn, and that "
        "its set then passes the test. Nothing is released (⊥): "
        f"{probability(shown.log_nothing)}. Exact, at ε = {compact(view.epsilon)} and δ = "
        f"{compact(view.delta)}."
    )


def odds_of_coins(shown: Coins) -> tuple[list[str], list[str]]:
    """Format the probabilities of heads and of being released."""
    with np.errstate(divide="ignore"):  # log 0 = -inf: heads for certain
        log_tails = np.log(-np.expm1(shown.log_heads))
    heads = zip(shown.log_heads.tolist(), log_tails.tolist(), strict=True)
    return [probability(*both) for both in heads], [*map(probability, shown.log_released.tolist())]


def odds_of_limits(shown: Limits) -> list[str]:
    """Format the probability of each range of limits; sums below 1e-6 are rounding."""
    return [
        "< 1e-6" if p < _BY_ROUNDING else probability(np.log(p))
        for p in shown.probabilities.tolist()
    ]


def odds_of_test(shown: Threshold) -> tuple[str, str]:
    """Format the probabilities that a set is released and that nothing is."""
    released, withheld = shown.log_released, shown.log_withheld
    return probability(released, withheld), probability(withheld, released)


def odds_of_sizes(shown: Sizes) -> tuple[list[str], list[str]]:
    """Format the probabilities that each size is drawn and that it is released."""
    drawn, released = shown.log_chosen.tolist(), shown.log_released.tolist()
    return [*map(probability, drawn)], [*map(probability, released)]


def _nobody(shown: Limits, view: View) -> str:
    """Return a sentence on the limit below which only the true top k is eligible."""
    top = view.counts.sorted.top(view.k + 1)
    least = int((top[:-1] - top[1:]).min(initial=2**53))
    if least < 2 or top.size == 1 or len(shown.places) == 1:
        return ""
    smallest = f"{shown.letter} = {least:,}, the smallest gap"
    return f" Below {smallest}, only the true top {view.k} is eligible."


def described(shown: Picture, names: Sequence[str]) -> str:
    """Describe the picture for screen readers."""
    if isinstance(shown, Coins):
        odds = zip(names, *odds_of_coins(shown), strict=True)
        each = [f"{name}: heads {heads}, released {out}" for name, heads, out in odds]
        return f"Probability of heads and of being released, exact. {'; '.join(each)}."
    if isinstance(shown, NoisyCounts):
        drawn = zip(names, shown.counts, shown.noisy, shown.places, strict=True)
        each = [f"{name}: {true:,}, {noisy:,.1f}, {place}" for name, true, noisy, place in drawn]
        end = "." if shown.threshold is None else f"; the threshold ⊥: {shown.threshold:,.1f}."
        return (
            f"True count, count with {shown.noise} noise, and place by it. {'; '.join(each)}{end}"
        )
    if isinstance(shown, Threshold):
        out, nothing = odds_of_test(shown)
        return (
            f"Distance to instability: {shown.distance:,}, to which noise is added; "
            f"threshold {shown.threshold:,.1f}. The set is released: {out}; nothing is released: "
            f"{nothing}."
        )
    if isinstance(shown, Sizes):
        chosen, released = odds_of_sizes(shown)
        sizes = np.argsort(-shown.log_chosen, kind="stable")[:_SIZES_TOLD]
        each = [
            f"{m + 1}: gap {shown.gaps[m]:,}, drawn {chosen[m]}, released {released[m]}"
            for m in sizes
        ]
        return f"Sizes by probability of being drawn, likeliest first. {'; '.join(each)}."
    if shown.median is None:  # limits beyond all that can be drawn: a tiny ε
        return f"{shown.letter} is {shown.what}. Its median is above {shown.stop[-1] - 1:,}."
    first, *others = shown.eligible[:, np.searchsorted(shown.limits, shown.median)].tolist()
    numbers = [plural(first, "eligible item"), *(f"{n:,}" for n in others)]
    let_in = [f"{n} at place {place}" for n, place in zip(numbers, shown.places, strict=True)]
    return (
        f"{shown.letter} is {shown.what}. Its median is {shown.median:,}. At {shown.letter} = "
        f"{shown.median:,} there {'is' if first == 1 else 'are'} {joined(let_in)}."
    )
