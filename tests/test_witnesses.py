"""Laws, guarantees and accounting against code that nobody here wrote.

OpenDP draws the same laws and maps noise to privacy, dp_accounting (Google) composes and
converts, SciPy supplies the noises.  The scale of OpenDP's noise is asked from OpenDP itself, for
the budget that our mechanism promises: a convention shared by both sides cannot hide here.
OpenDP cannot be seeded, so its draws are judged at `UNSEEDED_ALPHA`.
"""

import functools
import itertools
import math
from dataclasses import dataclass, replace

import dp_accounting
import numpy as np
import opendp.prelude as dp
import pytest
from dp_accounting.pld import common
from dp_accounting.pld import privacy_loss_distribution as google_pld
from dp_accounting.rdp import rdp_privacy_accountant as google_rdp
from scipy import integrate, optimize, stats

from dptopk import (
    CDPPeel,
    ItemCounts,
    Joint,
    NeighborRelation,
    PNFJoint,
    PNFPeel,
    goodness_of_fit,
    neighboring_counts,
    output_distribution,
    privacy_profile,
)
from dptopk.accounting import local_epsilon, spent_delta, spent_epsilon
from dptopk.mechanisms import SequenceMechanism
from dptopk.mechanisms.pitfalls import MisscaledCDPPeel

dp.enable_features("contrib")

JOINS, SWAP = NeighborRelation.ADD_REMOVE, NeighborRelation.SWAP
UNSEEDED_ALPHA = 1e-9  # nominal chance that one test of OpenDP's draws fails
N_UNSEEDED = 20_000  # a scale wrong by 20 % is then missed less than once in 10^15 times
N_SEEDED = 200_000


# --- OpenDP: the same mechanisms, calibrated by OpenDP's own privacy maps -------------------------


@dataclass(frozen=True)
class Case:
    """A mechanism on data so small that all outputs are drawn often."""

    mechanism: SequenceMechanism
    counts: tuple[int, ...]

    @property
    def data(self) -> ItemCounts:
        return ItemCounts(self.counts)

    @property
    def concentrated(self) -> bool:
        """Whether OpenDP draws this law under zero-concentrated privacy: Gumbel noise."""
        return isinstance(self.mechanism, CDPPeel | Joint)

    @property
    def over_sequences(self) -> bool:
        """Whether one winner among all sequences is drawn, and not k items."""
        return isinstance(self.mechanism, Joint | PNFJoint)

    @property
    def sensitivity(self) -> int:
        """The most that a score moves; a sequence's loss moves by 2 under swap."""
        return 2 if self.over_sequences and self.mechanism.neighbors is SWAP else 1

    @property
    def budget(self) -> float:
        """What the mechanism promises, in OpenDP's measure: epsilon, or rho."""
        if not self.concentrated:
            return self.mechanism.epsilon
        if self.over_sequences:  # one exponential mechanism, epsilon-DP: Cesar, Rogers (2021)
            return self.mechanism.epsilon**2 / 8
        tail = -math.log(self.mechanism.delta)  # rho + 2 sqrt(rho ln(1/delta)) = epsilon
        return (math.sqrt(tail + self.mechanism.epsilon) - math.sqrt(tail)) ** 2

    @property
    def rate(self) -> float:
        """Our noise: one over its scale."""
        name = "local_epsilon" if isinstance(self.mechanism, CDPPeel) else "rate"
        return getattr(self.mechanism, name)

    @functools.cached_property
    def sequences(self) -> np.ndarray:
        return np.array(list(itertools.permutations(range(len(self.counts)), self.mechanism.k)))

    def scores(self) -> list[int]:
        """What OpenDP gets: the counts, or the loss of every sequence."""
        if not self.over_sequences:
            return list(self.counts)
        counts = np.array(self.counts)
        best = np.sort(counts)[::-1][: self.mechanism.k]
        return (best - counts[self.sequences]).max(axis=1).tolist()

    def measurement(self, scale: float):
        monotonic = self.mechanism.neighbors is JOINS and not self.over_sequences
        space = (
            dp.vector_domain(dp.atom_domain(T="i64")),
            dp.linf_distance(T="i64", monotonic=monotonic),
            dp.zero_concentrated_divergence() if self.concentrated else dp.max_divergence(),
        )
        if self.over_sequences:
            return dp.m.make_noisy_max(*space, scale=scale, negate=True)
        if self.mechanism.k == 1:
            return dp.m.make_noisy_max(*space, scale=scale)
        return dp.m.make_noisy_top_k(*space, k=self.mechanism.k, scale=scale)

    def mapped(self, scale: float) -> float:
        """Privacy that OpenDP promises for a scale."""
        return self.measurement(scale).map(self.sensitivity)

    def __str__(self) -> str:
        mechanism = self.mechanism
        return f"{mechanism.name}-{mechanism.k}-of-{len(self.counts)}-{mechanism.neighbors.value}"


