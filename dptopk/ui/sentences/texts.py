"""Sentences used on more than one page."""

import math
from collections.abc import Sequence

from dptopk.core.errors import Metric
from dptopk.core.outputs import OutputKind
from dptopk.core.privacy import (
    Guarantee,
    NeighborRelation,
    guess_by_delta,
    log_belief,
    log_wrong_guess,
)
from dptopk.data.sources import Source
from dptopk.ui.formats import at_most, compact, plural, rounded_up, stated

EXPLORATION = (
    "The samplers of these pages use ordinary floating-point random numbers: they are meant for "
    "exploration and teaching, and are not hardened for real releases. With a known seed, a "
    "release is a deterministic function of the data and is not private. Real releases are made "
    "by the command `dptopk publish`: see the page Publish."
)

POOR = (
    "the best gets fewer items right than halfway between k and a guess, which gets k²/d of d "
    "items on average, and more where others tie with the last."
)

UNPROTECTED = "practically no protection"

_LITTLE = 10.0  # an ε above it lets even odds become more than 99.99 %
_MUCH = 1e-3  # a δ above it is said to be worth no promise
_SURE = math.log(1e-6)  # who errs with a smaller probability is said to be all but sure
_NO_LESS = 1e-300  # bounds are told down to it: below, floats lose their digits

FIT_WORDS = (
    "Pearson's χ² test of the draws against the exact probabilities; outputs expected fewer than "
    "five times are pooled. A p-value near 0 is evidence against the sampler; a correct sampler "
    "gives one below 0.001 about once in a thousand tests."
)


def kind_of(guarantee: Guarantee) -> str:
    """Format a guarantee with its parameters."""
    numbers = stated(guarantee.epsilon)
    if guarantee.delta:
        numbers = f"({numbers}, {stated(guarantee.delta)})"
    words = f"{numbers}-differentially private"
    if guarantee.max_items is None:
        return words
    return f"{words} for users of at most {plural(guarantee.max_items, 'item')}"


def brackets(n: int) -> str:
    """Explain the brackets beside a simulated number."""
    return (
        f"Brackets are 95% confidence intervals of numbers simulated with {plural(n, 'run')}. "
        "Numbers marked exact are computed, not simulated."
    )


def nothing_chosen(k: int, d: int) -> list[str]:
    """Return a sentence for k equal to the number of items, where no choice is left."""
    if k < d:
        return []
    return [
        f"There are {plural(d, 'item')} and k = {k:,}: every release contains all items, and "
        "only their order, if any, is chosen."
    ]


def kinds_note(kinds: Sequence[OutputKind]) -> str:
    """Explain how outputs of different kinds are compared, if there are several."""
    words = ""
    if any(not kind.ordered for kind in kinds):
        words += " Sets are compared by their sorted counts, so they have no errors of order."
    if any(kind.short for kind in kinds):
        words += " A place without an item (⊥) counts as an item with count 0."
    return words


def ranked(metric: Metric) -> str:
    """Explain whether sequences and sets are ranked together by a metric."""
    if metric.is_place:
        return "A position is not a measure of quality, so mechanisms are not ranked by it."
    if metric.sees_order:
        return "Sequences and sets are ranked separately, since a set has no errors of order."
    return "It does not depend on the order, so sequences and sets are ranked together."


def posterior(loss: float) -> str:
    """Format the largest posterior of a 50 % prior after an outcome of this privacy loss."""
    if math.isinf(loss):
        return "certain"
    return at_most(log_belief(loss), log_belief(-loss))


def right_guess(epsilon: float, delta: float) -> str:
    """Format the largest probability of a correct guess from a 50 % prior, rounded up.

    It is the largest posterior where δ is 0.  Where δ is above 0 posteriors have no such bound:
    the loss of an outcome may exceed ε with a probability of many times δ.
    """
    wrong = log_wrong_guess(epsilon, delta)
    return at_most(math.log1p(-math.exp(wrong)), wrong)


def _at_most_right(epsilon: float, delta: float) -> str:
    """Format `right_guess` as a bound; a large one is shortened, as its digits mean nothing."""
    if worth_a_promise(epsilon):
        return f"at most {right_guess(epsilon, delta)}"
    if log_wrong_guess(epsilon, delta) < _SURE:
        return "> 99.9999%"
    return f"up to {right_guess(epsilon, delta)}"


def worth_a_promise(epsilon: float) -> bool:
    """Return True if ε is small enough to protect: at most 10."""
    return epsilon <= _LITTLE


def odds_at_most(epsilon: float, delta: float, source: Source) -> str:
    """Return a clause on what a 50 % prior becomes, or that nothing is protected.

    It is empty on data on which no guarantee holds as stated.
    """
    if source.repeats:
        return ""
    if not worth_a_promise(epsilon):
        return UNPROTECTED
    on = f"a 50% prior on one {source.protects}" if source.protects else "a 50% prior"
    if delta:
        return f"right guess from {on}: {_at_most_right(epsilon, delta)}"
    return f"{on} rises to {_at_most_right(epsilon, 0.0)}"


def odds(guarantee: Guarantee, one: str = "") -> str:
    """Return a sentence bounding what a release tells of one person's presence.

    ``one`` is what is protected where that is no user; see `View.protects`.
    """
    epsilon, delta = guarantee.epsilon, guarantee.delta
    right, protects = _at_most_right(epsilon, delta), worth_a_promise(epsilon)
    event = f"that one {one or 'person'} is in the data"
    if guarantee.neighbors is not NeighborRelation.ADD_REMOVE:
        event = "about which of two persons is in the data"
        event = f"about whether one {one} or another is in the data" if one else event
    if delta:
        guess = f"a guess {event.replace('that one', 'whether one')}"
        more = compact(rounded_up(max(guess_by_delta(epsilon, delta), _NO_LESS)))
        is_right = f"{'is' if protects else 'may be'} right with probability {right}"
        words = f"From a 50% prior, {guess} {is_right}, of which δ adds at most {more}"
        words += "; a single outcome may reveal more" * protects
    else:
        rises = "can rise" if protects else "may rise"
        words = f"From a 50% prior, belief {event} {rises} to {right}"
    words += "." if protects else f": {UNPROTECTED}."
    if delta > _MUCH:
        words += (
            f" But a mechanism that publishes all data with probability {compact(delta)} also "
            "satisfies this δ."
        )
    return words


def describe_metric(metric: Metric) -> str:
    """Define a metric in one sentence."""
    if metric.more_is_better:
        return f"{metric.title[0].upper()}{metric.title[1:]}: {metric.meaning}."
    return f"The {metric.title} is {metric.meaning}."
