"""Test which bound on the items per user is called best: as sure as intervals are, no surer."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from dptopk import Joint, Laplace
from dptopk.questions.answer import Answer
from dptopk.questions.users import best_choices, best_of, finding, marked, winners
from dptopk.tuning.contribution_bound import ALIKE

K = 10


def table(*rows: tuple[str, float, float, float, float]) -> pd.DataFrame:
    """Return mechanism, bound, and wrong items with their interval; the first row is best."""
    names = ["mechanism", "max_items", "wrong", "wrong_low", "wrong_high"]
    frame = pd.DataFrame(rows, columns=names)
    known = {"is_exact": False, "needs_list": True, "can_publish": True}
    as_good = frame["wrong_low"] <= frame["wrong_high"].iloc[0] + ALIKE
    right = K - frame["wrong"]
    return frame.assign(right=right, is_best=frame.index == 0, as_good=as_good, **known)


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
    for high, said in ((2.3, "No bound per user is best"), (2.1, "No bound per user may be best")):
        frame = table(free, ("A", 3, 2.5, high, 2.7))
        assert finding(answer(frame), ()).startswith(said)


@pytest.mark.parametrize(
    ("keys", "found"),
    [
        (("Joint",), "No bound per user is needed: 3.00 of 10 items wrong, by Joint, the"),
        (("Laplace",), "At most 3 items per user is best: 2.00"),  # nothing else is chosen
        (
            ("Joint", "Laplace"),
            "No bound per user is needed: 3.00 of 10 items wrong, by Joint, the best",
        ),
    ],
)
def test_what_cannot_be_published_is_best_only_where_nothing_else_is_chosen(keys, found):
    frame = table(("Laplace", 3, 2.0, 1.9, 2.1), ("Joint", float("nan"), 3.0, 2.9, 3.1))
    both = answer(frame.assign(can_publish=[False, True]))
    assert finding(both, keys).startswith(found)
    words = marked(both, keys)
    assert [*words] == ["best"]
    assert words["best"]["mechanism"] == best_of(both, keys).label.partition(" (")[0]


def test_a_better_mechanism_that_is_not_chosen_is_named_and_marked():
    rows = ("A", 3, 2.0, 1.9, 2.1), ("B", 2, 1.0, 0.9, 1.1), ("Joint", np.nan, 3.0, 2.9, 3.1)
    found = answer(table(*rows).assign(can_publish=[True, False, True]))
    said = "No bound per user is needed: 3.00 of 10 items wrong, by Joint; 2.00 by A, not chosen"
    assert finding(found, ("Joint",)) == said
    assert [row["wrong"] for row in marked(found, ("Joint",)).values()] == [3.0, 2.0]
    assert [*marked(found, ("Joint",))] == ["best", "best, but not chosen: A"]
    assert [row["mechanism"] for row in best_choices(found.frame)] == ["A", "Joint"]