CASES = [
    Case(PNFPeel(1, 1.0), (7, 6, 5, 3, 3)),
    Case(PNFPeel(3, 3.0), (6, 5, 4, 4, 3)),
    Case(PNFPeel(2, 4.0, SWAP), (6, 5, 3, 3)),
    Case(CDPPeel(1, 1.2, 0.3), (7, 6, 5, 3, 3)),
    Case(CDPPeel(3, 3.0, 0.03), (6, 5, 4, 4, 3)),
    Case(CDPPeel(2, 3.0, 0.1, SWAP), (6, 5, 3, 3)),
    Case(Joint(2, 1.5), (8, 5, 2, 2)),
    Case(Joint(2, 3.0, SWAP), (2, 8, 2, 5)),
    Case(PNFJoint(2, 1.5), (8, 5, 2, 2)),
    Case(PNFJoint(2, 3.0, SWAP), (2, 8, 2, 5)),
]
over_cases = pytest.mark.parametrize("case", CASES, ids=str)


@functools.cache
def opendp_scale(case: Case) -> float:
    """Least scale at which OpenDP promises the case's budget."""
    return dp.binary_search_param(
        case.measurement, d_in=case.sensitivity, d_out=case.budget, T=float
    )


@functools.cache
def opendp_draws(case: Case) -> np.ndarray:
    release, scores = case.measurement(opendp_scale(case)), case.scores()
    drawn = np.array([release(scores) for _ in range(N_UNSEEDED)])
    if case.over_sequences:
        return case.sequences[drawn]
    return drawn.reshape(N_UNSEEDED, case.mechanism.k)


def misscaled(mechanism: SequenceMechanism, factor: float) -> SequenceMechanism:
    """The same mechanism with the scale of its noise multiplied."""
    if isinstance(mechanism, CDPPeel):
        return MisscaledCDPPeel(
            mechanism.k,
            mechanism.epsilon,
            mechanism.delta,
            mechanism.neighbors,
            mechanism.calibration,
            factor=1 / factor,
        )
    return replace(mechanism, epsilon=mechanism.epsilon / factor)


def homogeneity(d: int, one: np.ndarray, other: np.ndarray) -> float:
    """P-value of the two-sample chi-squared test; cells expecting under 20 are pooled."""
    codes = np.concatenate([one, other]) @ d ** np.arange(one.shape[1])
    cells = np.unique(codes, return_inverse=True)[1]
    table = np.zeros((2, cells.max() + 1))
    np.add.at(table, (np.repeat([0, 1], [len(one), len(other)]), cells), 1)
    rare = table.sum(axis=0) * min(len(one), len(other)) < 20 * len(codes)
    table = np.column_stack([table[:, ~rare], table[:, rare].sum(axis=1)])
    return stats.chi2_contingency(table[:, table.any(axis=0)], correction=False).pvalue


@over_cases
def test_opendp_maps_our_noise_to_what_we_promise(case):
    assert case.mapped(1 / case.rate) == pytest.approx(case.budget, rel=1e-12)
    assert opendp_scale(case) == pytest.approx(1 / case.rate, rel=1e-12)


@over_cases
def test_opendp_draws_our_law(case):
    law = output_distribution(case.mechanism, case.data)
    assert goodness_of_fit(law, opendp_draws(case)).p_value > UNSEEDED_ALPHA


