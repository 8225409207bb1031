"""Test typed values of ε and δ, and the advice on δ by the number of users."""

import math

import pytest

from dptopk.ui import keys


def type_in(visit, key: str, text: str) -> list[str]:
    """Type beside a scale; what is said against it."""
    visit.line.text_input(key=f"_typed-{key}").set_value(text).run()
    assert visit.exceptions() == []
    return visit.toasts


def shown(visit, key: str) -> tuple[float, str]:
    """What the scale shows, and what stands beside it."""
    box = visit.line.text_input(key=f"_typed-{key}")
    return visit.line.select_slider(key=key).value, box.value


@pytest.mark.parametrize(
    ("key", "text", "value"), [("epsilon", "ln 3", math.log(3)), ("delta", "2^-20", 2.0**-20)]
)
def test_a_typed_value_joins_the_scale_the_figures_and_the_address(opened, key, text, value):
    visit = opened("release", picture="table")
    assert type_in(visit, key, text) == []
    assert shown(visit.whole(), key) == (value, text)
    assert float(visit.address[key]) == value
    assert repr(value) in visit.app.code[0].value
    again = opened("release", **visit.address).whole()
    assert again.everything() == visit.everything()
    assert shown(again, key)[0] == value
    if key == "epsilon":
        assert f"ε = {value:g}" in " ".join(visit.captions)


def test_scale_and_text_follow_each_other(opened):
    visit = opened("gaps")
    type_in(visit, "epsilon", "ln(3)")
    visit.line.select_slider(key="epsilon").set_value(2.0).run()
    assert shown(visit, "epsilon") == (2.0, "2")
    assert visit.address == {"epsilon": "2"}
    type_in(visit, "epsilon", "2.0")  # another way of writing the same stays as it was typed
    assert shown(visit, "epsilon") == (2.0, "2.0")
    type_in(visit, "epsilon", "1/2")
    visit.go("budget").whole()
    assert shown(visit, "epsilon") == (0.5, "1/2")


def test_a_text_that_the_browser_sends_late_undoes_nothing(opened):
    """Keys pressed fast on the scale: with the second one comes the text from before the first."""
    visit = opened("gaps", epsilon="0.8")
    visit.line.text_input(key="_typed-epsilon").set_value("1")
    visit.line.select_slider(key="epsilon").set_value(0.5).run()
    assert shown(visit.whole(), "epsilon") == (0.5, "0.5")
    unsent = visit.app.session_state[keys.ADDRESS].unsent
    assert unsent == {}  # the run came to its end: what is typed now is meant
    type_in(visit, "epsilon", "0.8")
    assert shown(visit.whole(), "epsilon") == (0.8, "0.8")
    unsent["_typed-epsilon"] = "1"  # as a run that was broken off leaves it
    visit.line.text_input(key="_typed-epsilon").set_value("1")
    visit.line.number_input(key="seed").set_value(5).run()
    assert shown(visit.whole(), "epsilon") == (0.8, "0.8")
    assert visit.address == {"epsilon": "0.8", "seed": "5"}


@pytest.mark.parametrize(
    ("key", "text", "sentence"),
    [
        ("epsilon", "lots", "lots is not a number: type one such as 0.7, ln 3, 1/2, 1e-7"),
        ("epsilon", "", "An empty box is not a number: type one such as 0.7"),
        ("epsilon", "0", "ε must be from 1e-9 to 1e12;"),
        ("epsilon", "![](x)", "`![](x)` is not a number: type one such as 0.7"),
        ("delta", "1", "δ must be at least 0 and below 1;"),
    ],
)
def test_what_cannot_be_is_said_in_a_sentence_and_the_value_before_stays(
    opened, key, text, sentence
):
    visit = opened("gaps", epsilon="0.7", delta="1e-5")
    before = visit.everything()
    (said,) = type_in(visit, key, text)
    assert said.startswith(sentence)
    stays = {"epsilon": "0.7", "delta": "1e-5"}[key]
    assert said.endswith(f"; keeping {stays}.")
    assert visit.everything() == before
    assert shown(visit, key) == (float(stays), stays)
    visit.app.run()
    assert visit.whole().toasts == []


def test_delta_is_judged_by_the_number_of_users_and_a_better_one_is_one_click_away(opened):
    visit = opened("release", users="2000000")
    (warning,) = visit.app.warning
    assert "too large for 2,000,000" in warning.value
    visit.line.button(key="take-delta").click().run()
    assert visit.whole().address == {"delta": "3e-10", "users": "2000000"}
    said = [caption.value for caption in visit.line.caption]
    assert any(words.startswith("δ = 3e-10 fits 2,000,000") for words in said)


def test_without_a_number_of_users_or_without_a_delta_nothing_is_judged(opened):
    assert "take-delta" not in [button.key for button in opened("release").line.button]
    visit = opened("release", users="2000000", mechanisms="Joint").whole()
    assert visit.address == {"users": "2000000", "mechanisms": "Joint"}
    assert "take-delta" not in [button.key for button in visit.line.button]
    assert any("have no δ" in caption.value for caption in visit.line.caption)
