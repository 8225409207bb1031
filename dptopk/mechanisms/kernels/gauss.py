"""Gauss-Legendre quadrature on [0, 1], with integrals from 0 up to each node."""

from functools import cache

import numpy as np

from dptopk.core.array_types import FloatArray, IntArray

_VARIES = 4.0  # logarithms change by about this within a panel, at most
_FLAT = 1_000  # rows that are multiplied in one thread: others wait for a busy processor
_TINY = np.finfo(np.float64).tiny


@cache
def rule(n: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return Gauss-Legendre nodes and weights on [0, 1], and weights of integrals up to each node.

    The columns of the third are for nodes: values @ it integrates the polynomial through them.
    """
    x, w = np.polynomial.legendre.leggauss(n)
    legendre = np.polynomial.legendre
    degrees = np.arange(n)
    vandermonde = legendre.legvander(x, n)
    to_coefficients = (2 * degrees + 1)[:, None] / 2 * vandermonde[:, :n].T * w
    # the integral of P_j from -1 to x is (P_{j+1} - P_{j-1}) / (2 j + 1)
    before = np.column_stack([-np.ones(n), vandermonde[:, : n - 1]])
    integrals = (vandermonde[:, 1:] - before) / (2 * degrees + 1)
    return (x + 1) / 2, w / 2, (integrals @ to_coefficients).T / 2


def up_to_nodes(values: FloatArray) -> FloatArray:
    """Return integrals of functions above 0 up to each node, from values (..., n_nodes)."""
    n = values.shape[-1]
    rows, found = values.reshape(-1, n), np.empty((values.size // n, n))
    for i in range(0, len(rows), _FLAT):
        np.matmul(rows[i : i + _FLAT], rule(n)[2], out=found[i : i + _FLAT])
    return np.maximum(found, 0.0, out=found).reshape(values.shape)


def each_of(n: IntArray) -> tuple[IntArray, IntArray]:
    """Return the group of each element, and its index in the group, for groups of size ``n``."""
    whole = np.repeat(np.arange(n.size), n)
    part: IntArray = np.arange(whole.size) - (np.cumsum(n) - n)[whole]
    return whole, part


def equally(
    part: IntArray, offset: FloatArray, step: FloatArray, slope: FloatArray
) -> tuple[IntArray, FloatArray, FloatArray]:
    """Cut intervals into panels across which a logarithm changes by about the same amount.

    Steps belong to parts 0, 0, 0, 1, ..., none without steps; they begin at ``offset`` within their
    part, and the logarithm has at most ``slope`` there.  Returns the part of each panel, and where
    it begins and ends there.
    """
    share = slope * step / _VARIES
    summed = np.append(0.0, np.cumsum(share))
    n_steps = np.bincount(part)
    stop = np.cumsum(n_steps)
    begun = stop - n_steps
    total = summed[stop] - summed[begun]
    n_panels = np.maximum(np.ceil(total), 1).astype(np.int64)
    own, nth = each_of(n_panels)
    reached = summed[begun[own]] + total[own] * (nth / n_panels[own])
    at = np.searchsorted(summed, reached, side="right") - 1
    at = np.clip(at, begun[own], stop[own] - 1)
    inside = np.clip((reached - summed[at]) / np.maximum(share[at], _TINY), 0.0, 1.0)
    starts = np.where(nth == 0, 0.0, offset[at] + inside * step[at])
    length = (offset + step)[stop - 1]
    ends = np.where(nth == n_panels[own] - 1, length[own], np.append(starts[1:], 0.0))
    return own, starts, ends
