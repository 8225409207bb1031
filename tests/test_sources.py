"""What people call the data."""

from dptopk import sources


def test_labels_of_choices_are_distinct_so_that_old_links_are():
    labels = [sources.choice_label(choice) for choice in sources.choices()]
    assert len(set(labels)) == len(labels)
    assert not set(labels) & set(sources.choices())
    assert sources.DEFAULT in sources.choices()


def test_what_a_choice_is_called_holds_no_comma_that_a_link_would_take_for_two():
    assert not any("," in choice for choice in sources.choices())
