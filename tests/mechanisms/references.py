"""Reference distribution and known properties of each mechanism, one entry each.

A mechanism that is registered without an entry here fails the conformance tests.
"""

from collections.abc import Callable
from dataclasses import dataclass

from dptopk_toys import ToyCounts
from slow_domain import noisy_domain, thresholded
from slow_laws import (
    SlowPmf,
    adaptive,
    cdp_rate,
    deviation_of_count,
    exponential_over,
    flipping_over,
    gaussian_cdf,
    laplace_cdf,
    log_softmax,
    loss_of_count,
    peeling,
    permute_and_flip,
    spread,
    stable,
    unknown_domain,
    unknown_domain_with_counts,
    users_short,
    worst_of_best_order,
    worst_place,
)
from slow_noise import laplace_order, laplace_scale
from slow_radius import radius_order, radius_scale

from dptopk import (
    AdaptiveK,
    CDPPeel,
    EMPeel,
    Gamma,
    InverseSensitivitySet,
    Joint,
    JointSet,
    Laplace,
    LimitedDomain,
    LimitedDomainLaplace,
    OneShotCounts,
    PNFInverseSensitivitySet,
    PNFJoint,
    PNFPeel,
    PrivateCountRelease,
    StableSet,
    ThresholdedLaplace,
)


@dataclass(frozen=True)
class Reference:
    """What the conformance tests know of a mechanism beyond what it says itself.

    Parameters
    ----------
    log_pmf : callable
        (mechanism, counts, outputs) -> log probabilities: slow, plain and independent.
    settings : tuple of dict
        Values of its own parameters to test it at.
    blind : dict or None
        Values at which no epsilon means a uniform output; None if there are none.
    ignores_shift : bool
        Whether a constant added to all counts changes nothing.
    spends : float
        Share of epsilon (of delta, where it has one) that some small data use up at least.
    spends_at : tuple
        (k, epsilon, own parameters) at which they do.
    noise_cdf : callable, optional
        (mechanism, noise) -> distribution function of the noise on released counts, where it is
        fresh: not that which chose the items.
    telling : tuple of float
        Five counts, in scales of the mechanism, between which its outputs vary.
    n_told : int
        How many different pairs of items come out of these, at least.
    fills : bool
        Whether a large enough budget always gives k items.
    grows : bool
        Whether its noise grows in proportion to the number of items.
    n_levels : int
        Different counts up to which probabilities of right releases are given.
    k_of_sets : int
        Largest k up to which the probability of the right set is given where no counts are tied.
    """

    log_pmf: SlowPmf
    settings: tuple[dict, ...] = ({},)
    blind: dict | None = None
    ignores_shift: bool = True
    spends: float = 0.6
    spends_at: tuple[int, float, dict] = (3, 1.0, {})
    noise_cdf: Callable | None = None
    telling: tuple[float, ...] = (9, 0, 7.5, 6, 0)
    n_told: int = 5
    fills: bool = True
    grows: bool = False
    n_levels: int = 10**9
    k_of_sets: int = 10**9


