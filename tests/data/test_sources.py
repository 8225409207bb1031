"""Test the labels of data sources."""

from dptopk.data import sources
from dptopk.data.ingest import Contribution


def test_labels_of_choices_are_distinct_so_that_old_links_are():
    labels = [*sources.choices().values()]
    assert len(set(labels)) == len(labels)
    assert not set(labels) & set(sources.choices())
    assert sources.DEFAULT in sources.choices()


def test_what_a_choice_is_called_holds_no_comma_that_a_link_would_take_for_two():
    assert not any("," in choice for choice in sources.choices())


def test_nobody_checked_that_typed_counts_are_of_distinct_users():
    typed = sources.source_of("typed", {"typed": "a 3\nb 2"})
    assert typed.contribution is Contribution.ASSUMED
    assert typed.protects == ""
    assert typed.items_of_data
