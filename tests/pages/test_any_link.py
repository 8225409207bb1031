"""Test that any link to any page works, and that wrong settings in it are reported."""

import pytest
from hypothesis import given, settings as hypothesis_settings, strategies as st

from dptopk import MECHANISMS
from dptopk.core.parameters import EPSILON, Choice, Ladder, Number
from dptopk.data import sources
from dptopk.questions import settings
from dptopk.ui import keys
from dptopk.ui.layout import control_line
from dptopk.ui.layout.pages import PAGES
from dptopk.ui.sections.learn import LESSONS
from dptopk.ui.sections.papers import FIGURE

HOSTILE = [
    *("inf", "-inf", "nan", "1e400", "-1", "0", "", " ", ",", ",,,", "٣", "１２", "½", "1_000"),
    *("0x10", "1e99", "1e-300", "1e300", "true", "None", "null", "x" * 3_000, "9" * 400),
    *("<script>", "![](https://example.com)", "games\0", "../../etc", "'; --", "\u202eabc", "\n\n"),
]
OWN = {parameter.key: parameter for m in MECHANISMS.values() for parameter in m.card.parameters}


def ends(parameter: Choice | Ladder | Number) -> list[str]:
    """Return the listed values of a mechanism's own parameter, or its range and default."""
    if isinstance(parameter, Choice):
        return list(parameter.options)
    if isinstance(parameter, Ladder):
        return [parameter.text(step) for step in parameter.steps]
    return [parameter.text(value) for value in (parameter.low, parameter.default, parameter.high)]


VALID = {key: ends(parameter) for key, parameter in OWN.items()} | {
    "data": [choice for choice in sources.choices() if choice != "books"],
    "k": ["1", "4", "10", "200"],
    "epsilon": ["0.01", "1", "10", "1.0986122886681098"],
    "delta": ["0", "1e-12", "0.01", "0.0005"],
    "mechanisms": [*(m.card.key for m in MECHANISMS.values()), "CDPPeel,Joint", "PNF-Peel"],
    "neighbors": list(settings.NEIGHBORS.options),
    "runs": ["1", "7", "50"],
    "users": ["1", "500", "1000000000000", ""],
    "seed": ["0", "5", str(2**31 - 1)],
    "typed": ["5", "9 8 7", "a 3\nb 2", "0 0"],
    "d": ["1", "2", "60"],
    "zipf_exponent": ["0.5"],
    "data_seed": ["7"],
    "metric": ["linf", "l1", "linf_index", "maximum error (ℓ∞)"],
    "shape": ["cumulative", "histogram", "dots"],
    "log": ["true", "false"],
    "bound": ["true", "false"],
    "against": ["k", "paper", "k45", "epsilon", "k_bar"],
    "figure": ["all", "1", "4", "7", "sets", "pruning"],
    "runs_a_point": ["1", "3"],
    "places": ["2", "3", "900"],
    "small": ["typed", "top", "all"],
    "vector": ["10, 5, 1, 1", "5", "0 0", "7 7 7"],
    "small_items": ["2", "3", "10"],
    "small_k": ["1", "2", "5"],
    "draws": ["0", "1000"],
    "run": ["right", "unswapped", "too_small", "as_printed"],
    "asked": ["top", "likeliest"],
    "code": ["BCDFGH", "bcd fgh", ""],
    "who": ["worst", "chosen"],
    "joins": ["joins", "leaves"],
    "held": ["1", "1,4", "9", ""],
    "goes": ["1", "2"],
    "comes": ["2", "1,2"],
    "shown": ["CDPPeel", "Joint"],
    "mechanism": ["CDPPeel", "PNFPeel", "Joint"],
    "lesson": [*LESSONS],
    "step": ["0", "2", "20"],
    "revealed": ["", "2", "2,4"],
    "guess_1": ["none", "certain"],
    "guess_2": ["none", "AB", "same"],
    "guess_3": ["0", "66", ""],
    "guess_4": ["none", "more"],
    "guess_5": ["none", "k"],
    "guess_6": ["0", "63", ""],
    "guess_7": ["100", "5", ""],
    "guess_8": ["73", "0", ""],
    "guess_9": ["none", "V"],
    "guess_10": ["none", "never"],
    "from_place": ["1", "3"],
    "picture": ["table", "noise", "outcomes"],
    "since": ["0", "3", "2147483647"],
    "round": ["1", "3", "200"],
    "present": ["0", "1", "3", "20"],
    "deck": ["", "ninety", "twenty"],
    "slide": ["0", "1", "40"],
    "answer": ["shown", "hidden", "revealed"],
    "prediction": ["", "six of ten"],
    "outcomes": ["1", "55", "10000"],
    "calls": ["1", "7", "200"],
    "order": ["needed", "any", "yes"],
    "extra": ["allowed", "none"],
    "listed": ["known", "unknown"],
    "goal": ["exact_set", "exact_sequence", "items_right", "error"],
    "least": ["1", "9", "200"],
    "most": ["0", "10", "1000000000"],
    "chance": ["0.5", "0.95", "0.37"],
    "releases": ["1", "2", "52", "10000"],
    "together": ["each", "all"],
    "total_epsilon": ["0.5", "0.001", "1000", ""],
    "tuned_public": ["true", "false"],
    "named": ["true", "false"],
    "stand_in": ["none", "books", "zipf", "upload"],
    "most_share": ["0", "2.5", "100"],
    "least_score": ["0", "0.5", "1"],
    "against_delta": ["true", "false"],
    "other_k": ["true", "false"],
    "view": ["here", "map", "paper"],
    "measure": ["linf", "items_right", "exact_set"],
    "ranked": ["all", "sequences", "sets"],
    "part": ["bound", "unlisted", "series"],
    "items_per_user": ["1", "3", "49", ""],
    "period": ["day", "month", "quarter"],
    "beyond": ["0", "12", "9007199254740991"],
}
OTHERS = sorted({value for values in VALID.values() for value in values})
SHARED = (
    *(sources.data(), settings.K, EPSILON, settings.mechanisms(), settings.NEIGHBORS),
    *(settings.RUNS, settings.SEED, settings.USERS, *OWN.values()),
)
QUICK = {"runs": "7", "runs_a_point": "1"}  # where the link has no good value of its own
ONE = {"data": "typed", "mechanisms": "Joint"}
TOUCHING = (  # links whose pages read every setting
    ("release", ONE | {"picture": "noise", "mechanisms": "PNFPeel"}),
    ("errors", {"data": "synthetic-zipf", "d": "60"}),
    ("compare", ONE | {"view": "map", "mechanisms": "Joint,InverseSensitivitySet"}),
    ("sweep", ONE),
    *(("choose", ONE | {"goal": goal}) for goal in ("error", "error_share", "score")),
    ("choose", ONE | {"releases": "52", "total_epsilon": "0.5"}),
    ("choose", ONE | {"data": "synthetic-uniform", "d": "60", "goal": "items_right"}),
    ("gaps", {"data": "synthetic-geometric", "d": "60"}),
    ("users", ONE),
    ("users", ONE | {"part": "series"}),
    ("exact", ONE | {"small": "typed"}),
    ("privacy", ONE | {"small": "top", "who": "chosen", "neighbors": "swap"}),
    ("privacy", ONE | {"small": "top", "who": "chosen"}),
    ("handover", ONE),
    ("ledger", {}),
    ("mechanisms", {"mechanism": "CDPPeel", "present": "1"}),
    ("learn", {"lesson": "1"}),
    ("classroom", {}),
    ("join", {}),
)
FREE = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)


