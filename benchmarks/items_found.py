"""Compare what is found of a log with the algorithms of dp_mm_domain (arXiv 2603.14016).

    python benchmarks/items_found.py LOG [--user user] [--item item] [--trials 20]

Google's dp_mm_domain (github.com/google-research/google-research) is written anew here in plain
numpy, at the epsilon = 1 and delta = 1e-5 of its scripts: the weighted Gaussian mechanism, it with
peeling (half of the budget each), and the limited domain.  Its Steam log is that of
kaggle.com/datasets/tamber/steam-video-games.  Its own figures are pictures, and are not compared.

Captured mass is the part of all pairs of a user and an item that falls on items found, missing mass
of the top k the part that the true top k has more than what is released.  Theirs are means of so
many draws, with 95% intervals; ours is the expectation under one choice of users' items, exact.
"""

import argparse
import sys
from pathlib import Path

import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # run from a clone, not installed

from dptopk import LimitedDomain, SparseGaussian, counts_by_bound
from dptopk.laws.items_found import items_found

EPSILON, DELTA = 1.0, 1e-5
BOUNDS, KS = (1, 5, 10, 50, 100, 200), (5, 10, 20, 50, 100)
BOUND_OF_TOP, READ = 100, 5  # items of a user where the top k is released, and k_bar / k


def noise(epsilon: float, delta: float) -> float:
    """Standard deviation of Gaussian noise for sensitivity 1 (Balle, Wang 2018)."""

    def excess(sigma: float) -> float:
        half, far = 1 / (2 * sigma), epsilon * sigma
        return norm.cdf(half - far) - np.exp(epsilon) * norm.cdf(-half - far) - delta

    return brentq(excess, 0.05, 1e4)


class Theirs:
    """Pairs of users and items, and the algorithms of dp_mm_domain."""

    def __init__(self, users: np.ndarray, items: np.ndarray, seed: int = 0):
        self.users, self.items, self.d = users, items, int(items.max()) + 1
        self.truth = np.bincount(items)
        self.top = np.sort(self.truth)[::-1]
        self.rng = np.random.default_rng(seed)

    def clipped(self, bound: int) -> np.ndarray:
        """Mark at most so many random items of each user."""
        order = np.lexsort((self.rng.random(self.users.size), self.users))
        starts = np.flatnonzero(np.diff(self.users[order], prepend=-1))
        lengths = np.diff(np.append(starts, order.size))
        kept = np.zeros(order.size, dtype=bool)
        kept[order] = np.arange(order.size) - np.repeat(starts, lengths) < bound
        return kept

    def weighted_gaussian(self, epsilon: float, delta: float, bound: int) -> np.ndarray:
        """Items whose noisy sum of weights is above the threshold."""
        kept = self.clipped(bound)
        users, items = self.users[kept], self.items[kept]
        weights = np.bincount(users)[users] ** -0.5
        sums = np.bincount(items, weights, minlength=self.d)
        sigma, t = noise(epsilon, delta / 2), np.arange(1, bound + 1)
        threshold = np.max(t**-0.5 + sigma * norm.ppf((1 - delta / 2) ** (1 / t)))
        noisy = sums + self.rng.normal(0, sigma, self.d)
        return np.flatnonzero((sums > 0) & (noisy > threshold))

    def peeled(self, k: int) -> np.ndarray:
        """Top k of what the weighted Gaussian mechanism found, by CDP peeling."""
        found = self.weighted_gaussian(EPSILON / 2, DELTA / 2, BOUND_OF_TOP)
        log = np.log(2 / DELTA)
        local = np.sqrt(8 / k) * (np.sqrt(log + EPSILON / 2) - np.sqrt(log))
        noisy = self.truth[found] + self.rng.gumbel(scale=1 / local, size=found.size)
        return found[np.argsort(-noisy)[:k]]

    def limited_domain(self, k: int) -> np.ndarray:
        """Top k of the clipped counts down to the dummy item, of 5 k that are read."""
        counts = np.bincount(self.items[self.clipped(BOUND_OF_TOP)], minlength=self.d)
        order, log = np.argsort(-counts, kind="stable"), np.log(2 / DELTA)

        def spent(x: float) -> float:
            basic = k * x
            drv = k * x * np.tanh(x / 2) + x * np.sqrt(2 * k * log)
            return min(basic, drv, k * x * x / 2 + x * np.sqrt(k * log / 2)) - EPSILON

        local, read = brentq(spent, 1e-9, EPSILON), READ * k
        dummy = counts[order[read]] + 1 + np.log(min(BOUND_OF_TOP, read) * 2 / DELTA) / local
        noise = self.rng.gumbel(scale=1 / local, size=read + 1)
        noisy = counts[order[:read]] + noise[1:]
        best = np.argsort(-noisy)[:k]
        return order[best[noisy[best] > dummy + noise[0]]]

    def mean(self, draw, trials: int) -> str:
        """Mean share of all pairs on the items drawn, with its 95% interval."""
        mass = [self.truth[draw()].sum() / self.truth.sum() for _ in range(trials)]
        half = 1.96 * np.std(mass, ddof=1) / np.sqrt(trials)
        return f"{np.mean(mass):.4f} ± {half:.4f}"


def main() -> None:
    """Print two tables of Markdown."""
    parser = argparse.ArgumentParser()
    parser.add_argument("log")
    parser.add_argument("--user", default="user")
    parser.add_argument("--item", default="item")
    parser.add_argument("--trials", type=int, default=20)
    given = parser.parse_args()

    import pandas as pd

    log = pd.read_csv(given.log, usecols=[given.user, given.item]).dropna().drop_duplicates()
    theirs = Theirs(*(pd.factorize(log[column])[0] for column in (given.user, given.item)))
    ours = counts_by_bound(log, user=given.user, item=given.item, bounds=BOUNDS)
    total = theirs.truth.sum()

    print("| items of a user | captured mass, dp_mm_domain | ours, exact |\n| --- | --- | --- |")
    for bound in BOUNDS:
        found = SparseGaussian(EPSILON, DELTA, bound)
        chances = found.survival(ours.amounts_under(bound, weighted=True))
        mass = 1 - items_found(ours.counts, chances, 1).missing_mass
        drawn = theirs.mean(
            lambda bound=bound: theirs.weighted_gaussian(EPSILON, DELTA, bound), given.trials
        )
        print(f"| {bound} | {drawn} | {mass:.4f} |")

    print(
        "\n| k | top k, its mass | mass of what is released: found, then peeled, dp_mm_domain "
        "| limited domain, dp_mm_domain | limited domain, ours, exact |\n" + "| --- " * 5 + "|"
    )
    bounded = ours.bounded(BOUND_OF_TOP)
    ranks = bounded.ranks_at(np.arange(bounded.d))
    for k in KS:
        mechanism = LimitedDomain(k, EPSILON, DELTA, k_bar=READ * k, max_items=BOUND_OF_TOP)
        mass = mechanism.chances_released(bounded.sorted, ranks) @ ours.counts.counts / total
        peeled = theirs.mean(lambda k=k: theirs.peeled(k), given.trials)
        limited = theirs.mean(lambda k=k: theirs.limited_domain(k), given.trials)
        top = theirs.top[:k].sum() / total
        print(f"| {k} | {top:.4f} | {peeled} | {limited} | {mass:.4f} |")


if __name__ == "__main__":
    main()
