"""Test the settings that links hold: of old versions, wrong ones, and any on every page."""

import re

import pytest
from controls import QUICK, texts_of, values_of
from hypothesis import given, settings as hypothesis_settings, strategies as st

from dptopk import CDPPeel
from dptopk.core.errors import METRICS
from dptopk.core.parameters import EPSILON
from dptopk.data import sources
from dptopk.questions import settings
from dptopk.tuning.search import LARGEST
from dptopk.ui import keys
from dptopk.ui.layout import control_line
from dptopk.ui.layout.pages import PAGES

KEYS = [page.key for page in PAGES]


DATA_OF_0_1 = {
    "games": "Games (Steam)",
    "books": "Books (Goodreads)",
    "news": "News (Mashable)",
    "movies_small": "Movies (MovieLens small)",
    "tweets_538": "Tweets (FiveThirtyEight)",
    "goodbooks10k": "Books (goodbooks-10k)",
    "anime_watched": "Anime (MyAnimeList sample)",
    "classroom-ten_steps": "Classroom: Ten even steps",
    "classroom-paper_four": "Classroom: Four items (Appendix D.3)",
    "classroom-paper_thousand": "Classroom: Two and 998 ones (Appendix D.3)",
    "classroom-all_ties": "Classroom: All tied",
    "classroom-one_giant": "Classroom: One giant",
    "synthetic-zipf": "Synthetic: Zipf",
    "synthetic-uniform": "Synthetic: Uniform",
    "synthetic-geometric": "Synthetic: Geometric",
    "synthetic-equal_steps": "Synthetic: Equal steps",
    "synthetic-two_plateaus": "Synthetic: Two plateaus",
    "typed": "Type counts in",
    "upload": "Your file",
}


# what links of 0.1 call values in words, by setting; of Several all in one word, with commas
WORDS_OF_0_1 = {
    "data": DATA_OF_0_1,
    "neighbors": {"one user is replaced": "swap", "one user joins or leaves": "add-remove"},
    "calibration": {"tighter accounting (less noise)": "optimal"},
    "mechanisms": {"Joint,PNF-Peel,CDP-Peel": ("Joint", "PNFPeel", "CDPPeel")},
    "metric": {"k-relative error": "k_relative", "signed maximum error": "signed_max"}
    | {METRICS[key].title: key for key in ("l1", "linf", "linf_index")},
    "against": {"k to 100": "k", "k as in the paper": "paper", "ε": "epsilon"},
    "small": {"a small vector": "typed", "the top of the data": "top", "all of the data": "all"},
    "run": {
        "the mechanisms as promised": "right",
        "add/remove noise although a user is replaced": "unswapped",
        "CDP-Peel with the scale printed in Algorithm 3": "as_printed",
    },
    "who": {"the worst one": "worst", "choose the user's items": "chosen"},
    "shown": {"CDP-Peel": "CDPPeel"},
    "held": {"A,C": ("1", "3")},
}
DEFAULTS_OF_0_1 = {  # what links of 0.1 leave out; only the first shape on Errors is another
    "data": "games",
    "k": 10,
    "epsilon": 1,
    "delta": 1e-6,
    "runs": 250,
    "seed": 0,
    "mechanisms": ("Joint", "PNFJoint", "PNFPeel", "CDPPeel"),
    "neighbors": "add-remove",
    "log": True,
    "bound": False,
    "against": "k",
    "runs_a_point": 50,
    "small": "typed",
    "vector": "10, 5, 1, 1",
    "small_k": 2,
    "run": "right",
    "who": "worst",
    "shown": "Joint",
    "joins": "joins",
}
OWN_OF_SYNTHETIC_IN_0_1 = {  # values that links of 0.1 hold, as they are written
    "zipf_top": 500,
    "zipf_exponent": 0.5,
    "uniform_per_item": 5,
    "data_seed": 3,
    "geometric_top": 50,
    "geometric_ratio": 0.5,
    "equal_steps_step": 5,
    "two_plateaus_high": 9,
    "two_plateaus_low": 4,
    "two_plateaus_n_high": 2,
}


def test_links_of_0_1_mean_what_they_meant(parameters):
    for key, words in WORDS_OF_0_1.items():
        named = DATA_OF_0_1.items() if key == "data" else ((to, word) for word, to in words.items())
        for value, word in named:
            assert parameters[key].parse(word) == value
    for key, value in OWN_OF_SYNTHETIC_IN_0_1.items():
        assert parameters[key].parse(str(value)) == value
    assert {key: parameters[key].default for key in DEFAULTS_OF_0_1} == DEFAULTS_OF_0_1


