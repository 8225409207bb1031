"""Names of the accounting methods and the limits within which each is used."""

from collections.abc import Callable

from dptopk.core.array_types import FloatArray

Curve = Callable[[FloatArray], FloatArray]
"""A function taken elementwise: ε ↦ ln δ, or order ↦ log moment."""

METHODS = ("basic", "paper", "cks", "renyi", "optimal")
"""The proofs, weakest first."""

MAX_ROUNDS = 10**9
OPTIMAL_MAX_ROUNDS = 300  # `local_epsilon` takes 0.3 s of one core here
OPTIMAL_MAX_RANGE = (
    30.0  # from 20 on "renyi" gives the same to nine digits for δ up to 0.1, else within 2%
)

TINY = 1e-300  # covers what underflow hides in the dynamic program
SMALLEST_RANGE = 1e-100  # below, squares vanish: the larger range bounds, ``paper`` answers
