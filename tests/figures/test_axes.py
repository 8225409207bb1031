"""Test that axes state their quantity and unit, and whether they are logarithmic or shifted."""

import json
import re

import numpy as np
import plotly.graph_objects as go
import pytest

from dptopk import MECHANISMS, METRICS, figures as f

USERS = METRICS["linf"]
PLACE = METRICS["linf_index"]
LABELS = list(MECHANISMS)
STYLE = next(iter(MECHANISMS.values())).card.style
BIG = 2**53


def axes(figure: go.Figure) -> list:
    return [figure.layout.xaxis, figure.layout.yaxis]


OF_ROWS = {
    *("amounts", "privacy_use", "output_probabilities", "neighboring_outputs"),
    *("privacy_losses", "coins", "noisy_counts", "noisy_order", "error_comparison"),
}


def test_every_axis_says_what_it_is(case):
    name, figure = case
    assert isinstance(figure, go.Figure)
    assert len(json.loads(figure.to_json())["data"]) == len(figure.data) >= 1
    for axis in axes(figure):
        title = axis.title.text
        # the names beside rows are their own title
        assert title or (name.split()[0] in OF_ROWS and axis is figure.layout.yaxis)
        assert bool(re.search(r"log scale|log of 1 \+ x", title or "")) == (axis.type == "log")


UNITS = {
    "amoun": r"\(users\)",
    "count": r"in users \(log (scale|of 1 \+ x)\)",
    "error": r"in users \(log (scale|of 1 \+ x)\)",
    "outco": "budget spent, in units",
    "outpu": "probability",
    "neigh": "probability",
    "coins": "probability",
    "noisy": "users",
    "limit": r"\(users\)",
    "set_e": "items in the set, at most.* ε needed",
    "thres": r"\(users\)",
    "sizes": "probability",
    "winne": "k, items released .* ε, privacy budget",
    "priva": "privacy loss|δ .* ε|ε .* δ",
}
"""What the titles of the axes of a figure say, by the first five letters of its name."""


def test_counts_and_errors_say_their_unit(case):
    name, figure = case
    titles = " | ".join((axis.title.text or "").replace("<br>", " ") for axis in axes(figure))
    assert name[:5] in UNITS, f"enter {name[:5]!r} of {name} in UNITS: what its axes are numbers of"
    unit = UNITS[name[:5]]
    if name == "count_errors_by_place":
        unit = r"count error \(users\)"
    if PLACE.key in name:
        unit = r"\(place, from 0\)"
    assert re.search(unit, titles)


@pytest.mark.slow
def test_linear_axes_do_not_claim_to_be_logarithmic_or_padded(linear_case):
    name, figure = linear_case
    for axis in axes(figure):
        if name not in ("count_histogram", "set_epsilons") and "privacy_profile" not in name:
            logarithmic = axis.type == "log"
            assert logarithmic == (
                ("epsilon" in name or "k_bar" in name) and axis is figure.layout.xaxis
            )
            assert "padded" not in (axis.title.text or "")


@pytest.mark.parametrize(
    "largest", [0, 1, 5, 99, 100, 10**6, 10**9, 10**12, 10**15, BIG, 200 * BIG]
)
def test_ticks_of_a_padded_axis_stand_where_their_number_is_drawn(largest):
    values = np.array([0, largest])
    axis = f.error_cdf({"one": (values, np.array([0.5, 1.0]))}, USERS, {"one": STYLE}).layout.xaxis
    for at, text in zip(axis.tickvals, axis.ticktext, strict=True):
        number, suffix = re.fullmatch(r"(\d+)([kMGTP]?)", text).groups()
        assert int(at) - 1 == int(number) * 1000 ** ["", "k", "M", "G", "T", "P"].index(suffix)
    assert axis.tickvals[-1] > largest / 10
    low, high = axis.range
    assert low < 0
    assert high > np.log10(largest + 1)


@pytest.mark.parametrize("logarithmic", [True, False])
@pytest.mark.parametrize(
    "label", [LABELS[0], *(pytest.param(label, marks=pytest.mark.grid) for label in LABELS[1:])]
)
def test_one_item_one_mechanism_and_zeros_only(all_figures, label, logarithmic):
    values = np.array([0])
    for _, draw in all_figures(("only",), [label], values, logarithmic):
        figure = draw()
        assert len(json.loads(figure.to_json())["data"]) >= 1
        for axis in axes(figure):
            assert axis.range is None or axis.range[0] != axis.range[1]  # some run downwards


def test_only_ties():
    figure = f.count_gaps(np.full(3, 7), 2)
    assert [t.name for t in figure.data] == ["count", "tie (gap 0)", "gap after place 2"]


PHONE = 350  # pixels of a figure on a telephone


@pytest.mark.parametrize("label", ["Joint", "Inverse sensitivity", "PNF inverse sensitivity"])
def test_titles_of_axes_beside_names_are_not_cut_on_a_phone(all_figures, label):
    found = 0
    for name, draw in all_figures(("only",), [label], np.array([0, 7, 90]), True):
        if name.startswith(("error_quantile_dots linf", "error_comparison linf")):
            figure = draw()
            found += 1
            beside = max(
                len(line) for tick in figure.layout.yaxis.ticktext for line in tick.split("<br>")
            )
            upright = 30 if figure.layout.yaxis.title.text else 0
            axis = PHONE - 7 * beside - upright - 20
            lines = figure.layout.xaxis.title.text.split("<br>")  # centred below the axis
            assert max(map(len, lines)) * 6.7 < axis + 20
    assert found >= 2


def test_an_axis_without_any_error_has_room_for_some():
    figure = f.error_cdf({"one": (np.array([0]), np.array([1.0]))}, USERS, {"one": STYLE})
    assert figure.layout.xaxis.range[1] > np.log10(6)
    assert figure.layout.xaxis.ticktext[:3] == ("0", "1", "2")


@pytest.mark.parametrize(
    ("ends", "shown", "scale"),
    [
        ([0, 900], "0 1 10 100 1k", "log of 1 + x"),
        ([0, 10**6], "0 10 100 1k 10k 100k 1M", "log of 1 + x"),  # no 1 on the 0
        ([900, 2_600], "1k 1,500 2k 2,500", "log scale"),
        ([180, 215], "160 180 200 220 240", "log scale"),
    ],
)
def test_ticks_of_a_padded_axis_are_not_crowded_and_its_name_is_true(ends, shown, scale):
    curve = {"one": (np.array(ends), np.array([0.5, 1.0]))}
    axis = f.error_cdf(curve, USERS, {"one": STYLE}).layout.xaxis
    assert " ".join(axis.ticktext) == shown
    assert axis.title.text == f"maximum error (ℓ∞) in users ({scale})"
