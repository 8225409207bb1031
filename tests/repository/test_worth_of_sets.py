"""Test the numbers in the benchmarks' table on releasing sets instead of sequences."""

import re
from pathlib import Path

import pytest

from dptopk import (
    CDPPeel,
    InverseSensitivitySet,
    Joint,
    JointSet,
    PNFInverseSensitivitySet,
    PNFJoint,
    PNFPeel,
    dataset_names,
    exact_error,
    load_dataset,
    run_trials,
)

README = (Path(__file__).resolve().parents[2] / "benchmarks" / "README.md").read_text("utf-8")
PEEL = CDPPeel(1, 1.0, 1e-6, calibration="optimal")
COLUMNS = {
    m.name: m
    for m in (
        *(InverseSensitivitySet(1, 1.0), PNFInverseSensitivitySet(1, 1.0)),
        *(JointSet(1, 1.0), Joint(1, 1.0)),
        *(PNFJoint(1, 1.0), PNFPeel(1, 1.0), PEEL),
    )
}


def rows() -> dict[tuple[str, int], dict[str, str]]:
    part = README.partition("## What it is worth to give up the order")[2].partition("\n## ")[0]
    lines = [line.strip("| ").split(" | ") for line in part.splitlines() if line.startswith("| ")]
    head, _, *body = lines
    assert head == ["data", "k", *COLUMNS]
    return {(name, int(k)): dict(zip(COLUMNS, cells, strict=True)) for name, k, *cells in body}


TABLE = rows()


def number(text: str) -> float:
    return float(re.match(r"[\d,.]+", text.strip("*"))[0].replace(",", ""))


def test_the_table_is_of_bundled_data_and_says_where_sets_win_and_where_not():
    assert {name for name, _ in TABLE} < set(dataset_names())
    assert "**" in TABLE["games", 40]["PNF inverse sensitivity"]
    assert "**" not in TABLE["games", 80]["PNF inverse sensitivity"]


@pytest.mark.parametrize(
    ("name", "k"), [("games", 40), ("games", 80), ("movies_small", 20), ("anime_watched", 80)]
)
@pytest.mark.parametrize("column", ["Inverse sensitivity", "PNF inverse sensitivity", "Joint"])
def test_exact_numbers_are_those_of_the_package(name, k, column):
    mean = exact_error(load_dataset(name), COLUMNS[column].replaced(k=k), "k_relative").mean
    text = TABLE[name, k][column]
    assert "±" not in text
    assert number(text) == pytest.approx(mean, abs=0.051 if mean < 10 else 0.51)


def test_simulated_numbers_are_those_of_the_package():
    text = TABLE["games", 80]["CDP-Peel"]
    half = float(text.strip("*").partition("± ")[2])
    runs = run_trials(load_dataset("games"), [PEEL.replaced(k=80)], 200, seed=5)["k_relative"]
    doubt = 4 * (half / 1.96 + runs.std() / 200**0.5)  # standard errors of both
    assert number(text) == pytest.approx(runs.mean(), abs=doubt)