def test_a_delta_of_the_link_is_used_where_no_chosen_mechanism_needs_it(opened):
    visit = opened("budget", mechanisms="Joint", delta="0.0005").whole()
    assert visit.address == {"mechanisms": "Joint", "delta": "0.0005"}
    assert "δ = 0.0005" in visit.said[1]
    shown = visit.table().set_index("method")["noise scale (purchases)"]
    assert shown["paper"] == CDPPeel(10, 1.0, 0.0005).scale


def test_a_delta_of_the_link_waits_for_a_mechanism_that_uses_it(opened):
    visit = opened("release", mechanisms="Joint", delta="0.0005").whole()
    assert [slider.key for slider in visit.line.select_slider] == ["epsilon", "runs"]
    assert visit.address == {"mechanisms": "Joint", "delta": "0.0005"}
    pills = next(x for x in visit.line.button_group if x.key == "_group-ORDERED")
    pills.set_value(["Joint", "CDPPeel"]).run()
    visit.whole()
    assert visit.line.select_slider(key="delta").value == 0.0005
    assert "CDPPeel(10, 1.0, 0.0005)" in visit.app.code[0].value


@pytest.mark.grid
@pytest.mark.parametrize("page", KEYS)
def test_shared_settings_go_along_to_every_page(opened, page):
    query = {"k": "7", "epsilon": "0.5", "delta": "0.001", "neighbors": "swap", "seed": "3"}
    query |= {"calibration": "optimal", "runs": "51", "mechanisms": "CDPPeel"}
    start = "data" if page != "data" else "gaps"
    assert opened(start, **query).go(page).whole().address == query


def test_a_link_gives_everybody_who_opens_it_an_own_seed_if_it_says_so(opened):
    visits = [opened("release", seed="own") for _ in range(3)]
    seeds = [visit.address["seed"] for visit in visits]
    assert len(set(seeds)) == 3
    for visit, seed in zip(visits, seeds, strict=True):
        assert visit.complaints == []
        visit.app.run()
        assert visit.address["seed"] == seed
        assert visit.app.number_input(key="seed").value == int(seed)
    assert opened("release", seed=seeds[0]).everything() == visits[0].everything()


def test_a_plateau_larger_than_the_data_is_said(opened):
    query = {"data": "synthetic-two_plateaus", "two_plateaus_n_high": "9"}
    for d, is_said in (("5", True), ("9", False)):
        visit = opened("data", d=d, **query).whole()
        words = " ".join(caption.value for caption in visit.line.caption)
        assert ("9 items on the high" in words) is is_said


BARE = {"epsilon": "0.1", "picture": "outcomes"}


def test_the_bare_address_opens_at_an_epsilon_that_shows_what_privacy_costs(opened):
    visit = opened("")
    assert (visit.epsilon, visit.address) == (0.1, BARE)
    assert "gets about 4.8 of 10" in visit.finding
    assert opened("release", **BARE).finding == visit.finding
    assert "puts 5 of 10 names in" in opened("release", epsilon=0.1).finding
    later = opened("release", epsilon=0.5)
    for one, is_first in ((visit, True), (opened("release"), True), (later, False)):
        leads = [link.proto.label for link in one.main.get("page_link")]
        assert ("Start with lesson 1" in leads) is is_first
        assert ("**dptopk** shows what" in one.words) is is_first


def test_the_bare_address_of_another_page_shows_the_same_release_later(opened):
    for query, shown in (({}, "outcomes"), ({"small_k": 1}, "table")):
        visit = opened("exact", **query)
        assert not visit.complaints
        assert visit.go("release").app.segmented_control(key="picture").value == shown


def test_small_cases_have_the_usual_epsilon_until_somebody_chooses_one(opened):
    visit = opened("")
    for page, shown in (("exact", 1), ("errors", 0.1), ("classroom", 1), ("release", 0.1)):
        assert visit.go(page).epsilon == shown
    for chosen in (0.5, 1.0):
        visit.app.select_slider(key="epsilon").set_value(chosen).run()
        assert [visit.go(page).epsilon for page in ("exact", "errors")] == [chosen] * 2
    visit = opened("", k="5")
    assert [visit.go(page).epsilon for page in ("exact", "errors")] == [1, 1]


