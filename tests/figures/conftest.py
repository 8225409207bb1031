"""Fixtures with every figure of the same small results, and functions to inspect figures."""

from collections.abc import Callable
from functools import cache, partial

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

from dptopk import MECHANISMS, METRICS, figures as f
from dptopk.core.papers import GILLENWATER_2022
from dptopk.mechanisms import ErrorBound
from dptopk.mechanisms.pictures import Coins, Limits, NoisyCounts, Sizes, threshold
from dptopk.simulation.quantile_dots import quantile_dots
from dptopk.simulation.single_releases import NoisyRound

USERS = METRICS["linf"]
PLACE = METRICS["linf_index"]
LABELS = list(MECHANISMS)
STYLES = {name: mechanism.card.style for name, mechanism in MECHANISMS.items()}
POWERS = np.array([0, 1, 9, 99, 12_345])
BOUND = ErrorBound("linf", 50.0, 0.95, GILLENWATER_2022.at("Theorem 3.3"), "Joint errs little.")


def summary(mechanisms=LABELS, over="k", values=(1, 5, 20)) -> pd.DataFrame:
    """Quartiles at every value, all different."""
    rows = [
        {"mechanism": name, over: value, "q25": i + v, "median": 3 * i + v, "q75": 10 * i + v}
        for i, name in enumerate(mechanisms)
        for v, value in enumerate(values)
    ]
    return pd.DataFrame(rows)


def comparison(mechanisms=LABELS, exact: bool = True) -> pd.DataFrame:
    """One row a mechanism, sequences and sets, medians exact or with their intervals."""
    rows = [
        {"mechanism": name, "kind": ("in order", "as a set")[i % 2], "settled": exact}
        | {"q25": i, "median": 3 * i, "q75": 10 * i}
        | {"median_low": 2 * i, "median_high": 4 * i}
        for i, name in enumerate(mechanisms)
    ]
    return pd.DataFrame(rows)


def winners(mechanisms=LABELS) -> pd.DataFrame:
    """A cell with a winner, and one in which two not distinguishable apart."""
    best = [tuple(mechanisms[:1]), tuple(mechanisms[:2])]
    rows = {"k": [1, 9], "epsilon": [0.5, 2.0], "best": best, "equal": False}
    return pd.DataFrame(rows | {"n": len(mechanisms)})