@over_cases
@pytest.mark.parametrize("factor", [0.5, 0.8, 1.2])  # 0.5: a forgotten factor 2
def test_opendp_draws_refuse_a_wrong_scale(case, factor):
    law = output_distribution(misscaled(case.mechanism, factor), case.data)
    assert goodness_of_fit(law, opendp_draws(case)).p_value < UNSEEDED_ALPHA


@over_cases
def test_opendp_and_we_draw_alike(case, rng):
    ours = case.mechanism.sample(case.data, N_SEEDED, rng)
    assert homogeneity(len(case.counts), ours, opendp_draws(case)) > UNSEEDED_ALPHA


@over_cases
@pytest.mark.parametrize("factor", [0.8, 1.2])
def test_opendp_and_a_wrong_scale_draw_differently(case, factor, rng):
    wrong = misscaled(case.mechanism, factor).sample(case.data, N_SEEDED, rng)
    assert homogeneity(len(case.counts), wrong, opendp_draws(case)) < UNSEEDED_ALPHA


def test_opendp_tells_peeling_mechanisms_apart():
    """Permute-and-flip and the exponential mechanism of the same rate are different laws."""
    flipped = Case(PNFPeel(3, 3.0), (6, 5, 4, 4, 3))
    raced = CDPPeel(3, 3.0, 0.0)  # without delta the same rate, epsilon / k
    assert raced.local_epsilon == flipped.rate
    law = output_distribution(raced, flipped.data)
    assert goodness_of_fit(law, opendp_draws(flipped)).p_value < UNSEEDED_ALPHA


@pytest.mark.parametrize("neighbors", NeighborRelation)
@pytest.mark.parametrize(("eta", "k"), [(0.03, 200), (0.1, 50), (0.3, 10), (1.0, 5), (2.0, 1)])
@pytest.mark.parametrize("delta", [1e-9, 1e-6, 0.01, 0.2])
def test_paper_spends_what_opendp_charges(neighbors, eta, k, delta):
    """k rounds of range eta are charged k eta^2 / 8; Bun, Steinke (2016), Prop. 1.3, converts."""
    scale = 1 / eta if neighbors is JOINS else 2 / eta
    top_k = dp.m.make_noisy_top_k(
        dp.vector_domain(dp.atom_domain(T="i64")),
        dp.linf_distance(T="i64", monotonic=neighbors is JOINS),
        dp.zero_concentrated_divergence(),
        k=k,
        scale=scale,
    )
    rho = top_k.map(1)
    assert rho == pytest.approx(k * eta**2 / 8, rel=1e-12)
    expected = min(rho + 2 * math.sqrt(-rho * math.log(delta)), k * eta)
    assert spent_epsilon(eta, k, delta, "paper") == pytest.approx(expected, rel=1e-12)


# --- conversions: OpenDP's and Google's ----------------------------------------------------------


def two_point_round(eta: float, t):
    """Chances of the losses t and t - eta in the worst round (Dong, Durfee, Rogers 2020)."""
    top = np.expm1(t - eta) / np.expm1(-eta)
    return top, 1 - top


def largest(function, eta: float) -> float:
    """Largest value of a smooth function with one peak on [0, eta]."""
    found = optimize.minimize_scalar(
        lambda t: -function(t), bounds=(0, eta), method="bounded", options={"xatol": 1e-9 * eta}
    )
    return -found.fun


def log_moment(eta: float, t: float, a: float) -> float:
    """Natural log of E e^(a L) of the two-point round."""
    return float(np.logaddexp(*np.log(two_point_round(eta, t)) + a * np.array([t, t - eta])))


def worst_rho(eta: float, k: int) -> float:
    """k times the largest KL divergence of a round."""
    return k * largest(lambda t: np.dot(two_point_round(eta, t), [t, t - eta]), eta)


ORDERS = 1 + np.geomspace(0.02, 1e4, 3000)  # dp_accounting minimizes over those it is given
ROUNDS = [(0.05, 200, 1.5), (0.1, 50, 1.0), (0.2, 10, 0.7), (0.5, 5, 0.8), (1.0, 8, 4.0)]
over_rounds = pytest.mark.parametrize(("eta", "k", "epsilon"), ROUNDS)


