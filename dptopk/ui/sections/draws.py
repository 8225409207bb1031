"""Summarize all draws so far: how often each place was right, and the exact probability."""

from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from dptopk import figures
from dptopk.core.array_types import FloatArray
from dptopk.core.counts import ItemCounts
from dptopk.core.errors import is_exact_sequence, is_exact_set
from dptopk.core.parameters import Number
from dptopk.core.placements import Placement, placements
from dptopk.laws.distribution import output_distribution
from dptopk.mechanisms import Mechanism, NoClosedFormError
from dptopk.questions import settings
from dptopk.questions.errors import known_shares
from dptopk.questions.release import NOT_PUBLIC, Release, released
from dptopk.questions.view import View, styles_of
from dptopk.ui import address, results, show
from dptopk.ui.show import Button, Chart, Table

SINCE = Number("since", "First draw counted", 0, int(settings.SEED.high), 0)
MOST = 50
_FEW = 2_000  # outputs, of which the exact chance of every place is summed


def draws_so_far(view: View) -> None:
    """Count right places and right releases over the seeds drawn so far, if several."""
    first = max(int(address.value(SINCE)), view.seed - MOST + 1)
    n = view.seed - first + 1
    if n < 2:
        return
    drawn = {
        m: [
            results.remembered(released, view.counts, m, seed, size=m.k)
            for seed in range(first, view.seed + 1)
        ]
        for m in view.mechanisms
    }
    origin = view.origin(
        view.mechanisms,
        "simulated",
        runs=n,
        runs_are="releases of each mechanism, each under its own seed",
        seed=view.seed,
        alone=NOT_PUBLIC,
    )
    frame = pd.DataFrame([_row(view, m, releases) for m, releases in drawn.items()])
    anew = Button("Restart the count here", "count-anew", partial(address.choose, SINCE, view.seed))
    st.header(f"The {n} draws so far", anchor=False)
    st.caption(
        f"Seeds {first:,} to {view.seed:,}: each “Draw again” adds one"
        f"{f', and the last {MOST} are kept' if n == MOST else ''}. With more draws, the "
        "shares tend to the exact probabilities."
    )
    show.table(Table(frame, "draws-so-far", "Right releases among the draws so far", origin))
    show.button_row("draws", [anew])
    right = [
        f"{m.label} {_right(releases).mean():.1%} of all places" for m, releases in drawn.items()
    ]
    show.chart(
        Chart(
            _by_place(view, drawn),
            "right-places",
            "Share of the draws so far in which each place is right.",
            origin,
            height=340,
            finding=f"{'; '.join(right)}.",
        )
    )


def _right(releases: list[Release]) -> FloatArray:
    """Return whether each place was right in each draw, shape (n, k)."""
    right: FloatArray = np.array([r.placements == Placement.RIGHT for r in releases], float)
    return right


def _row(view: View, mechanism: Mechanism, releases: list[Release]) -> dict[str, str]:
    rows, kind = np.array([r.positions for r in releases]), mechanism.outputs
    known = results.remembered(known_shares, view.counts, mechanism)
    exact = {key: share.brief for key, share in known.items()}
    as_set = int(is_exact_set(view.counts, rows, kind).sum())
    in_order = int(is_exact_sequence(view.counts, rows, kind).sum()) if kind.ordered else None
    n = len(releases)
    return {
        "mechanism": mechanism.label,
        "places right": f"{_right(releases).mean():.1%}",
        "all right in order": "–" if in_order is None else f"{in_order} of {n}",
        "in order, exactly": exact.get("exact_sequence", "–"),
        "all right in any order": f"{as_set} of {n}",
        "in any order, exactly": exact.get("exact_set", "–"),
    }


def _by_place(view: View, drawn: dict[Mechanism, list[Release]]) -> go.Figure:
    """Share of right draws by place, and the exact probability where outputs are few."""
    places = np.arange(1, view.k + 1)
    rates = {m.label: (places, _right(releases).mean(axis=0)) for m, releases in drawn.items()}
    styles = dict(styles_of(tuple(drawn)))
    for mechanism in drawn:
        few = mechanism.outputs.n_outputs(view.counts.d, mechanism.k) <= _FEW
        arguments = view.counts, mechanism
        exact = results.remembered(_right_places, *arguments, size=mechanism.k) if few else None
        if exact is not None:
            name = f"{mechanism.label}, exact"
            rates[name] = places, exact
            styles[name] = replace(mechanism.card.style, dash="dot", marker="line-ew-open")
    figure = figures.curves(rates, styles, ("place", "share of draws<br>in which it is right"))
    figure.update_xaxes(range=[0.9, view.k + 0.1], tickformat=",d", nticks=min(view.k + 1, 12))
    return figure.update_yaxes(range=[-0.03, 1.05], tickformat=".0%")


def _right_places(counts: ItemCounts, mechanism: Mechanism) -> FloatArray | None:
    """Return the exact probability that each place is right; None where no law is known."""
    try:
        law = output_distribution(counts, mechanism)
    except NoClosedFormError:
        return None
    right = placements(counts, law.sequences, mechanism.outputs) == Placement.RIGHT
    shares: FloatArray = law.probabilities @ right
    return shares