def values(key: str) -> st.SearchStrategy[str]:
    """Of a setting: its own values, those of others, hostile ones, any text."""
    own = st.sampled_from(VALID[key])
    return own | own | own | st.sampled_from(OTHERS) | st.sampled_from(HOSTILE) | FREE


LINKS = st.fixed_dictionaries({}, optional={key: values(key) for key in VALID}).flatmap(
    lambda query: st.dictionaries(
        st.sampled_from(["nobody", "_address", "K", "k ", "<b>"]) | FREE.filter(bool),
        st.sampled_from(HOSTILE),
        max_size=2,
    ).map(lambda strange: QUICK | strange | query)
)


def test_every_setting_of_a_link_is_tried():
    shapes = {key for key in sources.keys_of_data() if key.count("_") and key != "data_seed"}
    untried = control_line.known() - VALID.keys() - shapes
    assert not untried, "give each a list of its own values in VALID"
    assert VALID.keys() <= control_line.known()


@pytest.fixture(scope="module")
def parameters(opened):
    """Every setting by its key, as the pages read it."""
    predictions = (lesson.prediction for lesson in LESSONS.values())
    found = {parameter.key: parameter for parameter in (*SHARED, FIGURE, *predictions)}
    for page, query in TOUCHING:
        found |= opened(page, **QUICK | query).app.session_state[keys.ADDRESS].touched
    return found


@given(data=st.data())
@hypothesis_settings(max_examples=60)
def test_any_text_is_a_value_that_is_written_as_it_is_read_or_is_refused(parameters, data):
    """What needs no page to be seen, for every setting: here many texts are tried."""
    for key in VALID.keys() & parameters.keys():
        parameter, text = parameters[key], data.draw(values(key), label=key)
        try:
            value = parameter.parse(text)
        except (TypeError, ValueError):
            continue
        assert parameter.checked(value) == value
        assert parameter.parse(parameter.text(value)) == value


def test_so_it_is_tried_for_every_setting_of_a_page(parameters):
    assert parameters.keys() >= VALID.keys(), "add a link to TOUCHING whose page reads it"


@pytest.mark.grid
@pytest.mark.parametrize("page", [page.key for page in PAGES])
@given(query=LINKS)
@hypothesis_settings(max_examples=3)
def test_any_link_is_put_right_and_its_address_shows_the_same_again(opened, page, query):
    visit = opened(page, **query)
    assert visit.exceptions() == []
    told = " ".join(visit.complaints)
    for parameter in SHARED:
        text = query.get(parameter.key, parameter.text(parameter.default))
        try:
            chosen = parameter.parse(text)
        except (TypeError, ValueError):
            assert f"{parameter.key}=" in told
            chosen = parameter.default
        default = parameter.text(parameter.default)
        assert visit.address.get(parameter.key, default) == parameter.text(chosen)
    for key in query.keys() - control_line.known():
        assert "there is no such setting" in told, key
        assert key not in visit.address
    again = opened(page, **visit.address)
    assert again.complaints == []
    assert again.everything() == visit.everything()
