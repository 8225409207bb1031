"""Test the page Read a list: its numbers, its files, and refused files."""

import datetime
import re

import numpy as np
import pytest

from dptopk import CDPPeel, Joint, LimitedDomain, NeighborRelation, assess_list, load_dataset
from dptopk.core.estimate import Estimate
from dptopk.publishing.registry_record import registry_record
from dptopk.simulation.trials import generator_for
from dptopk.ui import keys
from dptopk.ui.formats import plain
from dptopk.ui.sections import reading

GAMES = load_dataset("games")
TOP = [GAMES.items[position] for position in GAMES.order[:12]]
DATE = datetime.date(2026, 3, 1)


def record_of(mechanism, n_items=None) -> bytes:
    return registry_record(mechanism, "Visits", n_items=n_items, public=True, date=DATE).encode()


def sent(visit, *files):
    """Give the page files, each by its name and content."""
    kinds = {"csv": "text/csv", "yaml": "application/yaml"}
    given = [(name, content, kinds[name[-4:].lstrip(".")]) for name, content in files]
    visit.app.file_uploader(key="published-files").set_value(given).run()
    return visit


def listing(names) -> bytes:
    return "\n".join(["item", *(f'"{name}"' for name in names)]).encode()


def test_without_a_list_there_is_an_example_that_is_named_one(opened):
    visit = opened("reader", epsilon="0.05", seed="3").whole()
    mechanism = Joint(10, 0.05)
    names = GAMES.names(mechanism.sample(GAMES, 1, generator_for(mechanism, 3))[0])
    found = assess_list(GAMES, mechanism, names, n=5_000, seed=3)
    assert any(words.startswith("**Example**,") for words in visit.captions)
    assert visit.table()["item"].tolist() == names
    np.testing.assert_array_equal(
        visit.table()["in the true top 10"], [name.in_top.value for name in found.names]
    )
    assert visit.told()[1].startswith(f"{found.exact_set.value} {found.n_right}")
    assert visit.tiles[0][0] == "All 10 names belong"
    assert visit.finding == f"About {found.n_right:.1f} of these 10 names belong to the true top 10"
    assert "**all 10 names belong to the true top 10** in " in visit.words
    bars, _ = visit.chart("names")["data"]
    assert bars["name"].endswith("by its place")
    assert visit.press("draw").address["seed"] == "4"


def test_a_list_and_its_record_set_the_page_and_its_link(opened):
    mechanism = CDPPeel(4, 0.25, 1e-9, NeighborRelation.SWAP, "optimal")
    names = [TOP[0], TOP[3], "Unheard of", TOP[9]]
    visit = opened("reader", epsilon="0.5", k=7)
    sent(visit, ("top.csv", listing(names)), ("top-record.yaml", record_of(mechanism, 99)))
    assert visit.exceptions() == []
    record = {"mechanism": "CDPPeel", "k": "4", "epsilon": "0.25", "delta": "1e-09"}
    assert visit.address == record | {"neighbors": "swap", "calibration": "optimal"}
    found = assess_list(GAMES, mechanism, names, n=5_000, seed=0)
    shown = visit.table()
    assert shown["item"].tolist() == names
    np.testing.assert_array_equal(
        shown["in the true top 4"], [name.in_top.value for name in found.names]
    )
    assert shown["supposed rank"].isna().tolist() == [False, False, True, False]
    assert any("which have 3 of its names" in words for words in visit.captions)
    assert "99 items, but 5,155" in visit.words
    assert visit.table(1)["item not on the list"].tolist() == [o.item for o in found.others]
    namespace, _ = visit.told()
    assert namespace["names"] == names
    assert namespace["mechanisms"] == [mechanism]
    told = namespace["found"].frame["in the true top 4"]
    np.testing.assert_array_equal(told, shown["in the true top 4"])
    # other settings stay possible, and the way back is offered
    visit.app.selectbox(key="mechanism").set_value("Joint").run()
    assert "no longer those of" in visit.words
    visit.app.button(key="take-record").click().run()
    assert visit.address["mechanism"] == "CDPPeel"
    assert "no longer those of" not in visit.words


def test_a_list_alone_sets_k_and_a_shape_says_what_it_is_of(opened):
    query = {"data": "synthetic-zipf", "mechanism": "PNFInverseSensitivitySet", "epsilon": "0.2"}
    visit = sent(opened("reader", **query), ("x.csv", listing(TOP[:3])))
    assert visit.address["k"] == "3"
    assert any("have none of its names" in words for words in visit.captions)
    assert "only their shape is used" in visit.words
    (bars,) = visit.chart("names")["data"]
    assert bars["name"] == "in the true top 3"
    assert "supposed rank" not in visit.table()


def test_counts_of_something_else_are_pointed_out(opened):
    visit = sent(opened("reader"), ("x.csv", listing(["flu", "measles"])))
    (note,) = [info.value for info in visit.main.info if "supposed counts" in info.value]
    assert "have none of the names" in note
    assert visit.finding.endswith(
        " belong to the true top 2, but the supposed counts lack 2 of these"
    )
    some = sent(opened("reader"), ("x.csv", listing(["flu", TOP[0], TOP[1].swapcase()])))
    (note,) = [info.value for info in some.main.info if "supposed counts" in info.value]
    assert "lack 2 of the 3 names (flu, " in note
    assert f"supposed ones only in upper and lower case: {plain(TOP[1].swapcase())}." in note
    assert "of 3 names on such lists belong" in some.finding
    known = sent(opened("reader"), ("x.csv", listing(TOP[:2])))
    assert not any("supposed counts" in info.value for info in known.main.info)
    assert "of these 2 names belong" in known.finding


