"""Test that the address holds the chosen settings, and that errors in it are reported.

Going back is history navigation: here it is told to the script as a browser tells it, and
tests/browser does it.
"""

import re
from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from dptopk.core.parameters import Choice, Number, Several
from dptopk.questions.settings import USERS
from dptopk.ui import address


def script(touched=("n", "side", "log", "who", "typed")):
    import streamlit as st

    from dptopk.core.parameters import Choice, Flag, Number, Several, Text
    from dptopk.ui import address
    from dptopk.ui.controls import inputs

    side = Choice("side", "Side", {"left": "to the left", "right": "to the right"}, "left")
    number = Number("n", "Number", 1, 200, 10)
    draw = {
        "n": lambda: inputs.number(st, number, high=st.session_state.get("most", 200)),
        "side": lambda: inputs.choice(st, side, st.session_state.get("allowed")),
        "log": lambda: inputs.flag(st, Flag("log", "Logarithmic", True)),
        "who": lambda: inputs.several(st, Several("who", "Who", {"a": "Ann", "b": "Bob"}, ("a",))),
        "typed": lambda: inputs.text(st, Text("typed", "Counts", "", 12)),
    }
    st.button("seven", on_click=address.choose, args=(number, 7))
    st.button("follow", on_click=address.follow, args=("elsewhere", {"n": "6"}))
    st.button("double", on_click=lambda: address.choose(number, 2 * address.value(number)))
    st.button("wrong", on_click=lambda: address.choose(number, 201))
    if st.session_state.get("cut_at_once"):
        st.stop()
    address.carry()
    st.session_state["carried"] = st.query_params.to_dict()
    address.arrive(st.session_state.get("page", "first"))
    found = {key: draw[key]() for key in touched}
    found["read"] = address.value(number) if "n" in touched else None
    st.session_state["bound_for"] = address.bound_for()
    st.session_state["wrong"] = address.depart(draw.keys(), {"typed": "Elsewhere"})
    st.session_state["found"] = found
    if not st.session_state.get("cut_short"):
        address.complete()


def opened(**query) -> AppTest:
    app = AppTest.from_function(script)
    for key, value in query.items():
        app.query_params[key] = value
    return app.run()


def address_of(app: AppTest) -> dict:
    assert [element.message for element in app.exception] == []
    return dict(app.query_params)


def press(app: AppTest, label: str):
    next(button for button in app.button if button.label == label).click().run()


def said(app: AppTest) -> list[str]:
    return app.session_state["wrong"]


def test_a_callback_reads_what_the_one_before_asked_for_though_no_run_has_read_it():
    app = opened(n="20")
    app.session_state["cut_at_once"] = True  # as by a second press, before the run begins
    press(app, "follow")
    app.session_state["cut_at_once"] = False
    press(app, "double")
    assert address_of(app) == {"n": "12"}
    assert app.session_state["bound_for"] == "elsewhere"  # by this run, which has reached it
    assert app.run().session_state["bound_for"] == ""


def test_what_a_link_asks_for_is_shown_and_kept_in_one_way_of_writing():
    app = opened(n="+20", side="to the right", log="FALSE", who=["b", "Ann"], typed="5 & <6>")
    assert address_of(app) == {
        "n": "20",
        "side": "right",
        "log": "false",
        "who": "a,b",
        "typed": "5 & <6>",
    }
    assert said(app) == []
    assert app.number_input(key="n").value == 20
    assert app.run().session_state["found"]["who"] == ("a", "b")


def test_a_moved_control_is_written_and_moved_back_it_is_not():
    app = opened(side="right")
    app.number_input(key="n").set_value(30).run()
    assert address_of(app) == {"side": "right", "n": "30"}
    assert app.session_state["found"]["read"] == app.session_state["found"]["n"] == 30
    app.number_input(key="n").set_value(10).run()
    assert address_of(app) == {"side": "right"}
    app.multiselect(key="who").set_value([]).run()
    assert address_of(app) == {"side": "right", "who": ""}
    assert app.session_state["found"]["who"] == ()


def test_a_run_that_was_cut_short_is_not_taken_to_have_filled_the_controls():
    app = AppTest.from_function(script)
    app.query_params["n"] = "20"
    app.session_state["cut_short"] = True
    number = app.run().number_input(key="n")
    assert number.proto.set_value
    app.session_state["cut_short"] = False
    number = app.run().number_input(key="n")
    assert number.proto.set_value  # what the browser may not have heard is told again
    assert number.proto.value == 20
    assert not app.run().number_input(key="n").proto.set_value
    app.session_state["cut_short"] = True
    press(app, "seven")
    app.session_state["cut_short"] = False
    assert app.run().number_input(key="n").proto.set_value


def test_a_control_that_was_moved_before_the_first_run_ended_is_left_alone():
    app = AppTest.from_function(script)
    app.session_state["cut_short"] = True
    app.run()
    assert not app.number_input(key="n").set_value(30).run().number_input(key="n").proto.set_value


def test_a_limit_lowers_what_is_shown_and_not_what_was_chosen():
    app = opened(n="150")
    app.session_state["most"] = 50
    app.run()
    assert app.session_state["found"]["n"] == 50
    assert address_of(app) == {"n": "150"}
    del app.session_state["most"]
    assert app.run().session_state["found"]["n"] == 150
    app.session_state["most"] = 50
    app.run().number_input(key="n").set_value(40).run()
    del app.session_state["most"]
    assert app.run().session_state["found"]["n"] == 40
    assert address_of(app) == {"n": "40"}


def test_an_option_that_is_not_allowed_here_comes_back_where_it_is():
    app = opened(side="right")
    app.session_state["allowed"] = ["left"]
    assert app.run().session_state["found"]["side"] == "left"
    assert address_of(app) == {"side": "right"}
    app.session_state["allowed"] = ["left", "right"]
    assert app.run().session_state["found"]["side"] == "right"


