"""Test that ordinary files are read correctly, and that changes are reported."""

import pytest
from usual_files import usual_files

from dptopk.data.ingest import UnclearError

USUAL = usual_files()


@pytest.mark.parametrize("kind", USUAL)
def test_usual_files_are_read_and_said(ingested, as_dict, said, kind):
    file = USUAL[kind]
    result = ingested(file.data, file.filename, file.answers, sheet=file.sheet)
    assert as_dict(result) == file.counts
    assert [words for words in file.said if words not in said(result)] == []
    assert result.counts.name == file.title
    asked = {question.key: question.answer for question in result.report.questions}
    assert asked.items() >= file.answers.items()


@pytest.mark.parametrize("kind", [kind for kind, file in USUAL.items() if file.answers])
def test_what_two_readings_are_possible_of_is_asked(ingested, kind):
    file = USUAL[kind]
    with pytest.raises(UnclearError) as caught:
        ingested(file.data, file.filename)
    *_, question = caught.value.questions
    assert question.key in file.answers
    assert question.answer is None
    assert str(caught.value).startswith(question.sentence[:-1])
    assert str(caught.value).isprintable()
