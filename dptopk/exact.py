"""Exact laws of errors at any d and k, where a closed form is known.

Joint and PNFJoint give all sequences of one loss the same probability p(loss), so
counting sequences is enough.  With N(T) sequences of loss at most T and N_u(T) of
them made of the first u ranks only (see `mechanisms._sequences`),

    P(signed maximum = loss) = (N(loss) - N(loss - 1)) p(loss)
    P(k-relative <= x) = sum over losses of (N_u(loss) - N_u(loss - 1)) p(loss),

u = #{j : c_j >= c_k - x}.  CDP-Peel releases exactly a set S with probability

    integral over [0, 1] of prod_{i in S} (1 - u^(w_i / W)) du,    W = sum_{j not in S} w_j,

w = e^(local_epsilon * count): all of S arrive before the first of the rest in an
exponential race.  "Right" is meant up to ties throughout: items with equal counts are
interchangeable.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln, logsumexp

from dptopk import _validate, errors
from dptopk.counts import ItemCounts, SortedCounts, check_counts
from dptopk.mechanisms._base import SequenceMechanism, check_mechanism
from dptopk.mechanisms._loss_weighted import LossWeighted
from dptopk.mechanisms._sequences import SequencesByLoss
from dptopk.mechanisms.cdp_peel import CDPPeel

_LARGEST_TABLE = 20_000_000  # losses x values of the k-relative error


class NoClosedFormError(NotImplementedError):
    """No closed form of the law asked for is known (or it is too large to write out)."""


@dataclass(frozen=True)
class ErrorLaw:
    """The exact law of an error.

    Attributes
    ----------
    values : numpy.ndarray of int64, shape (m,)
        Possible values in users, ascending; values with less than about 1e-19 of
        the probability together are left out.
    log_probabilities : numpy.ndarray of float64, shape (m,)
        Natural logarithms.
    """

    values: np.ndarray
    log_probabilities: np.ndarray

    def __iter__(self):
        """Unpack as (values, probabilities)."""
        return iter((self.values, self.probabilities))

    @property
    def probabilities(self) -> np.ndarray:
        """Probabilities, shape (m,)."""
        return np.exp(self.log_probabilities)

    @property
    def cumulative(self) -> np.ndarray:
        """Probability of at most each value, shape (m,)."""
        return np.minimum(np.cumsum(self.probabilities), 1.0)

    @property
    def mean(self) -> float:
        """Expected error, in users."""
        return float(self.values @ self.probabilities)

    def quantile(self, level: float) -> int:
        """Smallest value whose cumulative probability reaches ``level``."""
        place = np.searchsorted(self.cumulative, level * self.cumulative[-1])
        return int(self.values[min(place, len(self.values) - 1)])


def joint_loss_bound(k: int, d: int, epsilon: float) -> float:
    """Loss that Joint stays within with probability 0.99, 2 (k ln d + 5) / epsilon, in users.

    Gillenwater et al. (2022), Theorem 3.3, for users who join or leave.
    """
    return 2 * (k * float(np.log(d)) + 5) / epsilon


def exact_error(
    mechanism: SequenceMechanism, counts: ItemCounts | SortedCounts, metric: str
) -> ErrorLaw:
    """Exact law of an error: "signed_max" or "k_relative", for Joint and PNFJoint.

    Parameters
    ----------
    mechanism : SequenceMechanism
        The mechanism.
    counts : ItemCounts or SortedCounts
        The data.
    metric : str
        A key of `errors.METRICS`.

    Returns
    -------
    ErrorLaw

    Raises
    ------
    NoClosedFormError
        If no closed form is known; simulate with `run_trials` instead.
    TypeError, ValueError
        Naming the argument, value and rule that was broken.
    """
    _check(mechanism, counts)
    _validate.choice("metric", metric, tuple(errors.METRICS))
    if not isinstance(mechanism, LossWeighted) or metric not in ("signed_max", "k_relative"):
        raise NoClosedFormError(
            f"no closed form of the {errors.METRICS[metric].title} of {mechanism.name} is known"
        )
    levels = mechanism.loss_levels(counts.sorted)
    log_p = mechanism.log_pmf_of_losses(levels, levels.losses)
    if metric == "signed_max":
        return ErrorLaw(levels.losses, levels.log_n + log_p)
    return _k_relative_law(counts.sorted, mechanism.k, levels.losses, log_p)


def probability_exact_sequence(
    mechanism: SequenceMechanism, counts: ItemCounts | SortedCounts
) -> float:
    """Probability that the true top k come out in order, up to ties; any mechanism.

    Ties give N(0) equally likely sequences without error.
    """
    _check(mechanism, counts)
    counts = counts.sorted
    log_n = SequencesByLoss(counts, mechanism.k).log_n_at_most(np.array([0]))[0]
    return _probability(log_n + mechanism.log_pmf(counts, np.arange(mechanism.k)[None])[0])


def probability_exact_set(mechanism: SequenceMechanism, counts: ItemCounts | SortedCounts) -> float:
    """Probability that the true top k come out in any order, up to ties.

    Raises
    ------
    NoClosedFormError
        For PNFPeel; simulate with `run_trials` instead.
    """
    _check(mechanism, counts)
    counts = counts.sorted
    if isinstance(mechanism, LossWeighted):
        return _probability_top_set(mechanism, counts)
    if isinstance(mechanism, CDPPeel):
        return _probability_race_won(counts, mechanism.k, mechanism.local_epsilon)
    raise NoClosedFormError(f"no closed form of {mechanism.name}'s probability of a set is known")


def _probability_top_set(mechanism: LossWeighted, counts: SortedCounts) -> float:
    """Sum of p(loss) over the orders of one top-k set, times the number of such sets."""
    top, log_sets = _top_set(counts, mechanism.k)
    orders = SequencesByLoss(top, mechanism.k).loss_levels(mechanism.rate)
    log_p = mechanism.log_pmf_of_losses(mechanism.loss_levels(counts), orders.losses)
    return _probability(log_sets + logsumexp(orders.log_n + log_p))


def _top_set(counts: SortedCounts, k: int) -> tuple[SortedCounts, float]:
    """One set of k items with the largest counts, and the log number of such sets.

    With m items tied at the k-th count and j of them in a set there are C(m, j).
    """
    kth = int(np.searchsorted(counts.ends, k))
    m = int(counts.multiplicities[kth])
    j = k - int(counts.ends[kth] - m)
    top = SortedCounts(counts.values[: kth + 1], np.append(counts.multiplicities[:kth], j))
    return top, float(gammaln(m + 1) - gammaln(j + 1) - gammaln(m - j + 1))


def _k_relative_law(
    counts: SortedCounts, k: int, losses: np.ndarray, log_p: np.ndarray
) -> ErrorLaw:
    """Law of the k-relative error from p(loss), by counting within the first u ranks.

    log N_u(T) adds, over positions r, log(t_r(T) - r + 1) while t_r(T) <= u and
    log(u - r + 1) from there on.
    """
    sequences = SequencesByLoss(counts, k)
    kth = int(np.searchsorted(counts.ends, k))
    n_values = int(np.searchsorted(-counts.values, losses[-1] - sequences.top[-1], side="right"))
    reach = slice(kth, max(n_values, kth + 1))
    u = counts.ends[reach]
    if u.size * losses.size > _LARGEST_TABLE:
        raise NoClosedFormError(
            f"the k-relative error takes {u.size:,} values at {losses.size:,} losses: too many to "
            "write its law out; choose a larger epsilon"
        )
    position = np.arange(k)[:, None]
    n_within = sequences.n_within(losses)
    below = np.vstack([np.zeros(losses.size), np.cumsum(np.log(n_within - position), axis=0)])
    above = np.vstack([np.cumsum(np.log(u - position)[::-1], axis=0)[::-1], np.zeros(u.size)])
    cumulative = np.empty(u.size)
    # p falls with the loss; summing by parts leaves positive terms only:
    # sum_i (N_u(i) - N_u(i - 1)) p_i = sum_i N_u(i) (p_i - p_{i+1})
    with np.errstate(divide="ignore"):  # log 0 = -inf: p is the same at both losses
        log_drop = log_p + np.log(-np.expm1(np.diff(log_p, append=-np.inf).clip(max=0.0)))
    for i, rank in enumerate(u):
        r = (n_within <= rank).sum(axis=0)
        log_n = below[r, np.arange(losses.size)] + above[r, i]
        cumulative[i] = np.exp(logsumexp(log_n + log_drop))
    probabilities = np.diff(cumulative, prepend=0.0)
    possible = probabilities > 0
    values = sequences.top[-1] - counts.values[reach]
    return ErrorLaw(values[possible], np.log(probabilities[possible]))


def _probability_race_won(counts: SortedCounts, k: int, rate: float) -> float:
    """Probability that the items of a top-k set arrive before all others.

    With u = e^-y and x = log y the integral is that of
    e^(x - e^x) prod_i (1 - e^(-e^x w_i / W)), entire and log-concave in x: the trapezoid
    rule is exact to double precision.
    """
    if k == counts.d:
        return 1.0
    top, log_sets = _top_set(counts, k)
    left = counts.multiplicities.copy()
    left[: top.n_levels] -= top.multiplicities
    with np.errstate(divide="ignore"):  # log 0 = -inf: all of this level is in the set
        log_rest = logsumexp(rate * (counts.values - counts.values[0]) + np.log(left))
    log_ratio = rate * (top.values - counts.values[0]) - log_rest
    step = 1 / 128  # a power of two: the grid is exact
    x = np.arange(-50.0, np.log(k + 60 + 12 * np.sqrt(k)), step)
    log_integrand = x - np.exp(x)
    for ratio, n in zip(log_ratio, top.multiplicities, strict=True):
        log_y = x + ratio
        # log(1 - e^-y), which is log y to double precision below e^-37
        exponent = np.exp(np.clip(log_y, -37.0, 700.0))
        log_won = np.where(log_y < -37.0, log_y, np.log(-np.expm1(-exponent)))
        log_integrand += n * log_won
    return _probability(log_sets + logsumexp(log_integrand) + np.log(step))


def _probability(log_probability: float) -> float:
    """Probability from its logarithm; rounding may not lift it above 1."""
    return min(1.0, float(np.exp(log_probability)))


def _check(mechanism, counts) -> None:
    check_mechanism("mechanism", mechanism)
    check_counts("counts", counts)
    mechanism.sample(counts, 0, np.random.default_rng(0))  # refuses k > d in one voice
