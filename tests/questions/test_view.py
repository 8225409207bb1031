"""Test the view: mechanisms at their settings, and their plotting styles."""

import dataclasses

import pytest

from dptopk import MECHANISMS, CDPPeel, ItemCounts, Joint, LimitedDomain, NeighborRelation
from dptopk.data.ingest import Contribution, ItemsOfUsers
from dptopk.data.sources import ITEM_LIST_CAVEAT, Source, source_of
from dptopk.questions.errors import trial_tasks
from dptopk.questions.sweep import grid, mechanisms_at_points, points
from dptopk.questions.view import View, styles_of

SWAP = NeighborRelation.SWAP
SOURCE = Source(ItemCounts([5, 3, 2, 1]), "Data", "", (), "")
OWN = {p.key: p.default for m in MECHANISMS.values() for p in m.card.parameters}
PARAMETERS = OWN | {"delta": 1e-3, "calibration": "optimal"}
VIEW = View(SOURCE, 3, 0.5, SWAP, ("CDPPeel", "Joint"), 50, 7, PARAMETERS)


def test_mechanisms_stand_in_the_order_of_the_registry_at_the_settings_they_take():
    assert VIEW.mechanisms == (Joint(3, 0.5, SWAP), CDPPeel(3, 0.5, 1e-3, SWAP, "optimal"))
    assert VIEW.at(2, SOURCE.counts)[0] == Joint(2, 0.5, SWAP)
    assert VIEW.build(CDPPeel, 1, calibration="paper") == CDPPeel(1, 0.5, 1e-3, SWAP)


def test_every_registered_mechanism_can_be_built_from_its_settings():
    keys = tuple(mechanism.card.key for mechanism in MECHANISMS.values())
    view = dataclasses.replace(VIEW, keys=keys, k=1)
    n_made = len(view.mechanisms) + len(view.refusals(1, view.counts))
    assert n_made == len(MECHANISMS)


def test_those_that_cannot_run_are_left_out_with_their_reason(monkeypatch):
    def refuse(self, counts):
        raise ValueError("delta must be above 0, got 0.0")

    monkeypatch.setattr(CDPPeel, "check", refuse)
    assert VIEW.at(3, SOURCE.counts) == (Joint(3, 0.5, SWAP),)
    assert VIEW.refusals(3, SOURCE.counts) == [
        "CDP-Peel is left out: delta must be above 0, got 0.0."
    ]


@pytest.mark.parametrize("mechanism", MECHANISMS.values(), ids=list(MECHANISMS))
def test_a_label_is_drawn_in_the_style_of_its_mechanism(mechanism):
    built = VIEW.build(mechanism, 2)
    assert styles_of((built,)) == {built.label: mechanism.card.style}


def test_what_is_made_of_the_data_says_so():
    origin = VIEW.origin(VIEW.mechanisms, "simulated", runs=50, seed=7)
    assert origin.line.startswith("Data · k = 3, ε = 0.5, δ = 0.001, ")
    assert origin.line.endswith(" replaced · simulated, 50 runs of each mechanism, seed 7")


def test_what_is_made_of_data_without_a_promise_for_users_speaks_of_what_they_count():
    several = dataclasses.replace(SOURCE, contribution=Contribution.SEVERAL, unit="units of qty")
    line = dataclasses.replace(VIEW, source=several).origin(VIEW.mechanisms, "exact").line
    assert "one unit of qty is replaced · exact" in line
    assert "does not hold for a whole user" in line


def test_what_a_promise_rests_on_goes_with_what_is_taken_away():
    games = dataclasses.replace(VIEW, source=source_of("games", {}))
    line = games.origin(games.mechanisms, "exact").line
    assert games.caveat in line
    assert ITEM_LIST_CAVEAT in line
    assert games.caveat not in games.origin(games.mechanisms, "exact").words  # a page says it
    assert games.origin((), "true counts").line == "Games (Steam) · true counts"
    unknown = [games.build(LimitedDomain, 2)]
    assert ITEM_LIST_CAVEAT not in games.origin(unknown, "exact").line


def test_no_promise_for_users_of_few_items_is_made_on_a_log_that_was_not_cut():
    log = dataclasses.replace(SOURCE, items_of_users=ItemsOfUsers((1, 4), (3, 1)))
    view = dataclasses.replace(
        VIEW, source=log, keys=("Laplace", "Joint"), parameters=PARAMETERS | {"max_items": 2}
    )
    assert [mechanism.name for mechanism in view.mechanisms] == ["Joint"]
    (why,) = view.refusals(3, log.counts)
    assert "for users of at most 2 items, but 25.0% of the users of this log have more" in why
    assert "nothing was left out: read it again with at most 2 items of each user" in why
    cut = dataclasses.replace(view, source=dataclasses.replace(log, max_items=2))
    assert cut.refusals(3, log.counts) == []
    assert "assumption" not in (cut.origin(cut.mechanisms, "exact").alone or "")
    less = dataclasses.replace(view, source=dataclasses.replace(log, max_items=3))
    assert "up to 3 of each were counted" in less.refusals(3, log.counts)[0]
    few = dataclasses.replace(log, items_of_users=ItemsOfUsers((1, 2), (3, 1)))
    enough = dataclasses.replace(view, source=few)  # nobody has more: a cut would change nothing
    assert enough.refusals(3, log.counts) == []
    counts = dataclasses.replace(view, source=SOURCE)
    assert counts.refusals(3, SOURCE.counts) == []
    said = "It is assumed that no user counts for more than 2 items"
    assert said in counts.origin(counts.mechanisms, "exact").alone
    found, refused = mechanisms_at_points(dataclasses.replace(view, k=2), "k", [2, 3])
    assert {mechanism.label for mechanism in found} == {"Joint", "Laplace"}  # at k = 2 of no bound
    assert "left out at k = 3" in refused[0]


@pytest.mark.parametrize(
    ("against", "changed", "added"),
    [
        ("k", {"k": 50}, [50]),
        ("k", {"k": 150}, []),  # beyond the range
        ("k45", {"k": 7}, []),  # as in a paper
        ("epsilon", {"epsilon": 0.3}, [0.3]),
        ("epsilon", {"epsilon": 0.1}, []),
        ("k_bar", {"parameters": PARAMETERS | {"k_bar": 77}, "k": 50}, [77]),
    ],
)
def test_the_present_value_is_a_point_and_the_others_keep_their_runs(against, changed, added):
    source = dataclasses.replace(SOURCE, counts=ItemCounts(range(200, 0, -1)))
    view = dataclasses.replace(VIEW, source=source, keys=("LimitedDomain",), **changed)
    over, values = points(view, against)
    before = grid(against, view.counts.d, view.k)
    assert (over, values) == (before[0], sorted([*before[1], *added]))
    runs = [
        trial_tasks(view.counts, mechanisms_at_points(view, over, at)[0], 2, 7)
        for at in (before[1], values)
    ]
    assert runs[0].items() <= runs[1].items()
