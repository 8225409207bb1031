"""Test that addresses never contain anything of an upload."""

import re

import pytest
from controls import another, controls_of
from dialog import uploaded

from dptopk.ui.layout.pages import PAGES


@pytest.mark.parametrize("neighbors", ["add-remove", "swap"])
def test_names_of_uploaded_items_are_in_no_address(opened, neighbors):
    secret = ["alpha", "beta", "gamma", "delta5", "omega"]
    data = "\n".join(["item,count", *(f"{name}-secret,{9 - i}" for i, name in enumerate(secret))])
    query = {"small": "top", "who": "chosen", "neighbors": neighbors, "small_k": "2", "runs": "7"}
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


STAY = {"data", "small", "who", "upload-file"}  # they choose that there is an upload to be seen
WITH_DATA = [page.key for page in PAGES if "data" not in page.unread]
FIRST = WITH_DATA[0]  # whose line is moved in every run: it is the same on all pages


@pytest.mark.parametrize(
    "page", [FIRST, *(pytest.param(page, marks=pytest.mark.grid) for page in WITH_DATA[1:])]
)
def test_nothing_of_an_upload_is_in_the_address_whatever_is_set(opened, page):
    """Every control is moved, then those that come up by that, until none is left."""
    rows = [f"hush{i},{70_001 + 111 * i}" for i in range(9)]
    data = "\n".join(["item,count", *rows])
    query = {"small": "top", "who": "chosen", "small_k": "2", "runs": "7", "runs_a_point": "1"}
    visit = uploaded(opened(page, **query), "hushed.csv", data.encode()).whole()

    done: set[str] = set()
    while True:
        found = controls_of(visit.app)
        moved = found.keys() - STAY - done
        if not moved:
            break
        for key in moved:
            found[key].set_value(another(found[key], visit.settings))
        visit.app.run()
        done |= moved
        assert visit.exceptions() == []
        assert visit.address["data"] == "upload"
        assert not re.search(r"hush|70\d\d\d", str(visit.address)), moved
    assert page != FIRST or len(done) >= 10  # other pages read fewer settings
