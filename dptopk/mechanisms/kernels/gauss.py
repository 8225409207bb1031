"""Gauss-Legendre quadrature on [0, 1], with integrals from 0 up to each node."""

from functools import cache

import numpy as np

from dptopk.core.array_types import FloatArray


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