def test_what_is_no_setting_of_an_answer_leaves_the_bare_address_as_it_is(opened):
    visit = opened("", utm_source="mail")
    assert (visit.epsilon, visit.address) == (0.1, BARE)
    assert "utm_source" in visit.complaints[0]
    for query in ({"k": "5", "utm_source": "mail"}, {"data": "books"}):
        assert opened("", **query).epsilon == 1  # as before the opening had an ε of its own
    assert opened("", present="1").address == {"present": "1"} | BARE
    chosen = {"present": "1", "epsilon": "1"}
    assert opened("", **chosen).address == chosen


@pytest.mark.parametrize(
    ("page", "query", "title"),
    [
        ("mechanisms", {"k": "5"}, "What is Joint?"),
        ("learn", {"revealed": "1", "step": "1"}, "What do two lists reveal about Alice?"),
        ("ledger", {"k": "5"}, "How many lists does one privacy budget pay for?"),
    ],
)
def test_a_link_of_before_there_were_cards_or_examples_leads_to_what_it_led_to(
    opened, page, query, title
):
    visit = opened(page, **query).whole()
    assert visit.title == title
    assert visit.address == query


def test_an_address_that_would_be_bare_names_its_epsilon(opened):
    visit = opened("")
    visit.app.select_slider(key="epsilon").set_value(1.0).run()
    visit.app.segmented_control(key="picture").set_value("table").run()
    assert (visit.epsilon, visit.address) == (1, {"epsilon": "1"})
    assert opened("", **visit.address).epsilon == 1
    visit = opened("", k="5")
    visit.app.slider(key="k").set_value(10).run()
    assert visit.address == {"epsilon": "1"}


def test_lines_of_python_are_sent_when_they_are_opened(opened):
    for page, key, shut, open in (
        ("release", keys.TAKE_AWAY, False, True),
        ("errors", keys.TABS, "Numbers", "Take away"),
    ):
        closed = opened(page, runs="50")
        closed.app.session_state[key] = shut
        assert not closed.app.run().code
        closed.app.session_state[key] = open
        assert "dptopk" in closed.app.run().code[0].value


def test_all_that_is_wrong_is_said_together_and_only_once_and_the_defaults_are_shown(opened):
    """Any other nonsense: core/test_parameters.py, and on every page below."""
    wrong = {"k": "-5", "epsilon": "0", "data": "<script>", "metric": "none", "seed": "1e5"}
    wrong |= {"delta": "1", "neighbors": "swop", "mechanisms": "Exponential", "shape": "pie"}
    wrong |= {"calibration": "tight", "log": "maybe"}
    visit = opened("errors", runs="50", **wrong).whole()
    assert len(visit.complaints) == len(wrong)
    for key in wrong:
        assert any(re.match(rf"`{key}=.* requested, \S+ shown: ", one) for one in visit.complaints)
    assert visit.address == {"runs": "50"}
    visit.app.run()
    assert visit.complaints == []
    assert visit.everything() == opened("errors", runs="50").everything()
    assert visit.go("gaps").whole().complaints == []


def test_what_is_no_setting_is_taken_out_and_said(opened):
    visit = opened(
        "errors", nobody_knows="this", epsilom="2", K="7", k="7", places="9", dataset="books"
    )
    assert visit.whole().address == {"k": "7"}
    assert visit.complaints == [
        "`K=7` requested: there is no such setting. Did you mean k?",
        "`dataset=books` requested: there is no such setting. Did you mean data?",
        "`epsilom=2` requested: there is no such setting. Did you mean epsilon?",
        "`nobody_knows=this` requested: there is no such setting.",
        "`places=9` requested: a setting of Gaps, not of this page.",
    ]
    assert visit.go("gaps").address == {"k": "7", "places": "9"}


def test_curves_against_epsilon_end_where_epsilons_are_no_longer_searched(opened, few_runs):
    """Whatever epsilon a link asks for: three times the largest float is infinite."""
    lines = [t for t in opened("choose", epsilon="1e6").whole().chart("target")["data"] if "x" in t]
    drawn = [trace["x"] for trace in lines if trace.get("mode", "").startswith("lines")]
    assert drawn
    for x in drawn:
        assert max(x) <= LARGEST