@over_rounds
def test_cks_converts_as_google_does(eta, k, epsilon):
    accountant = google_rdp.RdpAccountant(orders=ORDERS)
    accountant.compose(dp_accounting.ZCDpEvent(rho=worst_rho(eta, k)))
    delta = spent_delta(eta, k, epsilon, "cks")
    assert delta == pytest.approx(accountant.get_delta(epsilon), rel=1e-4)
    assert accountant.get_epsilon(delta) == pytest.approx(epsilon, rel=1e-5)


@over_rounds
def test_cks_converts_as_opendp_does(eta, k, epsilon):
    case = Case(Joint(1, 1.0), (1, 0))  # any zCDP measurement; a sensitivity of 1 costs (2/s)^2 / 8
    scale = 1 / math.sqrt(2 * worst_rho(eta, k))
    profile = dp.c.make_zCDP_to_approxDP(case.measurement(scale)).map(1)
    delta = spent_delta(eta, k, epsilon, "cks")
    assert delta == pytest.approx(profile.delta(epsilon), rel=1e-6)
    assert spent_epsilon(eta, k, delta, "cks") == pytest.approx(profile.epsilon(delta), rel=1e-6)


@over_rounds
def test_renyi_converts_as_google_does(eta, k, epsilon):
    orders = 1 + np.geomspace(0.5, 200, 300)
    divergences = [k * largest(lambda t, a=a: log_moment(eta, t, a), eta) / a for a in orders - 1]
    delta, _ = google_rdp.compute_delta(orders, divergences, epsilon)
    assert spent_delta(eta, k, epsilon, "renyi") == pytest.approx(delta, rel=1e-3)


@over_rounds
def test_conversions_notice_a_range_off_by_a_tenth(eta, k, epsilon):
    accountant = google_rdp.RdpAccountant(orders=ORDERS)
    accountant.compose(dp_accounting.ZCDpEvent(rho=worst_rho(eta, k)))
    google = accountant.get_delta(epsilon)
    assert 1.2 * spent_delta(0.9 * eta, k, epsilon, "cks") < google
    assert spent_delta(1.1 * eta, k, epsilon, "cks") > 1.2 * google


# --- Google's privacy loss distributions ---------------------------------------------------------


def google_round(eta: float, steps: int, i: int) -> google_pld.PrivacyLossDistribution:
    """The two-point round with t = i eta / steps, exact: both losses are on the grid."""
    top, rest = two_point_round(eta, i * eta / steps)
    return google_pld.PrivacyLossDistribution.create_from_rounded_probability(
        {i: top, i - steps: rest}, infinity_mass=0.0, value_discretization_interval=eta / steps
    )


@functools.cache
def google_nonadaptive_delta(eta: float, k: int, epsilon: float, steps: int = 60) -> float:
    """Delta of k worst rounds that all have the same t: no proof can be below it."""
    return max(
        google_round(eta, steps, i).self_compose(k, 0.0).get_delta_for_epsilon(epsilon)
        for i in range(1, steps)
    )


@over_rounds
def test_proofs_lie_between_the_nonadaptive_limit_and_cks(eta, k, epsilon):
    limit = google_nonadaptive_delta(eta, k, epsilon)
    optimal, renyi, cks = (spent_delta(eta, k, epsilon, m) for m in ("optimal", "renyi", "cks"))
    assert limit <= optimal <= renyi <= cks
    assert optimal < 1.1 * limit
    assert renyi < 5 * limit


@over_rounds
def test_the_nonadaptive_limit_catches_a_range_off_by_a_twentieth(eta, k, epsilon):
    assert spent_delta(0.95 * eta, k, epsilon, "optimal") < google_nonadaptive_delta(
        eta, k, epsilon
    )


@pytest.mark.parametrize("eta", [0.01, 0.3, 2.0, 8.0])
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_one_round_is_googles(eta, share):
    """For one round the worst t is (epsilon + eta) / 2; 1e-7 is what ours rounds up by."""
    steps = 20
    i = round(steps * (1 + share) / 2)
    round_ = google_round(eta, steps, i)
    expected = round_.get_delta_for_epsilon((2 * i - steps) * eta / steps)
    ours = spent_delta(eta, 1, (2 * i - steps) * eta / steps, "optimal")
    assert ours == pytest.approx(expected, rel=2e-7)


