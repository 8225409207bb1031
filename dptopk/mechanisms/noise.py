"""Mechanisms whose draw is an order of noisy counts: the noise behind a draw can be shown.

Fast samplers do not draw the noise of every item.  It is drawn afterwards from its exact law
given what came out, so that draw and noise together are as if the noise had come first.
"""

from abc import abstractmethod
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from dptopk import _validate
from dptopk._types import FloatArray, IntArray
from dptopk.counts import ItemCounts, SortedCounts
from dptopk.mechanisms.base import Mechanism


class NoisyOrder(Mechanism):
    """A mechanism that adds noise to every count and releases what is largest then."""

    fresh_noise: ClassVar[bool] = False
    """Whether every round adds noise anew; else there is one shot, the k largest in order."""

    def noise_behind(
        self,
        counts: ItemCounts | SortedCounts,
        output: npt.ArrayLike,
        shown: npt.ArrayLike,
        rng: np.random.Generator,
    ) -> FloatArray:
        """Noise on the counts of some items, drawn given what came out.

        Parameters
        ----------
        counts : ItemCounts or SortedCounts
            The data, at least k items.
        output : array_like of int, shape (k,)
            What came out: positions into the counts as given, largest first.
        shown : array_like of int, shape (m,)
            Positions of the items whose noise is wanted, each once.
        rng : numpy.random.Generator
            Source of randomness, another than that of the draw.

        Returns
        -------
        numpy.ndarray of float64, shape (rounds, m)
            In users; one row, or one a round with `fresh_noise`, where items that came out
            before are not a number.

        Raises
        ------
        TypeError, ValueError
            Naming the argument, value and rule that was broken.
        """
        self.check(counts)
        _validate.generator("rng", rng)
        kind = self.outputs
        positions = kind.check(kind.plural, np.asarray(output)[None], counts.d, self.k)
        if not kind.possible(positions).all():
            raise ValueError(f"output must hold {self.k} different items, got {output!r}")
        items = np.array(
            [
                _validate.integer(f"shown[{place}]", item, 0, counts.d - 1)
                for place, item in enumerate(_validate.listed("shown", shown))
            ],
            dtype=np.int64,
        )
        return self._noise_behind(
            counts.sorted, counts.ranks_at(positions[0]), counts.ranks_at(items), rng
        )

    @abstractmethod
    def _noise_behind(
        self, counts: SortedCounts, ranks: IntArray, shown: IntArray, rng: np.random.Generator
    ) -> FloatArray:
        """Noise on the counts of the ranks ``shown``, given the ranks that came out."""
