"""Permute-and-flip over groups of equal candidates, in logarithms.

Permute-and-flip (McKenna, Sheldon 2020, arXiv 2010.12603) visits candidates in
random order and returns the first whose coin, of odds q = e^(-rate * gap to the
best), comes up.  It is report-noisy-max with exponential noise (Ding et al. 2021,
arXiv 2105.07260).  Its probability of candidate s,

    P(s) = q_s * integral over [0, 1] of prod_{j != s} (1 - t q_j) dt,

is evaluated here from groups of n candidates with equal odds, where n may be far
beyond float64.  No alternating series: inclusion-exclusion loses all digits at 60 ties.
"""

import numpy as np

from dptopk.core.array_types import FloatArray, IntArray
from dptopk.core.cancellation import pause
from dptopk.core.log_space import logsumexp

WHY_PURE = (
    "Permute-and-flip is ε-DP, but its loss may span up to 2ε (on two equal items "
    "ε + ln(2 − e^−ε)), so it gets no discount for a narrow range."
)
"""Reason why mechanisms that use it are composed as pure ones."""

_CHUNK = 1_000_000  # entries of the largest temporary array

# The integrand is at most e^(-t W), W = sum of n q: past t = 45 / W nothing is left, and up
# to there it is entire of exponential type 45 at most, where 32 nodes leave an error < 1e-13
# (numpy's own nodes are good to about that; more of them are worse).
_REACH = 45.0
_GAUSS_NODES, _GAUSS_WEIGHTS = np.polynomial.legendre.leggauss(32)  # on [-1, 1]
_LARGE = -0.5  # log x from which on powers of x vanish too slowly
_NEGLIGIBLE = 1e-18
_NODES, _LOG_WEIGHTS = (_GAUSS_NODES + 1) / 2, np.log(_GAUSS_WEIGHTS / 2)  # on [0, 1]


def log_pmf(
    log_odds: FloatArray,
    log_n: FloatArray,
    own_log_odds: FloatArray,
    situation: IntArray,
) -> FloatArray:
    """Return the log probability, (m,), that one given candidate is returned.

    ``log_odds`` (at most 0, the best group's exactly 0) and ``log_n`` (-inf for none) are of groups
    of candidates, shape (n_situations, n_groups); ``own_log_odds`` is of those asked about, and
    ``situation`` the row that each belongs to.
    """
    log_total = logsumexp(log_odds + log_n, axis=1)
    log_span = np.minimum(0.0, np.log(_REACH) - log_total)
    log_t = log_span[:, None] + np.log(_NODES)  # (n_situations, n_nodes)
    exponent = _exponent(log_odds + log_span[:, None], log_n)
    own = _log_minus_log1m(log_t[situation] + own_log_odds[:, None])
    integrand = np.exp(own) - exponent[situation]  # logarithm of the product without s
    log_integral = logsumexp(integrand + _LOG_WEIGHTS, axis=1) + log_span[situation]
    result: FloatArray = own_log_odds + log_integral
    return result


def _exponent(log_most: FloatArray, log_n: FloatArray) -> FloatArray:
    """Return minus the log of the product over all candidates at each node, (n_situations, 32).

    ``log_most`` are the logarithms of x = t q at the largest t.  With u a node, a group adds
    -n log(1 - u x) = sum over j of n x^j u^j / j, all positive: as n x <= 45, n x^j needs no
    logarithms, and only groups of large x are worth a logarithm at each node.
    """
    row, group = np.nonzero(log_most > _LARGE)
    exponent = np.zeros((log_most.shape[0], _NODES.size))
    step = max(1, _CHUNK // _NODES.size)
    for i in range(0, row.size, step):
        pause()
        few = row[i : i + step], group[i : i + step]
        terms = np.exp(
            log_n[few][:, None] + _log_minus_log1m(log_most[few][:, None] + np.log(_NODES))
        )
        np.add.at(exponent, few[0], terms)
    x = np.where(log_most > _LARGE, 0.0, np.exp(log_most))
    power = np.where(log_most > _LARGE, 0.0, np.exp(log_n + log_most))
    added, j = np.ones(1), 0
    while (added > _NEGLIGIBLE * exponent).any():
        j += 1
        added = power.sum(axis=1)[:, None] * _NODES**j / j
        exponent += added
        power *= x
    return exponent


def _log_minus_log1m(log_x: FloatArray) -> FloatArray:
    """Return log(-log(1 - x)) from log x; equal to log x in floats below e^-37."""
    tiny = log_x < -37.0
    return np.where(tiny, log_x, np.log(-np.log1p(-np.exp(np.where(tiny, -1.0, log_x)))))