@pytest.mark.parametrize(
    ("page", "query"),
    [
        ("handover", {"epsilon": "1e308", "run": "as_printed", "delta": "10"}),
        ("exact", {"vector": ",".join("5" * 200), "small_k": "5"}),
        ("privacy", {"vector": "9,8,7,6,5,4", "small_k": "3"}),
    ],
)
def test_links_that_once_ended_in_an_exception_show_their_page(opened, few_runs, page, query):
    visit = opened(page, **query)
    assert visit.exceptions() == []
    assert [error.value for error in visit.app.error] == []


@pytest.mark.grid
@pytest.mark.parametrize(("epsilon", "delta"), [("1e-9", "0.999"), ("1e12", "1e-300")])
def test_no_page_breaks_at_a_budget_that_is_allowed(opened, epsilon, delta):
    """However little or much, with a mechanism of every kind; one visit goes through all pages."""
    query = {"epsilon": epsilon, "delta": delta, "data": "classroom-paper_four", "k": "2"}
    query |= {"runs": "7", "mechanisms": "Joint,PNFPeel,CDPPeel,Gamma,StableSet"}
    visit = opened(PAGES[0].key, **query)
    for page in PAGES:
        visit.go(page.key).whole()
        assert not re.search(r"\bnan\b", str(visit.everything()["words"])), page.key


HOSTILE = [
    *("inf", "-inf", "nan", "1e400", "-1", "0", "", " ", ",", ",,,", "٣", "１２", "½", "1_000"),
    *("0x10", "1e99", "1e-300", "1e300", "true", "None", "null", "x" * 3_000, "9" * 400),
    *("<script>", "![](https://example.com)", "games\0", "../../etc", "'; --", "\u202eabc", "\n\n"),
]
SHARED = (
    *(sources.data(), settings.K, EPSILON, settings.mechanisms(), settings.NEIGHBORS),
    *(settings.RUNS, settings.SEED, settings.USERS, *settings.of_mechanisms().values()),
)
WORDS = ["1.0986122886681098", "CDPPeel,Joint", "PNF-Peel", "maximum error (ℓ∞)", "BCDFGH"]
COUNTS = [  # of which some number is 0, the same, or far from all others
    *("1", "0 0 0 1", "9 0 0", "5 5 5 5 5 5", "0 0 1 1 1 9 9 9", "1 2 4 8 16 32 64 128 256"),
    *("4503599627370496 3 3 2", "40 30 20 10 0 40 30 20 10 0 40 30", "80 70 0 0 80 40 70 50 50 7"),
]
FREE = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)


@pytest.fixture(scope="module")
def values(parameters):
    """By key of a setting: its own values, those of others, hostile ones, any text."""
    own = {key: texts_of(parameter) for key, parameter in parameters.items()}
    own["data"].remove("books")  # takes long, as some figures of papers do
    own["data"] += ["typed"] * len(own["data"])
    own["typed"] += COUNTS
    own["figure"] = ["all", "1", "4", "7", "sets", "pruning"]
    others = sorted({text for texts in own.values() for text in texts} | {*WORDS})
    strange = st.sampled_from(others) | st.sampled_from(HOSTILE) | FREE
    return {key: st.sampled_from(texts) | st.sampled_from(texts) | strange
            for key, texts in own.items() if key in control_line.known()}  # fmt: skip


def test_every_setting_that_a_link_may_hold_is_tried_and_read_as_it_is_written(values, parameters):
    """Any other text, of a setting of every kind: core/test_parameters.py."""
    assert values.keys() == control_line.known()
    for parameter in (parameters[key] for key in values):
        for value in (parameter.default, *values_of(parameter)):
            assert parameter.parse(parameter.text(value)) == value


@pytest.mark.grid
@pytest.mark.parametrize("page", KEYS)
@given(data=st.data())
@hypothesis_settings(max_examples=3)
def test_any_link_is_put_right_and_its_address_shows_the_same_again(opened, values, page, data):
    names = st.sampled_from(["nobody", "_address", "K", "k ", "<b>"]) | FREE.filter(bool)
    unknown = data.draw(st.dictionaries(names, st.sampled_from(HOSTILE), max_size=2))
    query = QUICK | unknown | data.draw(st.fixed_dictionaries({}, optional=values))
    if page == "compare":
        query.pop("view", None)  # of former links, which lead to other pages
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
    again.app.session_state[keys.SCREEN] = {"narrow": True}  # a phone's
    again.app.run()
    assert again.exceptions() == []