@over_rounds
def test_mixed_rounds_stay_below_the_optimum(eta, k, epsilon, rng):
    steps, k = 60, min(k, 20)
    epsilon = min(epsilon, k * eta / 3)
    proven = spent_delta(eta, k, epsilon, "optimal")
    for _ in range(20):
        places = rng.integers(1, steps, size=k)
        composed = functools.reduce(
            lambda one, other: one.compose(other, 0.0),
            (google_round(eta, steps, int(i)) for i in places),
        )
        assert composed.get_delta_for_epsilon(epsilon) <= proven + 1e-13  # what its FFT rounds


@over_rounds
def test_bounded_range_is_cheaper_than_pure_privacy(eta, k, epsilon):
    """A range of eta is eta-DP; dp_accounting composes that, and can only spend more."""
    pure = google_pld.from_privacy_parameters(
        common.DifferentialPrivacyParameters(eta, 0.0), value_discretization_interval=eta / 100
    )
    upper = pure.self_compose(k).get_delta_for_epsilon(epsilon)
    assert google_nonadaptive_delta(eta, k, epsilon) < upper
    assert spent_delta(eta, k, epsilon, "optimal") < upper


INTERVAL = 1e-4  # grid of dp_accounting's losses; it rounds up or down as told

SMALL = [
    Joint(2, 1.0),
    PNFJoint(2, 1.0, SWAP),
    PNFPeel(2, 1.0),
    PNFPeel(2, 1.0, SWAP),
    CDPPeel(3, 1.5, 0.01),
    CDPPeel(3, 1.5, 0.01, calibration="optimal"),
    CDPPeel(2, 1.0, 0.05, SWAP, "optimal"),
]
over_small = pytest.mark.parametrize("mechanism", SMALL, ids=repr)


def google_losses(mechanism, counts, neighbour, *, upwards: bool):
    """Privacy losses of two data sets as dp_accounting sees them, in both directions."""
    every = output_distribution(mechanism, counts).sequences
    here, there = (
        dict(enumerate(mechanism.log_pmf(data, every).tolist())) for data in (counts, neighbour)
    )
    return google_pld.from_two_probability_mass_functions(
        here, there, upwards, INTERVAL, symmetric=False
    )


@over_small
def test_privacy_profile_is_googles(mechanism):
    counts = ItemCounts([4, 3, 3, 1])
    epsilons = np.linspace(0, 1.6, 9)
    for neighbour in neighboring_counts(counts, mechanism.neighbors)[::5]:
        ours = privacy_profile(mechanism, counts, neighbour, epsilons)
        low, high = (
            google_losses(mechanism, counts, neighbour, upwards=up).get_delta_for_epsilon(epsilons)
            for up in (False, True)
        )
        assert (low <= ours + 1e-13).all()
        assert (ours <= high + 1e-13).all()
        assert (high - low <= 2 * INTERVAL).all()


def google_worst_delta(mechanism, epsilon: float) -> float:
    """Largest delta over all neighbours, with losses rounded down: above zero is a disproof."""
    counts = ItemCounts([4, 3, 3, 1])
    return max(
        google_losses(mechanism, counts, neighbour, upwards=False).get_delta_for_epsilon(epsilon)
        for neighbour in neighboring_counts(counts, mechanism.neighbors)
    )


@over_small
def test_guarantees_hold_by_googles_accounting(mechanism):
    promised = mechanism.guarantee
    assert google_worst_delta(mechanism, promised.epsilon) <= promised.delta


@over_small
def test_googles_accounting_catches_a_forgotten_factor_2(mechanism):
    promised = mechanism.guarantee
    assert google_worst_delta(misscaled(mechanism, 0.5), promised.epsilon) > promised.delta


# --- SciPy's noises ------------------------------------------------------------------------------


def largest_wins(noise, scores: np.ndarray) -> np.ndarray:
    """P(score i with its noise is largest): integral of f(x - s_i) prod_{j != i} F(x - s_j)."""
    scores = np.asarray(scores, float)
    others = ~np.eye(scores.size, dtype=bool)

    def integrand(x):
        return noise.pdf(x - scores) * np.where(others, noise.cdf(x - scores), 1.0).prod(axis=1)

    low, high = scores.max() + noise.ppf(1e-300), scores.max() + noise.isf(1e-18)
    return integrate.quad_vec(integrand, low, high, epsabs=1e-13, epsrel=1e-12)[0]


