"""Test which bound on the items per user is called best: as sure as intervals are, no surer."""

from types import SimpleNamespace

import pandas as pd
import pytest

from dptopk import Joint, Laplace
from dptopk.questions.answer import Answer
from dptopk.questions.users import best_of, finding, marked, winners
from dptopk.tuning.contribution_bound import ALIKE

K = 10


def table(*rows: tuple[str, float, float, float, float]) -> pd.DataFrame:
    """Return mechanism, bound, and wrong items with their interval; the first row is best."""
    names = ["mechanism", "max_items", "wrong", "wrong_low", "wrong_high"]
    frame = pd.DataFrame(rows, columns=names)
    return frame.assign(
        right=K - frame["wrong"],
        is_exact=False,
        is_best=frame.index == 0,
        as_good=frame["wrong_low"] <= frame["wrong_high"].iloc[0] + ALIKE,
        needs_list=True,
        can_publish=True,
    )


def answer(frame: pd.DataFrame) -> Answer:
    origin = SimpleNamespace(mechanisms=[Joint(K, 1.0), Laplace(K, 1.0)])
    return Answer("bounds", "", frame, origin, (), ())


def marks(*rows: tuple[str, float, float, float, float]) -> dict[str, list[str]]:
    """Return the cells with ✓ of each column."""
    written = winners(answer(table(*rows))).written
    return {at: [cell for cell in cells if "✓" in cell] for at, cells in written.items()}


@pytest.mark.parametrize(("low", "wins"), [(2.15, True), (2.204, True), (2.206, False)])
def test_a_row_wins_unless_its_interval_is_above_that_of_the_fewest(low, wins):
    found = marks(("A", 3, 2.0, 1.8, 2.2), ("B", 3, 2.5, low, 2.9))
    assert found == {"3": ["✓ 2.00 best", "✓ 2.50 ≈"][: 1 + wins]}


@pytest.mark.parametrize(("high", "wins"), [(5.0, True), (5.1, False)])
def test_nobody_wins_where_half_of_the_places_may_be_wrong(high, wins):
    assert marks(("A", 3, 4.8, 4.5, high)) == {"3": ["✓ 4.80 best"] * wins}


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ((2, 2.5, 2.3, 2.7), "At most 3 items per user is best: "),
        ((2, 2.5, 2.1, 2.9), "At most 3 items per user may be best: "),
        ((3, 2.5, 2.1, 2.9), "At most 3 items per user is best: "),  # of another mechanism
    ],
)
def test_a_bound_is_called_best_only_where_no_other_is_as_good(other, said):
    frame = table(("A", 3, 2.0, 1.8, 2.2), ("B", *other), ("C", float("nan"), 4.0, 3.9, 4.1))
    assert finding(answer(frame), ()) == f"{said}2.00 of 10 items wrong on average, by A"


def test_no_bound_may_be_best_too():
    free = ("C", float("nan"), 2.0, 1.8, 2.2)
    for high, said in ((2.3, "No bound is best"), (2.1, "No bound may be best")):
        frame = table(free, ("A", 3, 2.5, high, 2.7))
        assert finding(answer(frame), ()).startswith(said)


@pytest.mark.parametrize(
    ("keys", "found", "other"),
    [
        (
            ("Joint",),
            "All items of a user: 3.00 of 10 items wrong (Joint), the best that can be published",
            "best, but cannot be published",
        ),
        (("Laplace",), "At most 3 items per user is best: 2.00", None),  # nothing else is chosen
        (
            ("Joint", "Laplace"),
            "All items of a user: 3.00 of 10 items wrong (Joint), the best that",
            "best, but cannot be published",
        ),
    ],
)
def test_the_best_of_those_chosen_that_can_be_published_comes_first(keys, found, other):
    frame = table(("Laplace", 3, 2.0, 1.9, 2.1), ("Joint", float("nan"), 3.0, 2.9, 3.1))
    both = answer(frame.assign(can_publish=[False, True]))
    assert finding(both, keys).startswith(found)
    words = marked(both, keys)
    assert [*words] == ["best", *([f"{other}: Laplace"] if other else [])]
    assert words["best"]["mechanism"] == best_of(both, keys).label.partition(" (")[0]
