"""Test the settings that all questions share."""

from dptopk.questions.settings import METRIC


def test_links_with_the_former_words_for_a_measure_are_understood():
    former = {"ℓ∞ error": "linf", "ℓ1 error": "l1", "place of the ℓ∞ error": "linf_index"}
    assert {words: METRIC.parse(words) for words in former} == former