def every_figure(names=("A", "B", "C"), labels=LABELS, values=POWERS, logarithmic=True):
    """Every figure function on the same small results, by name, yet to be called."""
    share = np.linspace(1 / len(values), 1, len(values))
    by_label = dict.fromkeys(labels, values)
    edges = np.arange(values.max() + 2) if values.max() < 9 else np.array([0, 2, 11, 12_346])
    in_bins = dict.fromkeys(labels, np.full(edges.size - 1, 1 / (edges.size - 1)))
    first, some = STYLES[labels[0]], np.arange(len(names))
    even = np.full(len(names), 1 / len(names))
    written = ["some"] * len(names)
    yield "count_errors_by_place", partial(f.count_errors_by_place, by_label, STYLES)
    for metric in (USERS, PLACE):
        how = {"logarithmic": logarithmic and metric is USERS}
        bounded = how | {"bound": BOUND}
        curves = dict.fromkeys(labels, (values, share))
        exact = {labels[0]: (values, share, [f"{p:.1%}" for p in share])}
        dots = quantile_dots(by_label, **how)
        for name, draw, *given, more in (
            ("error_cdf", f.error_cdf, curves, metric, bounded | {"exact": exact}),
            ("error_cdf plain", f.error_cdf, curves, metric, how),
            ("error_histogram", f.error_histogram, in_bins, edges, metric, bounded),
            ("error_quantile_dots", f.error_quantile_dots, dots, metric, bounded),
            ("error_comparison exact", f.error_comparison, comparison(labels), metric, how),
            ("error_comparison runs", f.error_comparison, comparison(labels, False), metric, how),
        ):
            yield f"{name} {metric.key}", partial(draw, *given, STYLES, **more)
        for over, at in (("k", (1, 5, 20)), ("epsilon", (0.1, 1.0, 10.0)), ("k_bar", (2, 9, 40))):
            of_over = (summary(labels, over, at), over, metric, STYLES)
            draw = partial(f.error_sweep, *of_over, **how, current=1)
            yield f"error_sweep {metric.key} {over}", draw
    amounts = (names, [*range(len(names))], "count (users)", "%{x:,}", [True] * len(names))
    yield "amounts", partial(f.amounts, *amounts)
    for round, released in ((0, (1, 0, 3)), (2, (2, 0, 0))):
        columns = ([0, 1, 2], [40, 21, 12], [50.5, -3.25, 13.0], [1, 2, 9], released)
        noisy = NoisyRound(*map(np.array, columns), round, 5)
        three = (*names, "B", "C")[:3]
        yield f"noisy_order {round}", partial(f.noisy_order, three, noisy, 2, first)
    descending = np.sort(values)[::-1]
    yield "count_gaps", partial(f.count_gaps, descending, 2, logarithmic=logarithmic)
    needed = dict.fromkeys(labels, np.geomspace(0.1, 9, len(values)))
    yield "set_epsilons", partial(f.set_epsilons, needed, STYLES, 1.0, 2)
    paid = np.array([3, 1])
    yield "outcomes_spent", partial(f.outcomes_spent, labels[0], paid - 1, paid, 4, 7, STYLES)
    yield "count_histogram", partial(f.count_histogram, edges, np.arange(edges.size - 1), 1, 2)
    probabilities = dict.fromkeys(labels, even)
    drawn = dict.fromkeys(labels, (even, even / 2, np.minimum(even * 2, 1)))
    words = dict.fromkeys(labels, ["> 99.9999%"] * len(names))
    outputs = partial(f.output_probabilities, names, probabilities, STYLES, words=words)
    yield "output_probabilities", partial(outputs, drawn, observed_words=words)
    yield "output_probabilities undrawn", outputs
    loss = np.linspace(-1, 1.5, len(names))
    for label in dict.fromkeys((labels[0], labels[-1])):  # which differ by their style alone
        style, marked = STYLES[label], {"marked": (0,)}
        both = partial(f.neighboring_outputs, names, even, even, style, **marked)
        yield f"neighboring_outputs {label}", partial(both, words=(words[label],) * 2)
        lost = partial(f.privacy_losses, names, loss, 1.0, style, **marked)
        yield f"privacy_losses {label}", lost
    coins = Coins(some[::-1], np.log(even / even.max()), np.log(even))
    yield "coins", partial(f.coins, names, coins, first, (written, written))
    noisy = NoisyCounts(some[::-1], some + 0.5, "Gumbel")
    yield "noisy_counts", partial(f.noisy_counts, names, noisy, first)
    limits = Limits(some, some + 1, even, (1, 2), some, np.stack([some + 1, some + 2]), "the limit")
    yield "limits", partial(f.limits, limits, first, written)
    lifted = threshold(3, 1.0, 2.5, np.log(0.7), np.log(0.3))
    yield "threshold", partial(f.threshold, lifted, first, ("some", "less"))
    sizes = Sizes(some, np.log(even), np.log(even / 2), np.log(0.5))
    yield "sizes", partial(f.sizes, sizes, first, (written, written))
    won, said = winners(labels).assign(poor=[True, False]), {(1, 0.5): "one", (9, 2.0): "two"}
    yield "winner_map", partial(f.winner_map, won, said, [1, 9], [0.5, 2.0], STYLES, (9, 2.0))
    yield "privacy_use", partial(f.privacy_use, dict.fromkeys(labels, 0.7), 1.0, STYLES)
    for delta in (0.0, 1e-6):
        curves = dict.fromkeys(labels, (np.geomspace(1, 1e-12, 5), "solid"))
        profile = partial(f.privacy_profile, np.linspace(0, 2, 5), curves, 1.0, delta)
        yield f"privacy_profile {delta}", profile


@cache
def cases(logarithmic: bool) -> dict[str, Callable[[], go.Figure]]:
    return dict(every_figure(logarithmic=logarithmic))


@cache
def drawn(name: str, logarithmic: bool) -> go.Figure:
    return cases(logarithmic)[name]()


@pytest.fixture(params=[*cases(logarithmic=True)])
def case(request) -> tuple[str, go.Figure]:
    """Every figure, with logarithmic axes."""
    return request.param, drawn(request.param, logarithmic=True)


@pytest.fixture(params=[*cases(logarithmic=False)])
def linear_case(request) -> tuple[str, go.Figure]:
    """Every figure, without."""
    return request.param, drawn(request.param, logarithmic=False)


@pytest.fixture(scope="session")
def all_figures():
    """Every figure function on given names, labels, values: every_figure(...) -> (name, draw)."""
    return every_figure


@pytest.fixture(scope="session")
def named():
    """Find the one trace of a name: named(figure, name)."""

    def find(figure: go.Figure, name: str):
        (trace,) = (trace for trace in figure.data if trace.name == name)
        return trace

    return find


@pytest.fixture(scope="session")
def quartiles():
    """Quartiles of every mechanism at every value, all different."""
    return summary
