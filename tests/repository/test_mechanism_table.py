"""Test that the README's table of mechanisms agrees with their cards."""

import re
from pathlib import Path

import mechanism_table
import pytest

from dptopk import MECHANISMS

README = Path(__file__).resolve().parents[2] / "README.md"


def test_the_readme_holds_the_table_as_the_cards_make_it():
    text = README.read_text("utf-8")
    assert mechanism_table.PART.renewed(text, mechanism_table.table()) == text


def test_a_new_mechanism_would_be_missed(toys):
    text = README.read_text("utf-8")
    renewed = mechanism_table.PART.renewed(text, mechanism_table.table())
    assert renewed != text
    for mechanism in MECHANISMS.values():
        assert f"| `{mechanism.card.key}` |" in renewed
        assert mechanism.card.summary in renewed
        assert mechanism.card.paper.url in renewed


PART = mechanism_table.PART


@pytest.mark.parametrize("text", ["", PART.begin, PART.end + PART.begin])
def test_a_readme_without_its_marks_is_refused(text):
    with pytest.raises(ValueError, match="each once"):
        mechanism_table.PART.renewed(text, mechanism_table.table())


def test_summaries_promise_nothing_of_users_where_rows_may_be_of_one():
    for mechanism in MECHANISMS.values():  # stands in reports of counts of anything
        assert not re.search(r"\b(one|few|number of) users?\b", mechanism.card.summary)
