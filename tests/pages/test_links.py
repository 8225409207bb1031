"""Test the settings that links hold, and links of old versions."""

import pytest

from dptopk import CDPPeel
from dptopk.core.errors import METRICS
from dptopk.ui import keys
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
    assert "Start with lesson 1" in [link.proto.label for link in visit.main.get("page_link")]
    assert "gets about 4.8 of 10" in visit.finding
    assert opened("release", **BARE).finding == visit.finding
    assert "puts 5 of 10 names in" in opened("release", epsilon=0.1).finding


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


def test_what_is_no_setting_leaves_the_bare_address_as_it_is(opened):
    visit = opened("", utm_source="mail")
    assert (visit.epsilon, visit.address) == (0.1, BARE)
    assert "utm_source" in visit.complaints[0]
    for query in ({"k": "5", "utm_source": "mail"}, {"data": "books"}):
        assert opened("", **query).epsilon == 1  # as before the opening had an ε of its own


def test_to_be_presented_is_no_setting_of_an_answer(opened):
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
    closed = opened("release")
    closed.app.session_state[keys.TAKE_AWAY] = False
    assert not closed.app.run().code
    closed.app.session_state[keys.TAKE_AWAY] = True
    assert "release(" in closed.app.run().code[0].value
