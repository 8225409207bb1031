"""Test that the README's table and the type stub list the mechanisms as registered."""

import re

import mechanism_lists
import pytest

from dptopk import MECHANISMS

README, STUB = mechanism_lists.README.read_text("utf-8"), mechanism_lists.STUB.read_text("utf-8")


def test_the_readme_holds_the_table_as_the_cards_make_it():
    assert mechanism_lists.PART.renewed(README, mechanism_lists.table()) == README


def test_the_type_stub_imports_every_mechanism():
    assert mechanism_lists.stub(STUB) == STUB


def test_a_new_mechanism_would_be_missed(toys):
    assert "    ToyCounts as ToyCounts,\n" in mechanism_lists.stub(STUB)
    renewed = mechanism_lists.PART.renewed(README, mechanism_lists.table())
    assert renewed != README
    for mechanism in MECHANISMS.values():
        assert f"| `{mechanism.card.key}` |" in renewed
        assert mechanism.card.summary in renewed
        assert mechanism.card.paper.url in renewed


PART = mechanism_lists.PART


@pytest.mark.parametrize("text", ["", PART.begin, PART.end + PART.begin])
def test_a_readme_without_its_marks_is_refused(text):
    with pytest.raises(ValueError, match="each once"):
        mechanism_lists.PART.renewed(text, mechanism_lists.table())


@pytest.mark.parametrize("text", ["", STUB + STUB])
def test_a_stub_without_or_with_two_imports_of_the_registry_is_refused(text):
    with pytest.raises(ValueError, match="once"):
        mechanism_lists.stub(text)


def test_summaries_promise_nothing_of_users_where_rows_may_be_of_one():
    for mechanism in MECHANISMS.values():  # stands in reports of counts of anything
        assert not re.search(r"\b(one|few|number of) users?\b", mechanism.card.summary)
