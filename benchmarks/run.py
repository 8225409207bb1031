"""Measure every speed budget of the package beside a yardstick in the same run.

    python benchmarks/run.py

How to read it: one line a budget.  *ours* is our figure, *yardstick* what it is held
against (named on the line), *ratio* the first over the second (or the second over the
first where the line says "times faster"), then the budget and whether it is kept.
Times are of the processor, the least of several runs, ours and the yardstick's in turn where
both are quick (Gillenwater et al.'s Algorithm 1 as a plain loop runs once); memory is
tracemalloc's peak, in bytes allocated while running.  Absolute times depend on the machine
and on what else it is doing; ratios far less.  Nothing is asserted: "OVER BUDGET" is a word
to look for.

A yardstick marked "extrapolated" was not run in full: one setting was, and its time
multiplied by the amount of work.
"""

import itertools
import os
import platform
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # run from a clone, not installed

from measuring import megabytes, milliseconds, peak_bytes, seconds, seconds_of_both, show, timed
from paper_joint import in_a_loop, naive_pnf_peel

from dptopk import (
    AdaptiveK,
    CDPPeel,
    EMPeel,
    Gamma,
    InverseSensitivitySet,
    ItemCounts,
    Joint,
    JointSet,
    Laplace,
    LimitedDomain,
    LimitedDomainLaplace,
    Mechanism,
    OneShotCounts,
    PNFInverseSensitivitySet,
    PNFJoint,
    PNFPeel,
    SortedCounts,
    StableSet,
    dataset_names,
    exact_sample,
    goodness_of_fit,
    load_dataset,
    output_distribution,
    sweep,
)
from dptopk.core.random_bits import SYSTEM_BITS
from dptopk.mechanisms.kernels.sequences import SequencesByLoss
from dptopk.questions.draw_times import log_sequences, paper_joint

D = 166_000  # items in the paper's largest data set, Foods
PANEL_K = range(5, 200, 10)
PANEL_TRIALS = 50
DELTA = 1e-6


def food_like(rng: np.random.Generator) -> np.ndarray:
    """Heavy-tailed counts in random order: 166,000 items, under 1,000 distinct counts."""
    return np.floor(rng.pareto(1.0, D) + 1).clip(max=12_000).astype(np.int64)


def joint_table(counts: np.ndarray, label: str):
    def table():
        data = ItemCounts(counts)  # fresh: validating, copying and sorting are in the time
        SequencesByLoss(data.sorted, 200).blocks(Joint(200, 1.0).rate)

    ours, sort = seconds_of_both(table, lambda: np.sort(counts), repeats=41)
    show(
        f"Joint's table, k = 200, {label}",
        milliseconds(ours),
        f"np.sort of the counts: {milliseconds(sort)}",
        f"ratio {ours / sort:.1f}",
        "under 15",
        ours < 15 * sort,
    )


def joint_draws(counts: np.ndarray, rng: np.random.Generator):
    mechanism = Joint(200, 1.0)
    ready = ItemCounts(counts)
    mechanism.sample(ready, 1, rng)
    for label, fresh in (
        ("counts already sorted", lambda: ready),
        ("sorting included", lambda: ItemCounts(counts)),
    ):
        fifty, one = seconds_of_both(
            lambda data: mechanism.sample(data, 50, rng),
            lambda data: mechanism.sample(data, 1, rng),
            repeats=25,
            fresh=fresh,
        )
        show(
            f"Joint, 50 draws, k = 200, {label}",
            milliseconds(fifty),
            f"one draw: {milliseconds(one)}",
            f"ratio {fifty / one:.1f}",
            "under 4",
            fifty < 4 * one,
        )


def beside(mechanism: Mechanism, yardstick: Mechanism, n: int, times: int, counts: np.ndarray):
    """All that ``n`` releases give, against draws of another mechanism, sorting included."""
    rng = np.random.default_rng(n)
    ours, other = seconds_of_both(
        lambda data: mechanism.released(data, n, rng),
        lambda data: yardstick.sample(data, n, rng),
        repeats=15,
        fresh=lambda: ItemCounts(counts),
    )
    show(
        f"{mechanism.label}, draws: {n}, k = {mechanism.k}, sorting included",
        milliseconds(ours),
        f"{yardstick.name}: {milliseconds(other)}",
        f"ratio {ours / other:.2f}",
        f"under {times}",
        ours < times * other,
    )


