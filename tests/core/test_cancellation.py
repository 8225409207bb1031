"""Test that long computations can be interrupted, and only from the thread that asked."""

import contextlib
import inspect
import threading

import numpy as np
import pytest

from dptopk import MECHANISMS, CDPPeel, ItemCounts, Joint, JointSet, PNFPeel, exact_error
from dptopk.core import cancellation
from dptopk.laws.exact import chance_exact_sequence, chance_exact_set
from dptopk.mechanisms.exact_laws import NoClosedFormError

COUNTS = ItemCounts(np.arange(900) ** 2 // 50)


class LeftError(Exception):
    """Whoever waited has left."""


def leave():
    raise LeftError


@pytest.mark.parametrize(
    ("mechanism", "least"),
    [
        (JointSet(30, 1.0), 60),
        (PNFPeel(30, 1.0), 60),
        (CDPPeel(30, 1.0, 1e-6), 20),  # all places at once, a few passes
    ],
)
def test_draws_that_take_long_can_be_left(mechanism, least):
    n_pauses = []
    drawn = mechanism.sample(COUNTS, 10_000, np.random.default_rng(0))
    with cancellation.on_pause(lambda: n_pauses.append(1)):
        same = mechanism.sample(COUNTS, 10_000, np.random.default_rng(0))
    assert len(n_pauses) >= least
    np.testing.assert_array_equal(drawn, same)
    with pytest.raises(LeftError), cancellation.on_pause(leave):
        mechanism.sample(COUNTS, 10_000, np.random.default_rng(0))
    mechanism.sample(COUNTS, 10_000, np.random.default_rng(0))  # nobody is asked any more


def test_laws_that_take_long_can_be_left():
    with pytest.raises(LeftError), cancellation.on_pause(leave):
        exact_error(COUNTS, Joint(30, 0.1), "k_relative")


def test_other_threads_are_not_asked():
    with cancellation.on_pause(leave):
        other = threading.Thread(target=cancellation.pause)
        other.start()
        other.join()
        with cancellation.on_pause(lambda: None):
            cancellation.pause()
        with pytest.raises(LeftError):
            cancellation.pause()


def test_pauses_may_be_spaced():
    n_pauses = []
    with cancellation.on_pause(lambda: n_pauses.append(1), seconds=60):
        cancellation.pause()
    assert n_pauses == []


@pytest.mark.parametrize("kind", MECHANISMS.values(), ids=MECHANISMS)
def test_no_lock_is_held_in_a_pause(kind):
    """`functools.cached_property` locks before Python 3.12: who waits in it stops all others."""
    mechanism = kind(k=6, epsilon=0.3, **{p.key: p.default for p in kind.card.parameters})
    locked = []

    def look():
        frame = inspect.currentframe()
        while frame is not None:
            if "functools" in frame.f_code.co_filename and "instance" in frame.f_locals:
                locked.append(frame)
            frame = frame.f_back

    with cancellation.on_pause(look):
        drawn = mechanism.sample(COUNTS, 3, np.random.default_rng(0))
        mechanism.log_pmf(COUNTS, drawn)
        for metric in mechanism.exact_metrics:
            mechanism.error_law(COUNTS.sorted, metric)
        for chance in (chance_exact_set, chance_exact_sequence):
            with contextlib.suppress(NoClosedFormError):
                chance(COUNTS, mechanism)
    assert locked == []