def peeled(noise, counts, k: int) -> dict[tuple[int, ...], float]:
    """Chances of k rounds of `largest_wins`, each on the items left."""
    if k == 0:
        return {(): 1.0}
    chances = {}
    for s, chance in peeled(noise, counts, k - 1).items():
        left = [i for i in range(len(counts)) if i not in s]
        for i, wins in zip(left, largest_wins(noise, [counts[i] for i in left]), strict=True):
            chances[*s, i] = chance * wins
    return chances


def scipy_noise(case: Case, factor: float = 1.0):
    kind = stats.gumbel_r if case.concentrated else stats.expon
    return kind(scale=factor / case.rate)


@over_cases
def test_law_is_that_of_scipys_noise(case):
    """Ours against numerical integrals of SciPy's densities, which share no formula with it."""
    if case.over_sequences:
        losses = np.array(case.scores())
        chances = dict(
            zip(map(tuple, case.sequences), largest_wins(scipy_noise(case), -losses), strict=True)
        )
    else:
        chances = peeled(scipy_noise(case), case.counts, case.mechanism.k)
    ours = case.mechanism.log_pmf(case.data, list(chances))
    np.testing.assert_allclose(np.exp(ours), list(chances.values()), rtol=1e-8, atol=1e-12)


def test_one_shot_of_scipys_gumbel_noise_is_plackett_luce():
    """The two largest of one shot: f at the second, the first above it, the others below."""
    mechanism, counts = CDPPeel(2, 3.0, 0.05), np.array([6, 5, 3, 3])
    noise = stats.gumbel_r(scale=1 / mechanism.local_epsilon)
    for first, second in itertools.permutations(range(4), 2):
        rest = [j for j in range(4) if j not in (first, second)]

        def integrand(x, first=first, second=second, rest=rest):
            below = noise.cdf(x - counts[rest]).prod()
            return noise.pdf(x - counts[second]) * noise.sf(x - counts[first]) * below

        chance, _ = integrate.quad(integrand, -20, 60, epsabs=1e-13, epsrel=1e-11, limit=200)
        ours = mechanism.log_pmf(ItemCounts(counts), [[first, second]])
        assert ours == pytest.approx([math.log(chance)], rel=1e-8)


def scipy_draws(case: Case, factor: float, rng) -> np.ndarray:
    """One shot of Gumbel noise, or k rounds of fresh exponential noise."""
    shape, k = (N_SEEDED, len(case.counts)), case.mechanism.k
    noise = scipy_noise(case, factor)
    if case.concentrated:
        noisy = case.counts + noise.rvs(size=shape, random_state=rng)
        return np.argsort(-noisy, axis=1)[:, :k]
    left = np.tile(np.array(case.counts, float), (N_SEEDED, 1))
    taken = []
    for _ in range(k):
        taken.append(np.argmax(left + noise.rvs(size=shape, random_state=rng), axis=1))
        left[np.arange(N_SEEDED), taken[-1]] = -np.inf
    return np.column_stack(taken)


@pytest.mark.parametrize("case", [c for c in CASES if not c.over_sequences], ids=str)
def test_draws_of_scipys_noise_fit(case, rng, fits):
    assert fits(case.mechanism, case.data, scipy_draws(case, 1.0, rng))
    for factor in (0.8, 1.2):
        assert not fits(case.mechanism, case.data, scipy_draws(case, factor, rng))


def test_local_epsilon_inverts_googles_conversion():
    """Calibrated by "optimal", the worst non-adaptive rounds spend almost all of delta."""
    for epsilon, delta, k in [(1.0, 1e-6, 10), (1.0, 1e-6, 50), (0.1, 1e-6, 10), (4.0, 1e-4, 10)]:
        eta = local_epsilon(epsilon, delta, k, "optimal")
        assert 0.75 * delta < google_nonadaptive_delta(eta, k, epsilon) <= delta
