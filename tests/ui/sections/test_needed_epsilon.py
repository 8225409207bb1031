"""Test the messages on entries of a link that are not offered."""

from types import SimpleNamespace

import pytest

from dptopk.core.parameters import Choice, Number, Several
from dptopk.questions.settings import USERS
from dptopk.ui import address

NUMBER = Number("n", "Number", 1, 200, 10)
MAYBE = Number("m", "Number", 1, 200, None)
SIDE = Choice("side", "Side", {"left": "to the left", "right": "to the right"}, "left")
WHO = Several("who", "Who", {"a": "Ann", "b": "Bob"}, ("a",))


@pytest.fixture
def asked(monkeypatch):
    """What a link leads to: the value of a setting, and what is said at the end of the run."""

    def ask(parameter, text, *, read=True):
        held = SimpleNamespace(to_dict=dict, get_all=lambda key: [text], from_dict=lambda _: None)
        session = {}
        monkeypatch.setattr(address.st, "session_state", session)
        monkeypatch.setattr(address.st, "query_params", held)
        address._address().asked[parameter.key] = text
        value = address.value(parameter) if read else None
        return value, address.depart({parameter.key}, {"n": "Elsewhere"})

    return ask


@pytest.mark.parametrize(
    ("parameter", "text", "value", "said"),
    [
        (NUMBER, "999", 10, "`n=999` requested, 10 shown: `n must be in [1, 200]`."),
        (MAYBE, "x", None, "`m=x` requested, automatic shown: m must be a whole number."),
        (USERS, "x", None, "`users=x` requested, not given shown: users must be a whole number."),
        (SIDE, "righ", "left", "it is not among those offered. Did you mean right?"),
        (SIDE, "up", "left", "it is not among those offered (left, right)."),
        (WHO, "c,b", ("b",), "`who=c,b` requested, b shown: c is not among those offered (a, b)."),
        (WHO, "c,Bob,d", ("b",), "b shown: c, d are not among those offered (a, b)."),
        (WHO, "c", ("a",), "`who=c` requested, a shown: c is not among those offered (a, b)."),
    ],
)
def test_what_is_offered_is_kept_and_the_rest_is_named(asked, parameter, text, value, said):
    shown, (complaint,) = asked(parameter, text)
    assert shown == value
    assert complaint.endswith(said)


def test_all_means_all(asked):
    assert asked(WHO, "all") == (("a", "b"), [])


def test_of_a_setting_that_waits_for_another_page_it_is_said_once_where_it_belongs(asked):
    _, said = asked(NUMBER, "5", read=False)
    assert said == ["`n=5` requested: a setting of Elsewhere, not of this page."]
    assert address.depart({"n"}, {"n": "Elsewhere"}) == []
