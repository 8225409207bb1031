"""Fixtures for tests of laws, guarantees and accounting against independent libraries.

OpenDP draws the same laws and maps noise to privacy, dp_accounting (Google) composes and
converts, SciPy supplies the noises.  The scale of OpenDP's noise is asked from OpenDP itself, for
the budget that our mechanism promises: a convention shared by both sides cannot hide here.

Cases and helpers are fixtures, so that test modules need no import path.
"""

import functools
import itertools
import math
from dataclasses import dataclass, fields, replace
from pathlib import Path

import numpy as np
import opendp.prelude as dp
import pytest

from dptopk import CDPPeel, ItemCounts, Joint, NeighborRelation, PNFJoint, PNFPeel
from dptopk.mechanisms import Mechanism
from dptopk.mechanisms.pitfalls import MisscaledCDPPeel

dp.enable_features("contrib")

HERE = Path(__file__).parent


@pytest.hookimpl(tryfirst=True)  # before -m chooses by marker
def pytest_collection_modifyitems(items):
    """What others' code draws and counts takes its time: not part of the fast path."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker("slow")


JOINS, SWAP = NeighborRelation.ADD_REMOVE, NeighborRelation.SWAP


@dataclass(frozen=True)
class Case:
    """A mechanism on data so small that all outputs are drawn often."""

    mechanism: Mechanism
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


@pytest.fixture(scope="session", params=CASES, ids=str)
def case(request) -> Case:
    """Each of the cases in turn."""
    return request.param


@pytest.fixture(
    scope="session", params=[case for case in CASES if not case.over_sequences], ids=str
)
def peeling_case(request) -> Case:
    """Each of the cases that draw k items rather than one sequence."""
    return request.param


@pytest.fixture(scope="session")
def make_case():
    """A case of one's own."""
    return Case


@pytest.fixture(scope="session")
def misscaled():
    """The same mechanism with the scale of its noise multiplied."""

    def make(mechanism: Mechanism, factor: float) -> Mechanism:
        if isinstance(mechanism, CDPPeel):
            given = (getattr(mechanism, field.name) for field in fields(mechanism))
            return MisscaledCDPPeel(*given, factor=1 / factor)
        return replace(mechanism, epsilon=mechanism.epsilon / factor)

    return make


ROUNDS = [(0.05, 200, 1.5), (0.1, 50, 1.0), (0.2, 10, 0.7), (0.5, 5, 0.8), (1.0, 8, 4.0)]


@pytest.fixture(params=ROUNDS)
def rounds(request) -> tuple[float, int, float]:
    """Range, number and epsilon of rounds to account for."""
    return request.param


@pytest.fixture(scope="session")
def two_point_round():
    """Chances of the losses t and t - eta in the worst round (Dong, Durfee, Rogers 2020)."""

    def compute(eta: float, t):
        top = np.expm1(t - eta) / np.expm1(-eta)
        return top, 1 - top

    return compute
