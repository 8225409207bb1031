"""Base class of mechanisms that add noise to counts and release the items with the largest.

Fast samplers do not draw the noise of every item, and some of none.  What they did not draw is
drawn afterwards from its exact law given what came out, so that draw and noise together are as if
the noise had come first.
"""

from abc import abstractmethod
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from dptopk.core import validation
from dptopk.core.array_types import IntArray
from dptopk.core.counts import ItemCounts, SortedCounts
from dptopk.core.errors import METRICS
from dptopk.mechanisms.base import Mechanism
from dptopk.mechanisms.kernels.conditional_noise import ConditionalNoise


class NoisyOrder(Mechanism):
    """Mechanism that adds noise to counts and releases the largest.

    To every count, or to the largest and to a threshold ⊥ that what comes out has to pass.
    """

    fresh_noise: ClassVar[bool] = False
    """True if every round adds fresh noise; False for one shot, the k largest in order."""

    reach: ClassVar[tuple[float, float]] = (5.0, 7.0)
    """Range that noise on a count seldom leaves, below and above, in scales: Gumbel's or Laplace's
    passes either end less than once in 200 counts."""

    def chance_grows(self, target: str) -> bool:
        """Return False for measures that say so (`Metric.falls_under_noise`), as the l1 error.

        At [9, 7, 7] and k = 2 a swap of the first two costs more than the other outputs, and
        becomes more likely before they do as epsilon grows.
        """
        return target not in METRICS or not METRICS[target].falls_under_noise

    def n_noisy(self, counts: SortedCounts) -> int:
        """Return the number of items that get noise: the first in the true order."""
        return counts.d

    def noise_behind(
        self,
        counts: ItemCounts | SortedCounts,
        shown: npt.ArrayLike,
        rng: np.random.Generator,
    ) -> ConditionalNoise:
        """Draw the noise on the counts of some items, given a draw.

        ``shown`` are the positions of the items whose noise is wanted, each once, all of them among
        the first `n_noisy`.  ``rng`` is in the state from which `sample` or `released` gave its one
        output; what is drawn beyond that comes from a stream spawned from it.  The noise is in one
        row, or one a round with `fresh_noise`, where items that came out before are NaN; and where
        ⊥ stood.
        """
        self.check(counts)
        validation.generator("rng", rng)
        items = np.array(
            [
                validation.integer(f"shown[{place}]", item, 0, counts.d - 1)
                for place, item in enumerate(validation.listed("shown", shown))
            ],
            dtype=np.int64,
        )
        ranks = counts.ranks_at(items)
        n_noisy = self.n_noisy(counts.sorted)
        if not n_noisy:
            raise ValueError("counts must hold an item with users, all counts are 0")
        if ranks.size and ranks.max() >= n_noisy:
            raise ValueError(f"shown must be of the {n_noisy} items that get noise, got {shown!r}")
        (beyond,) = rng.spawn(1)
        return self._noise_behind(counts.sorted, ranks, rng, beyond)

    @abstractmethod
    def _noise_behind(
        self,
        counts: SortedCounts,
        shown: IntArray,
        rng: np.random.Generator,
        beyond: np.random.Generator,
    ) -> ConditionalNoise:
        """Draw the noise on the counts of the ranks ``shown``.

        ``rng`` gives the draw as `_draw` does, ``beyond`` what that did not need.
        """
