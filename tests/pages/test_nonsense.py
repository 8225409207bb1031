"""Links with nonsense: nothing breaks, it is said once, and the address is put right."""

import functools
import random
import re

import pytest

from dptopk import MECHANISMS
from dptopk.parameters import EPSILON
from dptopk.ui import settings, sources
from dptopk.ui.plan import PAGES

NONSENSE = [
    *(("k", value) for value in ("-5", "0", "201", "1e99", "nan", "many", "", "٣", "1_0", "10.5")),
    *(("epsilon", value) for value in ("0", "-1", "inf", "nan", "1,0", "1e400", "")),
    *(("delta", value) for value in ("2", "1", "-1e-6", "nan", "")),
    *(("seed", value) for value in ("-1", str(2**31), "0x10", "nan")),
    *(("runs", value) for value in ("0", "1e6", "10001", "-1", "")),
    *(("data", value) for value in ("<script>", "../../etc/passwd", "games\0", "")),
    *(("neighbors", value) for value in ("__import__", "SWAP")),
    ("calibration", "tight"),
    ("mechanisms", "Laplace"),
    ("mechanisms", "Joint,Laplace"),
]
ON_THEIR_PAGE = [("metric", "__import__"), ("shape", "pie"), ("log", "maybe")]


@pytest.fixture(scope="module")
def untouched(opened):
    """What pages show at their own address."""
    return functools.cache(lambda page: opened(page).whole().everything())


@pytest.mark.parametrize(
    ("page", "name", "value"),
    [
        *(("release", *entry) for entry in NONSENSE if entry[0] != "runs"),
        *(("errors", *entry) for entry in NONSENSE if entry[0] == "runs"),
        *(("errors", *entry) for entry in ON_THEIR_PAGE),
    ],
)
def test_nonsense_is_said_and_the_default_shown(opened, untouched, page, name, value):
    visit = opened(page, **{name: value}).whole()
    assert visit.everything() == untouched(page)
    assert visit.address == {}
    (toast,) = visit.toasts
    assert toast.startswith("In the link:  \n")
    assert f"{name}=" in toast
    assert "hown instead: " in toast


def test_all_that_is_wrong_is_said_in_one_toast_and_only_once(opened):
    wrong = {"k": "-5", "epsilon": "0", "data": "<script>", "metric": "none", "seed": "1e5"}
    visit = opened("errors", runs="50", **wrong).whole()
    (toast,) = visit.toasts
    assert len(toast.splitlines()) == 1 + len(wrong)
    assert all(f"{key}=" in toast for key in wrong)
    assert visit.address == {"runs": "50"}
    visit.app.run()
    assert visit.toasts == []
    assert visit.go("gaps").whole().toasts == []


def test_what_nobody_knows_is_taken_out(opened):
    visit = opened("errors", nobody_knows="this", k="7").whole()
    assert visit.address == {"k": "7"}


@pytest.mark.parametrize(
    "value", ["<img src=x>", "[a](https://example.com)", "`code` $x$", ":red[boo]", "9" * 5_000]
)
def test_what_is_quoted_of_a_link_is_inert_and_short(opened, value):
    (toast,) = opened("release", k=value).whole().toasts
    assert len(toast) < 400
    outside = re.sub(r"`[^`\n]*`", "", toast.split("\n", 1)[1])
    assert not re.search(r"[<\[$]|:\w+\[|https?:", outside)


HOSTILE = [
    *("inf", "-inf", "nan", "1e400", "-1", "0", "", " ", ",", ",,,", "٣", "１２", "½", "1_000"),
    *("0x10", "1e99", "1e-300", "1e300", "true", "None", "null", "x" * 3_000, "9" * 400),
    *("<script>", "![](https://example.com)", "games\0", "../../etc", "'; --", "\u202eabc", "\n\n"),
]
OWN = [parameter for m in MECHANISMS.values() for parameter in m.card.parameters]
VALID = {
    "data": [choice for choice in sources.choices() if choice != "books"],
    "k": ["1", "4", "10", "200"],
    "epsilon": ["0.01", "1", "10", "0.123"],
    "delta": ["0", "1e-12", "0.01", "0.0005"],
    "mechanisms": [*(m.card.key for m in MECHANISMS.values()), "CDPPeel,Joint", "PNF-Peel"],
    "neighbors": list(settings.NEIGHBORS.options),
    "calibration": ["paper", "optimal"],
    "runs": ["1", "7", "50"],
    "seed": ["0", "5", str(2**31 - 1)],
    "typed": ["5", "9 8 7", "a 3\nb 2", "0 0"],
    "d": ["1", "2", "60"],
    "zipf_exponent": ["0.5"],
    "data_seed": ["7"],
    "metric": ["linf", "l1", "linf_index", "ℓ∞ error"],
    "shape": ["cumulative", "histogram", "dots"],
    "log": ["true", "false"],
    "bound": ["true", "false"],
    "against": ["k", "paper", "epsilon"],
    "runs_a_point": ["1", "3"],
    "places": ["2", "3", "900"],
    "small": ["typed", "top", "all"],
    "vector": ["10, 5, 1, 1", "5", "0 0", "7 7 7"],
    "small_items": ["2", "3", "10"],
    "small_k": ["1", "2", "5"],
    "draws": ["0", "1000"],
    "run": ["right", "unswapped", "too_small", "as_printed"],
    "who": ["worst", "chosen"],
    "joins": ["joins", "leaves"],
    "held": ["1", "1,4", "9", ""],
    "goes": ["1", "2"],
    "comes": ["2", "1,2"],
    "shown": ["CDPPeel", "Joint"],
}
OTHERS = sorted({value for values in VALID.values() for value in values})
SIDEBAR = (
    *(sources.data(), settings.K, EPSILON, settings.mechanisms(), settings.NEIGHBORS),
    *(settings.RUNS, settings.SEED, *{p.key: p for p in OWN}.values()),
)


def any_link(seed: str) -> dict[str, str]:
    """Some settings, each with a value of its own, of another setting, or hostile."""
    random_ = random.Random(seed)
    query = {}
    for key in random_.sample(list(VALID), random_.randint(2, 14)):
        kind = random_.choices([VALID[key], OTHERS, HOSTILE], [5, 1, 3])[0]
        query[key] = random_.choice(kind)
    query.setdefault("runs", "7")  # quick, where the value is good
    query.setdefault("runs_a_point", "1")
    if random_.random() < 0.3:
        query[random_.choice(["nobody", "_address", "K", "k "])] = random_.choice(HOSTILE)
    return query


@pytest.mark.slow
@pytest.mark.parametrize("number", range(6))
@pytest.mark.parametrize("page", [page.key for page in PAGES])
def test_any_link_is_put_right_and_its_address_shows_the_same_again(opened, page, number):
    query = any_link(f"{page} {number}")
    visit = opened(page, **query)
    assert visit.exceptions() == []
    assert visit.app.warning.len == 0
    told = [toast for toast in visit.toasts if toast.startswith("In the link:")]
    assert len(told) <= 1
    for parameter in SIDEBAR:
        text = query.get(parameter.key, parameter.text(parameter.default))
        try:
            chosen = parameter.parse(text)
        except (TypeError, ValueError):
            assert f"{parameter.key}=" in told[0]
            chosen = parameter.default
        default = parameter.text(parameter.default)
        assert visit.address.get(parameter.key, default) == parameter.text(chosen)
    again = opened(page, **visit.address)
    assert not any(toast.startswith("In the link:") for toast in again.toasts)
    assert again.everything() == visit.everything()