def sets_beside_joint(counts: np.ndarray):
    for cls, n in itertools.product((InverseSensitivitySet, PNFInverseSensitivitySet), (1, 50)):
        beside(cls(200, 1.0), Joint(200, 1.0), n, 2, counts)


def joint_set(counts: np.ndarray, rng: np.random.Generator):
    ours, joint = seconds_of_both(
        lambda data: JointSet(50, 1.0).sample(data, 1, rng),
        lambda data: Joint(50, 1.0).sample(data, 1, rng),
        repeats=5,
        fresh=lambda: ItemCounts(counts),
    )
    show(
        "Joint set, one draw, k = 50, sorting included",
        milliseconds(ours),
        f"Joint: {milliseconds(joint)}",
        f"ratio {ours / joint:.1f}",
        "under 1 s",
        ours < 1,
    )


def sets_or_nothing(counts: np.ndarray):
    """A top set that is asked for by its gap costs little more than the sorting."""
    for cls in (StableSet, AdaptiveK):
        beside(cls(200, 1.0, DELTA), Joint(200, 1.0), 50, 2, counts)


def peeling_kinds(counts: np.ndarray):
    """Those that differ from CDP-Peel in what they read or release take no longer."""
    for mechanism in (
        EMPeel(200, 1.0),
        Gamma(200, 1.0),
        Laplace(200, 1.0),
        Laplace(200, 1.0, max_items=1),
        LimitedDomain(200, 1.0, DELTA),
        LimitedDomainLaplace(200, 1.0, DELTA, 1),
        OneShotCounts(200, 1.0, DELTA),
    ):
        beside(mechanism, CDPPeel(200, 1.0, DELTA), 50, 3, counts)


def exact_draws(counts: np.ndarray, rng: np.random.Generator):
    """Draw exactly and by floating-point numbers: time, random bits and peak memory of one draw.

    Memory is Python's and numpy's; FLINT's numbers, a few at a time, are not in it.
    """
    data = ItemCounts(counts)
    of_delta = (CDPPeel, LimitedDomain, OneShotCounts, StableSet, AdaptiveK)
    for cls in (
        Joint,
        PNFJoint,
        InverseSensitivitySet,
        PNFInverseSensitivitySet,
        PNFPeel,
        EMPeel,
        *of_delta,
    ):
        for k in (10, 50, 200):
            mechanism = cls(k, 1.0, DELTA) if cls in of_delta else cls(k, 1.0)
            source = CountedBits()
            exact, floating = seconds_of_both(
                lambda m=mechanism, source=source: exact_sample(m, data, source),
                lambda m=mechanism: m.sample(data, 1, rng),
                repeats=5,
            )
            n_bits = source.drawn / 6  # one more call is the warm-up
            exact_peak = peak_bytes(lambda m=mechanism: exact_sample(m, data))
            peak = peak_bytes(lambda m=mechanism: m.sample(data, 1, rng))
            show(
                f"{mechanism.label}, one exact draw, k = {k}",
                milliseconds(exact),
                f"floats: {milliseconds(floating)}; {n_bits:,.0f} bits; "
                f"{megabytes(exact_peak)} beside {megabytes(peak)}",
                f"ratio {exact / floating:.1f}",
                "",
                None,
            )


class CountedBits:
    """The operating system's random bits, counted."""

    def __init__(self):
        self.drawn = 0

    def __call__(self, n: int) -> int:
        """Return n bits."""
        self.drawn += n
        return SYSTEM_BITS(n)


