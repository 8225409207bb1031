"""Base class of mechanisms whose noisy gaps come with the items at no further cost.

A mechanism adds noise of scale b to every count and releases the items s_1, …, s_k with the k
largest noisy counts.  With them may come the gaps g_i between the noisy counts of s_i and s_(i+1),
the last to the largest noisy count of all other items, with the same ε: for Laplace noise by Ding,
Wang, Zhang, Kifer (2019, arXiv 1904.12773), for Gumbel noise by the density below.

Let Δ be the sensitivity of a difference of two counts, and b = k Δ / ε.  From D to its neighbor D'
counts move by δ_j, all within an interval of length Δ.

Laplace noise.  Hold the noise of all items that are not released.  Their largest noisy count M
moves by a number within the interval of the δ_j.  Items and gaps stay as they are if the noise of
s_i moves by that number less δ of s_i, at most Δ: a shift, which changes a Laplace density by a
factor of at most e^(Δ / b).  The k released items together: e^(k Δ / b) = e^ε.

Gumbel noise.  Put G_i = g_i + … + g_k, w_i = e^((c of s_i - G_i) / b), W for the sum of e^(c_j / b)
over all other items, of which M is Gumbel as well, and S = w_1 + … + w_k + W.  By integration over
M the density of items and gaps is

    k! b^-k W w_1 … w_k / S^(k + 1).

From D to D' the k + 1 terms w_1, …, w_k, W are multiplied by e^(x_0 / b), …, e^(x_k / b), with all
x within an interval of length Δ, and S by e^(x / b), with x between the least x_i and the largest.
So the log density moves by 1 / b times Σ (x_i - x), which is largest with x at the least x_i and
smallest at the largest, where one of the k + 1 differences is 0: at most k Δ / b = ε in size.

Where all items are released, k = d, there is no last gap, and both proofs hold with k - 1 for k.
Where users count for fewer than k items, and b is less (`laplace`), all noisy counts are ε-DP.

Intervals.  Let all noise be at most u, and that of the k + 1 largest true counts at least -l.
Then the noise of every released item, and of the one with M, is at least -l: if such an item is not
one of the k + 1, it passed one of these, whose count is no less, and whose noise is at least -l.
So all true gaps are within g_i ± (u + l); an item that is not released has at most the count of s_k
less g_k - (u + l); and as no count is negative, s_i has at least G_i - (u + l) users.  All of this
holds together with at least the probability (F(u) - F(-l))^(k + 1) F(u)^(d - k - 1), whatever the
counts are.

Limits: items with gaps are pure ε-DP; what a mechanism costs less in composition (`Mechanism.cost`)
holds for its items alone.  Noise is made of floats under a seed, for exploration.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dptopk.core import validation
from dptopk.core.array_types import FloatArray, IntArray
from dptopk.core.counts import ItemCounts, SortedCounts
from dptopk.mechanisms.kernels import conditional_noise, race
from dptopk.mechanisms.kernels.conditional_noise import ConditionalNoise, Last
from dptopk.mechanisms.noisy_order import NoisyOrder

_SHARES = np.linspace(0.005, 0.995, 199)  # of the failures that are left to noise from above


@dataclass(frozen=True)
class _Drawn:
    """One draw: released ranks with the noise of each, and the item that follows, if there is."""

    ranks: IntArray
    noise: FloatArray
    last: Last
    follower: conditional_noise.Follower | None


class FreeGaps(NoisyOrder):
    """Mechanism that orders noisy counts in one shot, with gaps that cost nothing more."""

    noise_law: ClassVar[race.Noise]
    """Law of the noise at scale 1."""

    @property
    def rate(self) -> float:
        """One over the scale of the noise, in 1 / users."""
        return 1 / self.scale

    def gaps_behind(
        self, counts: ItemCounts | SortedCounts, rng: np.random.Generator
    ) -> FloatArray:
        """Return the gaps, in users, that a draw releases between the noisy counts of its k items.

        From each item to the next, the last to the largest noisy count of all items that are not
        released: NaN if there are none.  ``rng`` is in the state from which `sample` gave its one
        output; what is drawn beyond that is what `noise_behind` draws.
        """
        self.check(counts)
        validation.generator("rng", rng)
        (beyond,) = rng.spawn(1)
        drawn = self._drawn(counts.sorted, rng, beyond)
        users, noise = counts.sorted.counts_at_ranks(drawn.ranks), drawn.noise
        gaps = np.full(self.k, np.nan)
        gaps[:-1] = (users[:-1] - users[1:]) + (noise[:-1] - noise[1:])
        if drawn.follower is not None:
            gaps[-1] = drawn.follower.behind
        return gaps

    def gap_margin(self, d: int, confidence: float = 0.95) -> float:
        """Return u + l: half the width of the intervals around all gaps of a release, in users.

        All intervals hold together with probability ``confidence``.
        """
        d = validation.integer("d", d, low=self.k)
        confidence = validation.probability("confidence", confidence)
        if not confidence:
            raise ValueError("confidence must be above 0, got 0")
        failing = -np.log(confidence)
        above = _SHARES * failing / d  # -log F(u)
        below = -np.expm1((_SHARES - 1) * failing / min(self.k + 1, d))  # F(-l) / F(u)
        depth = self.noise_law.depth
        width = depth(np.log(above - np.log(below))) - depth(np.log(above))
        return float(self.scale * width.min())

    def _noise_behind(
        self,
        counts: SortedCounts,
        shown: IntArray,
        rng: np.random.Generator,
        beyond: np.random.Generator,
    ) -> ConditionalNoise:
        drawn, here = self._drawn(counts, rng, beyond), counts.counts_at_ranks(shown)
        limit, follower = drawn.last, drawn.follower
        if follower is not None:
            limit = follower.noisy
        others = conditional_noise.under(here, limit, self.noise_law, self.scale, beyond)
        if follower is not None:
            others[shown == follower.rank] = follower.noisy.noise
        own = conditional_noise.beside(drawn.ranks, drawn.noise, shown, others)
        return ConditionalNoise(own)

    def _drawn(
        self, counts: SortedCounts, rng: np.random.Generator, beyond: np.random.Generator
    ) -> _Drawn:
        """Draw as `sample` does, and from ``beyond`` the next noisy count."""
        first = race.draw_first_noisy(counts, self.k, self.rate, 1, rng, self.noise_law)
        ranks, noise = first.ranks[0], first.noise[0]
        last = Last(int(counts.counts_at_ranks(ranks[-1:])[0]), float(noise[-1]))
        follower = conditional_noise.follower(
            counts, ranks, last, self.noise_law, self.scale, beyond
        )
        return _Drawn(ranks, noise, last, follower)