REFERENCES: dict[str, Reference] = {
    Joint.card.key: Reference(exponential_over(worst_place), blind={}),
    PNFJoint.card.key: Reference(flipping_over(worst_place), blind={}),
    PNFPeel.card.key: Reference(
        peeling(lambda m: m.epsilon / (m.k * spread(m)), permute_and_flip),
        blind={},
        spends=0.9,
        k_of_sets=13,
    ),
    CDPPeel.card.key: Reference(
        peeling(cdp_rate, log_softmax),
        settings=({"delta": 1e-3}, {"delta": 1e-2, "calibration": "optimal"}, {"delta": 0.0}),
        blind={"delta": 0.0},  # delta alone buys information
        spends=0.9,
        spends_at=(2, 0.1, {"delta": 1e-2, "calibration": "optimal"}),
    ),
    InverseSensitivitySet.card.key: Reference(
        exponential_over(users_short), blind={}, telling=(3, 0, 2.5, 2, 0)
    ),
    PNFInverseSensitivitySet.card.key: Reference(
        flipping_over(users_short), blind={}, telling=(3, 0, 2.5, 2, 0)
    ),
    JointSet.card.key: Reference(
        exponential_over(worst_of_best_order), blind={}, telling=(5, 0, 4, 3, 0)
    ),
    StableSet.card.key: Reference(
        stable,
        settings=({"delta": 1e-2}, {"delta": 0.1}),
        spends=0.99,
        spends_at=(2, 1.0, {"delta": 1e-2}),
        telling=(9, 0, 6, 3, 0),
        n_told=2,
    ),
    AdaptiveK.card.key: Reference(
        adaptive,
        settings=({"delta": 1e-2}, {"delta": 0.2}),
        spends=0.3,
        spends_at=(2, 1.0, {"delta": 1e-2}),
        telling=(9, 0, 6, 3, 0),
        n_told=3,
        fills=False,
    ),
    EMPeel.card.key: Reference(
        peeling(lambda m: m.epsilon / (m.k * spread(m)), log_softmax),
        blind={},
        spends=0.95,
        spends_at=(1, 1.0, {}),  # rounds can hardly all be at their worst
    ),
    Laplace.card.key: Reference(
        laplace_order(laplace_scale),
        settings=({"max_items": 2},),  # fewer than k from k = 3 on
        blind={"max_items": 2},
        spends=0.9,
        spends_at=(1, 1.0, {"max_items": None}),
    ),
    Gamma.card.key: Reference(
        radius_order(radius_scale),
        settings=({"calibration": "optimal"},),  # the paper's is the same at another epsilon
        blind={},
        spends=0.6,
        spends_at=(1, 1.0, {"calibration": "optimal"}),
        grows=True,
        n_levels=100,
    ),
    LimitedDomain.card.key: Reference(
        unknown_domain,
        settings=({"delta": 1e-2}, {"delta": 0.1, "k_bar": 2}, {"delta": 0.1, "max_items": 1}),
        ignores_shift=False,  # items without users are as good as absent
        spends=0.45,  # the half of delta for strangers
        spends_at=(1, 1.0, {"delta": 1e-3, "k_bar": 1}),
    ),
    LimitedDomainLaplace.card.key: Reference(
        noisy_domain,
        settings=({"delta": 1e-2, "max_items": 1}, {"delta": 0.1, "max_items": 2, "k_bar": 3}),
        ignores_shift=False,  # items without users are as good as absent
        spends=0.4,  # a share of delta for strangers on either side
        spends_at=(1, 0.1, {"delta": 1e-3, "max_items": 1, "k_bar": 1}),
    ),
    ThresholdedLaplace.card.key: Reference(
        thresholded,
        settings=({"delta": 1e-2}, {"delta": 0.02, "max_items": 2}),
        ignores_shift=False,  # its threshold is fixed
        spends=0.99,
        spends_at=(1, 1.0, {"delta": 1e-2, "max_items": None}),
        telling=(6, 0, 5, 4, 0),
    ),
    PrivateCountRelease.card.key: Reference(
        unknown_domain_with_counts,
        settings=({"delta": 1e-2}, {"delta": 0.1, "k_bar": 2}, {"delta": 0.1, "max_items": 1}),
        ignores_shift=False,  # items without users are as good as absent
        spends=0.45,  # the half of delta for strangers
        spends_at=(1, 1.0, {"delta": 1e-3, "k_bar": 1}),
        noise_cdf=gaussian_cdf(deviation_of_count),
    ),
    OneShotCounts.card.key: Reference(
        peeling(lambda m: 2 * loss_of_count(m) / spread(m), log_softmax),
        settings=({"delta": 1e-3}, {"delta": 0.0}),
        blind={},
        spends=0.6,  # the rest of epsilon is for the counts
        spends_at=(1, 1.0, {"delta": 0.0}),
        noise_cdf=laplace_cdf(lambda m: 1 / loss_of_count(m)),
    ),
    ToyCounts.card.key: Reference(
        peeling(lambda m: m.epsilon / (2 * m.k * spread(m)), log_softmax),
        blind={},
        spends=0.45,  # half of epsilon is for the counts
        spends_at=(1, 1.0, {}),
        noise_cdf=laplace_cdf(lambda m: 2 * m.k / m.epsilon),
    ),
}
"""By the card's key."""