def test_lists_of_fewer_names_are_judged_among_such(opened):
    mechanism = LimitedDomain(10, 0.5, 1e-6)
    visit = sent(opened("reader"), ("a.csv", listing(TOP[:8])), ("b.yaml", record_of(mechanism)))
    assert visit.address["mechanism"] == "LimitedDomain"
    assert visit.tiles[0][0] == "All 8 names belong"
    assert "for lists of 8 names" in visit.words
    assert "(0%)" not in visit.words


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        ([("a.yaml", b"a: &a [1]\nb: *a")], "it has anchors or aliases"),
        ([("a.csv", b"x\ny"), ("b.csv", b"x\nz")], "two lists were added"),
        ([("a.csv", listing(range(201)))], "k = 201, but this page reads up to 200"),
        ([("a.csv", b"x\ny"), ("b.yaml", record_of(Joint(3, 1.0)))], "Items must be 3 names"),
        (
            [("a.csv", listing(TOP[:2])), ("b.yaml", record_of(LimitedDomain(10, 0.5, 1e-6)))],
            "Limited domain releases so many in 0 of 5,000 draws",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "files",
)
def test_files_that_cannot_be_judged_are_refused_in_a_sentence(opened, files, sentence):
    visit = sent(opened("reader"), *files)
    assert visit.exceptions() == []
    headline, said = visit.problem()
    assert "cannot be judged" in headline
    assert sentence in said


def test_hostile_names_are_shown_as_they_are(opened):
    hostile = ["![](http://x.example/a.png)", "<b>x</b>", "$\\alpha$ =1+1", TOP[0]]
    visit = sent(opened("reader", mechanism="Joint"), ("a.csv", listing(hostile)))
    assert visit.table()["item"].tolist() == hostile
    for element in (*visit.main.markdown, *visit.main.caption):
        assert not re.search(r"!\[\]\(|<b>", element.value)
    (bars, _) = visit.chart("names")["data"]
    assert "<b>x</b>" not in str(bars["customdata"])
    assert "secret" not in visit.address


def test_names_leave_the_session_with_their_file(opened):
    visit = sent(opened("reader"), ("a.csv", listing(["one name", "another"])))
    assert keys.PUBLISHED in visit.app.session_state
    visit.app.file_uploader(key="published-files").set_value([]).run()
    assert keys.PUBLISHED not in visit.app.session_state
    assert any(words.startswith("**Example**,") for words in visit.captions)


def test_what_releases_a_true_set_or_nothing_is_right(opened):
    visit = opened("reader", mechanism="StableSet", epsilon="0.3")
    visit = sent(visit, ("a.csv", listing(TOP[:10])))
    assert visit.tiles == [("All 10 names belong", "100%")]
    one = opened("reader", mechanism="StableSet", epsilon="0.3", k=1)
    assert one.finding == "This name is right"


def test_draws_that_are_all_alike_leave_a_doubt(opened):
    """The chance that one of the five is wrong is 4e-5 here, which 5,000 draws need not show."""
    limited = {"mechanism": "LimitedDomain", "k": 5, "epsilon": 2}
    visit = opened("reader", data="movies_small", **limited)
    assert visit.finding.startswith("Nearly all of these 5")
    (low,) = re.findall(r"top 5\*\* in more than (99\.92\d\d%) of releases", visit.words)
    assert visit.tiles[0] == ("All 5 names belong", f"> {low}")
    found = assess_list(load_dataset("movies_small"), LimitedDomain(5, 2.0, 1e-6), n=500)
    assert "the least is > 99.2" in reading.chart(found, None, ()).alt


def test_a_chance_that_no_draw_shows_is_not_that_of_the_right_releases():
    """The first of the list is the largest in 1.75e-4 of releases, and all is right in 6e-184."""
    found = assess_list(GAMES, CDPPeel(50, 0.001, 1e-6), n=2_000)
    tile = next(tile for tile in reading.tiles(found) if tile.label == "No. 1 is the largest")
    assert found.first.value == found.first.low < 1e-100
    assert tile.value == "< 0.2%"


@pytest.mark.parametrize(
    ("chance", "said"),
    [
        (Estimate(1.0, 0.9992, 1.0, 5_000), "more than 99.9200% of releases"),
        (Estimate(0.0, 0.0, 0.00076, 5_000), "fewer than 1 in 1,300 releases"),
        (Estimate(0.0, 0.0, 0.0076, 500), "fewer than 0.8% of releases"),
        (Estimate(0.4, 0.3, 0.5, 500), "40.0% of releases"),
        (Estimate.exactly(1.0), "more than 99.9999% of releases"),
        (Estimate.exactly(1e-9), "fewer than one in a million releases"),
        (Estimate.exactly(1e-5), "1 in 100,000 releases"),
    ],
    ids=str,
)
def test_how_often_is_no_more_than_draws_show(chance, said):
    assert reading._often(chance) == said
