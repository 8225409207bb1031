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
    even = np.full(len(names), 1 / len(names))
    loss = np.linspace(-1, 1.5, len(names))
    yield "count_errors_by_place", lambda: f.count_errors_by_place(by_label, STYLES)
    for metric in (USERS, PLACE):
        log = logarithmic and metric is USERS
        curves = dict.fromkeys(labels, (values, share))
        exact = {labels[0]: (values, share, [f"{p:.1%}" for p in share])}
        yield (
            f"error_cdf {metric.key}",
            partial(f.error_cdf, curves, metric, STYLES, exact=exact, bound=BOUND, logarithmic=log),
        )
        yield (
            f"error_cdf plain {metric.key}",
            partial(f.error_cdf, curves, metric, STYLES, logarithmic=log),
        )
        yield (
            f"error_histogram {metric.key}",
            partial(
                f.error_histogram, in_bins, edges, metric, STYLES, bound=BOUND, logarithmic=log
            ),
        )
        yield (
            f"error_quantile_dots {metric.key}",
            partial(
                f.error_quantile_dots,
                quantile_dots(by_label, logarithmic=log),
                metric,
                STYLES,
                bound=BOUND,
                logarithmic=log,
            ),
        )
        for exact_too in (True, False):
            yield (
                f"error_comparison {metric.key} {exact_too}",
                partial(
                    f.error_comparison,
                    comparison(labels, exact_too),
                    metric,
                    STYLES,
                    logarithmic=log,
                ),
            )
        for over, at in (("k", (1, 5, 20)), ("epsilon", (0.1, 1.0, 10.0)), ("k_bar", (2, 9, 40))):
            yield (
                f"error_sweep {metric.key} {over}",
                partial(
                    f.error_sweep,
                    summary(labels, over, at),
                    over,
                    metric,
                    STYLES,
                    logarithmic=log,
                    current=1,
                ),
            )
    yield (
        "amounts",
        lambda: f.amounts(
            names, list(range(len(names))), "count (users)", "%{x:,}", [True] * len(names)
        ),
    )
    for round, released in ((0, (1, 0, 3)), (2, (2, 0, 0))):
        noisy = NoisyRound(
            np.arange(3),
            np.array([40, 21, 12]),
            np.array([50.5, -3.25, 13.0]),
            np.array([1, 2, 9]),
            np.array(released),
            round,
            5,
        )
        three = (*names, "B", "C")[:3]
        yield (f"noisy_order {round}", partial(f.noisy_order, three, noisy, 2, STYLES[labels[0]]))
    yield "count_gaps", lambda: f.count_gaps(np.sort(values)[::-1], 2, logarithmic=logarithmic)
    needed = dict.fromkeys(labels, np.geomspace(0.1, 9, len(values)))
    yield "set_epsilons", lambda: f.set_epsilons(needed, STYLES, 1.0, 2)
    paid = np.array([3, 1])
    yield "outcomes_spent", lambda: f.outcomes_spent(labels[0], paid - 1, paid, 4, 7, STYLES)
    yield "count_histogram", lambda: f.count_histogram(edges, np.arange(edges.size - 1), 1, 2)
    probabilities = dict.fromkeys(labels, even)
    drawn = dict.fromkeys(labels, (even, even / 2, np.minimum(even * 2, 1)))
    words = dict.fromkeys(labels, ["> 99.9999%"] * len(names))
    yield (
        "output_probabilities",
        lambda: f.output_probabilities(
            names, probabilities, STYLES, drawn, words=words, observed_words=words
        ),
    )
    yield (
        "output_probabilities undrawn",
        lambda: f.output_probabilities(names, probabilities, STYLES, words=words),
    )
    for label in labels:
        yield (
            f"neighboring_outputs {label}",
            partial(
                f.neighboring_outputs,
                names,
                even,
                even,
                STYLES[label],
                marked=(0,),
                words=(words[label],) * 2,
            ),
        )
        yield (
            f"privacy_losses {label}",
            partial(f.privacy_losses, names, loss, 1.0, STYLES[label], marked=(0,)),
        )
    some = np.arange(len(names))
    coins = Coins(some[::-1], np.log(even / even.max()), np.log(even))
    written = ["some"] * len(names)
    noisy = NoisyCounts(some[::-1], some + 0.5, "Gumbel")
    limits = Limits(some, some + 1, even, (1, 2), some, np.stack([some + 1, some + 2]), "the limit")
    yield "coins", lambda: f.coins(names, coins, STYLES[labels[0]], (written, written))
    yield "noisy_counts", lambda: f.noisy_counts(names, noisy, STYLES[labels[0]])
    yield "limits", lambda: f.limits(limits, STYLES[labels[0]], written)
    lifted = threshold(3, 1.0, 2.5, np.log(0.7), np.log(0.3))
    yield "threshold", lambda: f.threshold(lifted, STYLES[labels[0]], ("some", "less"))
    sizes = Sizes(some, np.log(even), np.log(even / 2), np.log(0.5))
    yield "sizes", lambda: f.sizes(sizes, STYLES[labels[0]], (written, written))
    yield (
        "winner_map",
        lambda: f.winner_map(
            winners(labels).assign(poor=[True, False]),
            {(1, 0.5): "one", (9, 2.0): "two"},
            [1, 9],
            [0.5, 2.0],
            STYLES,
            (9, 2.0),
        ),
    )
    yield "privacy_use", lambda: f.privacy_use(dict.fromkeys(labels, 0.7), 1.0, STYLES)
    epsilons = np.linspace(0, 2, 5)
    for delta in (0.0, 1e-6):
        curves = dict.fromkeys(labels, (np.geomspace(1, 1e-12, 5), "solid"))
        yield (f"privacy_profile {delta}", partial(f.privacy_profile, epsilons, curves, 1.0, delta))


@cache
def cases(logarithmic: bool) -> dict[str, Callable[[], go.Figure]]:
    return dict(every_figure(logarithmic=logarithmic))


@cache
def drawn(name: str, logarithmic: bool) -> go.Figure:
    return cases(logarithmic)[name]()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give a test every figure: ``case`` with logarithmic axes, ``linear_case`` without."""
    for fixture, logarithmic in (("case", True), ("linear_case", False)):
        if fixture in metafunc.fixturenames:
            metafunc.parametrize(fixture, list(cases(logarithmic)), indirect=True)


@pytest.fixture
def case(request) -> tuple[str, go.Figure]:
    return request.param, drawn(request.param, logarithmic=True)


@pytest.fixture
def linear_case(request) -> tuple[str, go.Figure]:
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