def test_a_callback_chooses_as_a_control_would():
    app = opened(n="20")
    press(app, "seven")
    assert app.number_input(key="n").value == 7
    assert address_of(app) == {"n": "7"}
    assert app.run().session_state["found"]["n"] == 7
    press(app, "wrong")
    assert len(app.exception) == 1  # the code is wrong, not the visitor
    assert app.run().session_state["found"]["n"] == 7


def test_what_a_page_does_not_touch_waits_for_one_that_does():
    app = AppTest.from_function(script, kwargs={"touched": ("side",)})
    for key, value in {"n": "20", "side": "right", "log": "maybe"}.items():
        app.query_params[key] = value
    app.run()
    assert address_of(app) == {"side": "right"}
    assert said(app) == []
    app.kwargs = {"touched": ("n", "side", "log")}
    app.run()
    assert address_of(app) == {"side": "right", "n": "20"}
    assert ["log=maybe" in sentence for sentence in said(app)] == [True]
    app.kwargs = {"touched": ("log",)}
    assert address_of(app.run()) == {}
    app.kwargs = {"touched": ("n", "side", "log")}
    assert address_of(app.run()) == {"side": "right", "n": "20"}


@pytest.fixture
def history(monkeypatch):
    """A browser's history: go to a page, or back to an address, and let the script run."""
    context = SimpleNamespace(is_history_navigation=False, page="first")
    monkeypatch.setattr(address, "get_script_run_ctx", lambda: context)

    def run(app: AppTest, page: str, query: dict | None = None) -> AppTest:
        switched = page != context.page
        app.session_state["page"] = context.page = page
        context.is_history_navigation = query is not None
        if query is not None or switched:  # Streamlit opens another page without settings
            app.query_params.clear()
            for key, value in (query or {}).items():
                app.query_params[key] = value
        return app.run()

    yield run
    context.is_history_navigation = False


def test_going_back_undoes_the_last_change_and_nothing_else(history):
    app = opened(n="20")
    app.toggle(key="log").set_value(False).run()
    app.number_input(key="n").set_value(30).run()
    assert address_of(app) == {"n": "30", "log": "false"}
    history(app, "first", {"n": "20", "log": "false"})
    assert app.session_state["found"]["n"] == app.number_input(key="n").value == 20
    assert app.toggle(key="log").value is False
    history(app, "first", {"n": "20"})
    assert app.toggle(key="log").value is True
    history(app, "first", {"n": "20", "log": "false"})  # and forward again
    assert app.toggle(key="log").value is False
    history(app, "first", {})
    assert (app.number_input(key="n").value, app.toggle(key="log").value) == (10, True)
    assert address_of(app) == {}
    history(app, "first", {"n": "999"})  # an entry that somebody left before it was put right
    assert ["n=999" in sentence for sentence in said(app)] == [True]
    assert address_of(app) == {"n": "999"}  # nothing is put in the way of going back further


def test_a_switch_of_pages_carries_the_settings_and_leaves_one_entry_in_the_history(history):
    app = opened(n="20")
    history(app, "second")
    assert app.session_state["carried"] == address_of(app) == {"n": "20"}
    app.number_input(key="n").set_value(30).run()
    history(app, "second", {"n": "20"})
    assert app.session_state["found"]["n"] == 20  # what the page was entered with
    history(app, "first", {"n": "20"})
    assert app.session_state["found"]["n"] == 20
    app = opened(log="false", side="right", n="20")  # another order than that of the controls
    history(app, "second")
    assert list(app.session_state["carried"]) == ["log", "side", "n"]  # else it is one more entry


def test_going_back_over_a_page_of_other_settings_keeps_what_was_chosen_there(history):
    app = opened(n="20", side="right")
    app.kwargs = {"touched": ("n",)}
    history(app, "second")
    assert app.session_state["carried"] == {"n": "20", "side": "right"}  # the first entry of two
    assert address_of(app) == {"n": "20"}
    app.kwargs = {"touched": ("n", "side")}
    history(app, "first")
    assert app.session_state["carried"] == {"n": "20"}
    assert address_of(app) == {"n": "20", "side": "right"}
    history(app, "first", {"n": "20"})  # nobody chose the side of this entry
    assert app.session_state["found"]["side"] == "right"
    assert address_of(app) == {"n": "20"}  # nothing is put in the way of going back further
    app.kwargs = {"touched": ("n",)}
    history(app, "second", {"n": "20"})
    app.kwargs = {"touched": ("n", "side")}
    history(app, "first", {"n": "20"})  # forward
    assert app.session_state["found"]["side"] == "right"
    history(app, "first", {"n": "20", "side": "right"})
    app.number_input(key="n").set_value(30).run()
    history(app, "first", {"n": "20", "side": "right"})
    assert app.session_state["found"]["n"] == 20


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
    assert asked(WHO, "all") == (("a", "b"), [])  # means all


@pytest.mark.parametrize(
    "value", ["<img src=x>", "[a](https://example.com)", "`code` $x$", ":red[boo]", "9" * 5_000]
)
def test_what_is_quoted_of_a_link_is_inert_and_short(asked, value):
    _, (complaint,) = asked(NUMBER, value)
    assert len(complaint) < 400
    assert not re.search(r"[<\[$]|:\w+\[|https?:", re.sub(r"`[^`\n]*`", "", complaint))


def test_of_a_setting_that_waits_for_another_page_it_is_said_once_where_it_belongs(asked):
    _, said = asked(NUMBER, "5", read=False)
    assert said == ["`n=5` requested: a setting of Elsewhere, not of this page."]
    assert address.depart({"n"}, {"n": "Elsewhere"}) == []
