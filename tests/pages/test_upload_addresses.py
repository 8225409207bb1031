"""Test that addresses never contain anything of an upload."""

import re

import pytest
from dialog import uploaded

from dptopk.ui.layout.pages import PAGES


@pytest.mark.parametrize("neighbors", ["add-remove", "swap"])
def test_names_of_uploaded_items_are_in_no_address(opened, neighbors):
    secret = ["alpha", "beta", "gamma", "delta5", "omega"]
    data = "\n".join(["item,count", *(f"{name}-secret,{9 - i}" for i, name in enumerate(secret))])
    query = {"small": "top", "who": "chosen", "neighbors": neighbors, "small_k": "2"}
    visit = uploaded(opened("privacy", **query), "s.csv", data.encode()).whole()
    keys = ("held",) if neighbors == "add-remove" else ("goes", "comes")
    for place, key in enumerate(keys, 2):
        visit.app.multiselect(key=key).set_value([str(place), "4"]).run()
    said = visit.whole().main.text[0].value
    assert "beta-secret" in said
    assert [visit.address[key] for key in keys] == [f"{i},4" for i in range(2, 2 + len(keys))]
    assert "secret" not in str(visit.address)
    for page in ("release", "errors", "exact", "data", "privacy"):  # all of them: below
        assert "secret" not in str(visit.go(page).whole().address)
    assert visit.main.text[0].value == said  # the choice of the user is still there


MOVES = {  # another value for every control that there is
    "k": 3,
    "epsilon": 0.5,
    "delta": 1e-5,
    "_group-ORDERED": ["Joint", "CDPPeel"],
    "_group-SETS": ["InverseSensitivitySet"],
    "_group-COUNTS": ["OneShotCounts"],
    "_group-UNKNOWN": ["LimitedDomain"],
    "k_bar": 7,
    "outcomes": 30,
    "calls": 6,
    "max_items": 3,
    "order": "any",
    "extra": "none",
    "asked": "likeliest",
    "class-key": "no key",
    "listed": "unknown",
    "view": "map",
    "measure": "exact_set",
    "ranked": "sets",
    "beyond": 12,
    "picture": "noise",
    "round": 2,
    "goal": "error",
    "least": 2,
    "most": 5,
    "chance": 0.9,
    "_typed-chance": "0.8",
    "tuned_public": True,
    "named": True,
    "stand_in": "books",
    "most_share": 7.5,
    "least_score": 0.8,
    "against_delta": True,
    "other_k": True,
    "releases": 4,
    "together": "all",
    "total_epsilon": 0.5,
    "neighbors": "swap",
    "calibration": "optimal",
    "runs": 50,
    "seed": 4,
    "users": 400_000,
    "_typed-epsilon": "ln 3",
    "_typed-k": "2",
    "_typed-delta": "1e-9",
    "metric": "l1",
    "shape": "dots",
    "log": False,
    "bound": True,
    "against": "epsilon",
    "runs_a_point": 50,
    "places": 3,
    "small_items": 4,
    "small_k": 1,
    "draws": 1_000,
    "run": "too_small",
    "shown": "CDPPeel",
    "lesson": "3",
    "guess_1": "likely",
    "guess_3": 40,
    "mechanism": "PNFPeel",
    "from_place": 2,
    "joins": "leaves",
    "held": ["2", "3"],
    "goes": ["2"],
    "comes": ["3", "4"],
    "items_per_user": 2,
    "part": "series",
    "period": "month",
}
STAY = {"data", "small", "who", "upload-file"}  # they choose that there is an upload to be seen
KINDS = (
    *("select_slider", "slider", "selectbox", "radio", "toggle", "number_input"),
    *("text_input", "multiselect", "button_group"),
)


WITH_DATA = [page.key for page in PAGES if "data" not in page.unread]
FIRST = WITH_DATA[0]  # whose line is moved in every run: it is the same on all pages


@pytest.mark.parametrize(
    ("page", "shared", "at_once"),
    [
        (FIRST, True, True),
        *(pytest.param(page, False, True, marks=pytest.mark.grid) for page in WITH_DATA[1:]),
        *(pytest.param(page, True, False, marks=pytest.mark.grid) for page in WITH_DATA),
    ],
)
def test_nothing_of_an_upload_is_in_the_address_whatever_is_set(opened, page, shared, at_once):
    """Every control is moved, and those that come up then: one by one, or all that there are."""
    rows = [f"hush{i},{70_001 + 111 * i}" for i in range(9)]
    data = "\n".join(["item,count", *rows])
    query = {"small": "top", "who": "chosen", "small_k": "2", "runs": "7", "runs_a_point": "1"}
    visit = uploaded(opened(page, **query), "hushed.csv", data.encode()).whole()

    def controls() -> dict:
        within = visit.app if shared else visit.main
        return {control.key: control for kind in KINDS for control in getattr(within, kind)}

    done: set[str] = set()
    while left := sorted(controls().keys() - STAY - done):
        moved = left if at_once else left[:1]
        assert MOVES.keys() >= set(moved), "give each control another value in MOVES"
        found = controls()
        for key in moved:
            found[key].set_value(MOVES[key])
        visit.app.run()
        done |= set(moved)
        assert visit.exceptions() == []
        assert visit.address["data"] == "upload"
        assert not re.search(r"hush|70\d\d\d", str(visit.address)), moved
    assert page != FIRST or len(done) >= 10  # other pages read fewer settings