def joint_memory(counts: np.ndarray, rng: np.random.Generator):
    for k in (20, 200):
        peak = peak_bytes(lambda k=k: Joint(k, 1.0).sample(ItemCounts(counts), 50, rng))
        floor = 8 * (D + 50 * k)
        show(
            f"Joint, peak memory of 50 draws, k = {k}",
            megabytes(peak),
            f"8 (d + draws k) bytes: {megabytes(floor)}; k x d: {megabytes(8 * k * D)}",
            f"ratio {peak / floor:.1f}",
            "under 10",
            peak < 10 * floor,
        )


def joint_against_paper(counts: np.ndarray, rng: np.random.Generator):
    small = ItemCounts([10, 5, 1, 1])
    for vectorised in (False, True):
        how = log_sequences if vectorised else in_a_loop
        draws = [paper_joint(small.counts, 2, 1.0, rng, how) for _ in range(10_000)]
        fit = goodness_of_fit(output_distribution(small, Joint(2, 1.0)), np.array(draws))
        print(f"(the yardstick draws Joint's law: χ² p = {fit.p_value:.2g} on 10,000 draws)")
    for k, vectorised in ((10, False), (50, False), (50, True)):
        ours = seconds(
            lambda data, k=k: Joint(k, 1.0).sample(data, 1, rng), fresh=lambda: ItemCounts(counts)
        )

        def theirs(k=k, vectorised=vectorised):
            paper_joint(counts, k, 1.0, rng, log_sequences if vectorised else in_a_loop)

        paper = seconds(theirs, repeats=2) if vectorised else timed(theirs, None)()
        judged = k == 50 and not vectorised
        show(
            f"Joint, one draw, k = {k}, sorting included",
            milliseconds(ours),
            f"Algorithm 1{', vectorised by us' if vectorised else ''}: {milliseconds(paper)}",
            f"{paper / ours:,.0f} times faster",
            "200 times" if judged else "",
            paper > 200 * ours if judged else None,
        )


def panel(counts: np.ndarray, label: str, budget: float, rng: np.random.Generator):
    mechanisms = [Joint(1, 1.0), PNFPeel(1, 1.0), CDPPeel(1, 1.0, DELTA)]
    ours = seconds(
        lambda data: sweep(data, mechanisms, "k", PANEL_K, PANEL_TRIALS, seed=0),
        fresh=lambda: ItemCounts(counts),
        repeats=3,
    )
    one = seconds(lambda: naive_pnf_peel(counts, 20, 1.0, rng), repeats=3)
    naive = one / 20 * sum(PANEL_K) * PANEL_TRIALS * 2  # two that peel; nothing for Joint
    show(
        f"Figure 1 panel, {label}",
        milliseconds(ours),
        f"peeling with d k work, extrapolated: {milliseconds(naive)}",
        f"{naive / ours:,.0f} times faster",
        f"under {budget:g} s",
        ours < budget,
    )


def fresh_draws(counts: np.ndarray, rng: np.random.Generator):
    """One draw from counts as they come, beside noise on every count in plain numpy."""
    for k, kind in itertools.product((10, 100), (Joint, PNFPeel, EMPeel, Laplace, Gamma)):
        mechanism = kind(k, 1.0)
        ours, gumbel = seconds_of_both(
            lambda data, mechanism=mechanism: mechanism.sample(data, 1, rng),
            lambda data, k=k: np.argpartition(-(data.counts + rng.gumbel(size=D)), k),
            repeats=9,
            fresh=lambda: ItemCounts(counts),
        )
        show(
            f"{mechanism.name}, one draw, k = {k}, sorting included",
            milliseconds(ours),
            f"one-shot Gumbel in numpy: {milliseconds(gumbel)}",
            f"ratio {ours / gumbel:.2f}",
            "under 1",
            ours < gumbel,
        )


