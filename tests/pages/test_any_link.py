"""Test that any link to any page works, and that wrong settings in it are reported."""

import pytest
from controls import QUICK, texts_of, values_of
from hypothesis import given, settings as hypothesis_settings, strategies as st

from dptopk.core.parameters import EPSILON
from dptopk.data import sources
from dptopk.questions import settings
from dptopk.ui import keys
from dptopk.ui.layout import control_line
from dptopk.ui.layout.pages import PAGES

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
@pytest.mark.parametrize("page", [page.key for page in PAGES])
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
