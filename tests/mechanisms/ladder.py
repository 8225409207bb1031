"""Every mechanism at every tested setting, and small functions on its outputs."""

import math
from dataclasses import dataclass, field

import numpy as np
import pytest
from dptopk_toys import TOYS, ToyCounts
from references import REFERENCES, Reference

from dptopk import MECHANISMS, NOTHING, Mechanism, NeighborRelation

CLASSES = (*(c for c in MECHANISMS.values() if c not in TOYS), ToyCounts)

every_class = pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)


@dataclass(frozen=True)
class Variant:
    """A mechanism's class with values of its own parameters."""

    cls: type[Mechanism]
    own: dict = field(default_factory=dict, hash=False)

    def __call__(self, k, epsilon, neighbors=NeighborRelation.ADD_REMOVE, **changes) -> Mechanism:
        defaults = {parameter.key: parameter.default for parameter in self.cls.card.parameters}
        return self.cls(k=k, epsilon=epsilon, neighbors=neighbors, **defaults | self.own | changes)

    @property
    def reference(self) -> Reference:
        assert self.cls.card.key in REFERENCES, f"{self.cls.name}: add it to references.py"
        return REFERENCES[self.cls.card.key]

    @property
    def blind(self) -> bool:
        """Whether no epsilon means a uniform output."""
        known = REFERENCES.get(self.cls.card.key)
        return known is not None and known.blind is not None and self.own == self.own | known.blind

    def __str__(self) -> str:
        return "-".join([self.cls.__name__, *(f"{key}={value}" for key, value in self.own.items())])


def _settings(cls: type[Mechanism]) -> tuple[dict, ...]:
    known = REFERENCES.get(cls.card.key)
    return known.settings if known else ({},)


VARIANTS = [Variant(cls, own) for cls in CLASSES for own in _settings(cls)]
SHORT_LIST = [Variant(cls, _settings(cls)[0]) for cls in CLASSES]

every_variant = pytest.mark.parametrize("variant", VARIANTS, ids=str)
one_variant_a_class = pytest.mark.parametrize("variant", SHORT_LIST, ids=str)
both_relations = pytest.mark.parametrize(
    "neighbors", list(NeighborRelation), ids=lambda relation: relation.value
)


def relabelled(to: np.ndarray, outputs: np.ndarray) -> np.ndarray:
    """Outputs with every position i written as to[i]; what is empty stays empty."""
    return np.where(outputs == NOTHING, NOTHING, to[outputs])


def telling_counts(mechanism: Mechanism) -> list[int]:
    """Five counts a few of the mechanism's own scales apart: whatever it draws, it varies."""
    apart = REFERENCES[mechanism.card.key].telling
    return np.round(mechanism.scale * np.array(apart)).astype(int).tolist()


LIMIT = math.sqrt(math.log(2 / 1e-6) / 2)  # Dvoretzky, Kiefer, Wolfowitz at 1e-6


def distance(values: np.ndarray, cdf) -> float:
    """Largest distance of distribution functions, in standard errors."""
    steps = np.arange(values.size + 1) / values.size
    expected = cdf(np.sort(values))
    gap = max(np.abs(expected - steps[1:]).max(), np.abs(expected - steps[:-1]).max())
    return math.sqrt(values.size) * gap