def log_probabilities(counts: np.ndarray, rng: np.random.Generator):
    """The exact log probability of one draw, beside that of peeling, a sum of k logarithms."""
    data = ItemCounts(counts).sorted
    for k, (kind, options) in itertools.product(
        (10, 100),
        (
            (Laplace, {"epsilon": 1.0}),
            (Laplace, {"epsilon": 1e-4}),
            (Gamma, {"epsilon": 1.0}),
            (LimitedDomainLaplace, {"epsilon": 1.0, "delta": DELTA}),
        ),
    ):
        mechanism, yardstick = kind(k, **options), EMPeel(k, 1.0)
        outputs = [each.sample(data, 1, rng) for each in (mechanism, yardstick)]
        ours, other = seconds_of_both(
            lambda mechanism=mechanism, outputs=outputs: mechanism.log_pmf(data, outputs[0]),
            lambda yardstick=yardstick, outputs=outputs: yardstick.log_pmf(data, outputs[1]),
            repeats=5,
        )
        show(
            f"{mechanism.name}, log_pmf, k = {k}, epsilon = {mechanism.epsilon:g}",
            milliseconds(ours),
            f"{yardstick.name}: {milliseconds(other)}",
            f"ratio {ours / other:.1f}",
            "under 0.1 s",
            ours < 0.1,
        )


def thousand_million(counts: np.ndarray, rng: np.random.Generator):
    values = np.unique(counts)[::-1]
    share = 1 / (1.0 + np.arange(values.size))[::-1]
    multiplicities = np.maximum(1, np.floor(share / share.sum() * 10**9)).astype(np.int64)
    multiplicities[-1] += 10**9 - multiplicities.sum()
    for mechanism in (Joint(50, 1.0), PNFJoint(50, 1.0), PNFPeel(50, 1.0), CDPPeel(50, 1.0, DELTA)):

        def draw(m, mechanism=mechanism):
            return mechanism.sample(SortedCounts(values, m), 50, rng)

        ours, alone = seconds_of_both(
            lambda draw=draw: draw(multiplicities),
            lambda draw=draw: draw(np.ones_like(multiplicities)),
            repeats=15,
        )
        show(
            f"{mechanism.name}, d = 1e9, {values.size} distinct counts, 50 draws, k = 50",
            milliseconds(ours),
            f"every count once (d = {values.size}): {milliseconds(alone)}",
            f"ratio {ours / alone:.2f}",
            "under 2",
            ours < 2 * alone,
        )


def tiny_epsilon(counts: np.ndarray, rng: np.random.Generator):
    for epsilon in (1e-3, 1e-6, 1e-12):
        tiny, usual = seconds_of_both(
            lambda data, epsilon=epsilon: Joint(200, epsilon).sample(data, 50, rng),
            lambda data: Joint(200, 1.0).sample(data, 50, rng),
            repeats=9,
            fresh=lambda: ItemCounts(counts),
        )
        show(
            f"Joint, 50 draws, k = 200, epsilon = {epsilon:g}",
            milliseconds(tiny),
            f"epsilon = 1: {milliseconds(usual)}",
            f"ratio {tiny / usual:.1f}",
            "",
            None,
        )


def main():
    rng = np.random.default_rng(0)
    counts = food_like(rng)
    spread = rng.permutation(np.arange(D) * 7)  # the worst case: no two counts equal
    print(
        f"{os.cpu_count()} cores ({platform.machine()}), load {os.getloadavg()[0]:.1f}, "
        f"Python {platform.python_version()}, numpy {np.__version__}; d = {D:,}, "
        f"{np.unique(counts).size} distinct counts unless said otherwise\n"
    )
    joint_table(counts, "Food-like")
    joint_table(spread, "all counts distinct")
    joint_draws(counts, rng)
    sets_beside_joint(counts)
    joint_set(counts, rng)
    sets_or_nothing(counts)
    peeling_kinds(counts)
    exact_draws(counts, rng)
    fresh_draws(counts, rng)
    log_probabilities(counts, rng)
    joint_memory(counts, rng)
    joint_against_paper(counts, rng)
    panel(counts, "Food-like", 3.0, rng)
    for name in dataset_names():
        data = load_dataset(name)
        panel(data.counts, f"{name} (d = {data.d:,}, {data.sorted.n_levels:,} distinct)", 5.0, rng)
    thousand_million(counts, rng)
    tiny_epsilon(counts, rng)


if __name__ == "__main__":
    main()
