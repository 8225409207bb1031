"""Test that every page opens completely from its own link, with data of every kind."""

import itertools
import re

import pytest

from dptopk import MECHANISMS, METRICS
from dptopk.core.parameters import EPSILON, Ladder, Number
from dptopk.data import sources
from dptopk.questions import settings
from dptopk.ui import keys
from dptopk.ui.layout.pages import PAGES

KEYS = [page.key for page in PAGES]
MECHANISM_KEYS = [mechanism.card.key for mechanism in MECHANISMS.values()]
OWN = {p.key: p for m in MECHANISMS.values() for p in m.card.parameters}  # of mechanisms
SHARED = {
    "data": sources.data(),
    "k": settings.K,
    "epsilon": EPSILON,
    "mechanisms": settings.mechanisms(),
    "neighbors": settings.NEIGHBORS,
    "runs": settings.RUNS,
    "seed": settings.SEED,
} | OWN
FACTORS = {
    "mechanisms": (*MECHANISM_KEYS, ",".join(settings.mechanisms().default)),
    "k": ("1", "10", str(settings.MAX_K)),
    "epsilon": ("0.01", "1", "10", "0.0123"),
    "delta": ("0", "1e-12", "1e-06", "0.0005"),
    "neighbors": tuple(settings.NEIGHBORS.options),
    "calibration": tuple(OWN["calibration"].options),
    "runs": ("20", "7"),
    "seed": ("0", str(2**31 - 1)),
    "small": (settings.SMALL_TOP, settings.SMALL_TYPED),
    "metric": tuple(METRICS),
    "log": ("true", "false"),
    "picture": ("table", "noise", "outcomes"),
}
ALL_DATA = [choice for choice in sources.choices() if choice != sources.UPLOAD]
DATA = [  # of every kind: real, few items, ties, made up, random, typed
    *("games", "news", "classroom-paper_four", "classroom-all_ties"),
    *("synthetic-two_plateaus", "synthetic-uniform", sources.TYPED),
]
COVER = (("page", KEYS), ("data", DATA), FACTORS)


@pytest.mark.usefixtures("few_runs")
@pytest.mark.parametrize(
    "page", [pytest.param(key, marks=[pytest.mark.slow] if key == "exact" else []) for key in KEYS]
)
def test_a_deep_link_shows_the_page_whole(opened, page):
    visit = opened(page).whole()
    assert visit.title.endswith("?") or page == "data"  # the question that the page answers
    (place,) = (one for one in PAGES if one.key == page)  # without settings all are at one ε
    at = {} if place.small else {"epsilon": "0.1"}
    at |= {"picture": "outcomes"} if place is PAGES[0] else {}
    assert visit.address == at | ({place.gallery: place.first} if place.gallery else {})
    assert visit.epsilon == (1 if place.small else 0.1)
    assert visit.complaints == []
    shown = len(visit.main.get("plotly_chart")) + len(visit.main.dataframe)
    assert shown or place.gallery  # cards, until one is chosen
    some = "Joint,CDPPeel,OneShotCounts"
    large = opened(page, mechanisms=some, runs=20, **largest(visit, place.small))
    at_the_large_end(large)
    for one in (visit, large):
        headings_go_down_by_one_level_at_a_time(one.main)
        figures_tell_a_number_that_they_find(one.main)


def largest(visit, small: bool) -> dict[str, str]:
    """Every control of a page that takes numbers at its large end: tables are long there."""
    taken = dict(visit.app.session_state[keys.ADDRESS].touched)
    taken |= {settings.N_ITEMS.key: settings.N_ITEMS} if small else {}
    for key in (settings.PRESENT.key, settings.RUNS.key, "draws"):  # a slide holds less, and runs
        taken.pop(key, None)  # and draws only take time
    ends = {p.key: p.steps[-1] for p in taken.values() if isinstance(p, Ladder)}
    ends |= {p.key: p.high for p in taken.values() if isinstance(p, Number)}
    assert ends.keys() >= {"k", "epsilon", "seed"}
    asked = {key: taken[key].text(value) for key, value in ends.items()}
    return asked | ({"small": settings.SMALL_TOP} if small else {})


def at_the_large_end(visit) -> None:
    """Nothing is missing, and what has less room on this page or these data is said."""
    assert visit.exceptions() == []
    assert [error.value for error in visit.app.error] == []
    assert all(" shown: " in words for words in visit.complaints)


def headings_go_down_by_one_level_at_a_time(main) -> None:
    headings = (main.get(kind) for kind in ("title", "header", "subheader"))
    levels = {int(element.tag[1]) for found in headings for element in found}
    assert levels == set(range(1, max(levels) + 1))
    assert not any(element.value.startswith("#") for element in main.markdown)


def figures_tell_a_number_that_they_find(main) -> None:
    for chart in main.get("plotly_chart"):
        title, _, finding = chart.proto.alt.partition(". ")
        assert title
        assert re.search(r"\d|not distinguishable|nothing|⊥", finding), chart.proto.alt
        assert not re.search(r"[*]{2}|`", finding)


@pytest.mark.grid
@pytest.mark.parametrize("data", ALL_DATA)
def test_all_data_are_shown_and_released(opened, data):
    visit = opened("data", data=data, runs=7).whole()
    assert visit.complaints == []
    visit.go("release").whole()


def test_the_rows_below_hold_every_pair_that_matters(cover):
    rows = cover(*COVER)
    assert set(DATA) < set(ALL_DATA)
    leads = max(len(KEYS), len(DATA))
    pairs = [len(KEYS) * len(DATA), *(leads * len(values) for values in FACTORS.values())]
    assert len(rows) < 1.3 * max(pairs)  # each row holds one pair of a lead and a factor's value
    for (lead, leads), (name, values) in itertools.product(COVER[:2], FACTORS.items()):
        assert {(row[lead], row[name]) for row in rows} == set(itertools.product(leads, values))
    assert {(row["page"], row["data"]) for row in rows} == set(itertools.product(KEYS, DATA))


@pytest.mark.slow
@pytest.mark.usefixtures("few_runs")
def test_any_setting_on_any_data_and_page_is_honoured(opened, row):
    query = {name: value for name, value in row.items() if name != "page"}
    visit = opened(row["page"], runs_a_point=5, **query)
    refused = [error.value for error in visit.app.error]
    if refused == ["No question can be asked here"]:
        assert row["page"] == "ledger"
        assert "must be" in visit.problem()[1]
    elif refused == ["No chosen mechanism can run here"]:
        # one alone may need other settings, and says so
        assert "," not in row["mechanisms"]
        assert "is left out" in visit.problem()[1]
    else:
        visit.whole()
    defaults = {key: parameter.text(parameter.default) for key, parameter in SHARED.items()}
    asked = {key: query[key] for key in SHARED if key in query}
    kept = {key: text for key, text in visit.address.items() if key in SHARED}
    assert kept == {key: text for key, text in asked.items() if text != defaults[key]}
    # a row names settings of other pages, too: that is said, and nothing else
    assert [words for words in visit.complaints if "not of this page" not in words] == []


@pytest.mark.grid
@pytest.mark.parametrize("typed", ["5", "0 0 0", "9007199254740991 9007199254740990 3 0"])
@pytest.mark.parametrize("page", KEYS)
def test_small_and_extreme_counts_work_on_every_page(opened, page, typed):
    opened(page, data="typed", typed=typed, runs=7, runs_a_point=5, small="top").whole()
