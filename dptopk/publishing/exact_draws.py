"""Draw one output of a mechanism exactly, from random bits."""

from dptopk.core.array_types import IntArray
from dptopk.core.counts import ItemCounts, SortedCounts
from dptopk.core.random_bits import SYSTEM_BITS, Bits
from dptopk.mechanisms import Mechanism, check_mechanism


def exact_sample(
    mechanism: Mechanism, counts: ItemCounts | SortedCounts, bits: Bits | None = None
) -> IntArray:
    """Draw one output from the exact distribution of a mechanism, without rounding errors.

    The law is that of the rate which the budget's decimal text allows: a fraction, rounded towards
    privacy where it has to be.  All choices are made by whole numbers and by intervals that are
    refined until the random bits decide them; no floating-point number decides anything.

    How many bits are drawn and how long that takes depends on the data: who can watch the clock or
    the source of bits learns something that the guarantee does not cover.

    Parameters
    ----------
    mechanism : Mechanism
        One that can be drawn exactly: its ``why_not_exact`` is empty.
    counts : ItemCounts or SortedCounts
        The data, at least k items but for mechanisms that need no list of items.
    bits : callable, optional
        Source of random bits: ``bits(n)`` is an integer uniform in [0, 2^n), independent of all
        before.  Left out, the operating system's; a release needs that one.

    Returns
    -------
    numpy.ndarray of int64, shape (k,)
        Positions into the counts as given (for SortedCounts: ranks), as a row of
        `Mechanism.sample`: a sequence with the item released as largest first, a set ascending,
        and -1 (`NOTHING`) behind an output of fewer than k items.

    Raises
    ------
    NoExactDrawError
        If the mechanism cannot be drawn exactly, saying why.

    Examples
    --------
    >>> from dptopk import InverseSensitivitySet, ItemCounts, exact_sample
    >>> counts = ItemCounts([900, 10, 800, 5, 700])
    >>> exact_sample(InverseSensitivitySet(3, 1.0), counts).tolist()
    [0, 2, 4]
    """
    check_mechanism("mechanism", mechanism)
    if bits is not None and not callable(bits):
        raise TypeError(f"bits must be a function of a number of bits, got {bits!r}")
    return mechanism.sample_exactly(counts, SYSTEM_BITS if bits is None else bits)


def can_publish(mechanism: Mechanism) -> bool:
    """Return whether `exact_sample` takes a mechanism; its `why_not_exact` gives the reason if not.

    Examples
    --------
    >>> from dptopk import Gamma, Joint, can_publish
    >>> can_publish(Joint(3, 1.0)), can_publish(Gamma(3, 1.0))
    (True, False)
    """
    return not check_mechanism("mechanism", mechanism).why_not_exact
