"""Test that settings files repeat a question, and that their content is checked."""

import json
from dataclasses import replace

import pytest

from dptopk import ItemCounts
from dptopk.data.ingest import IngestError, read_again
from dptopk.data.sources import Source
from dptopk.questions import QUESTIONS
from dptopk.questions.asking import AskingError, checked, parameters_of, source_of, view_of
from dptopk.questions.saved import MAX_BYTES, read_saved, saved_text
from dptopk.questions.settings import OTHER_NAMES, named

SOURCE = Source(ItemCounts([9, 5, 3], ["a", "b", "secret name"]), "My shop", "", (), "")
COMPARE = QUESTIONS["compare"]


def written(**changes) -> bytes:
    """A file as it is saved, with some of it changed; None takes an entry away."""
    content = json.loads(saved_text(COMPARE, checked(COMPARE, {"k": 2}), SOURCE))
    content |= changes
    kept = {key: value for key, value in content.items() if value is not None}
    return json.dumps(kept).encode()


@pytest.mark.parametrize("key", QUESTIONS)
def test_what_is_saved_is_read_back(key):
    question = QUESTIONS[key]
    given = {"k": 3, "epsilon": "0.3", "mechanisms": ["Joint"], "neighbors": "swap", "seed": 7}
    values = checked(question, given)
    saved = read_saved(saved_text(question, values, SOURCE).encode())
    assert saved.question == question
    assert saved.values == values
    assert saved.values.keys() == parameters_of(question).keys()
    assert (saved.title, saved.sha256) == ("My shop", SOURCE.counts.digest)


def test_counts_and_names_are_never_saved():
    text = written(settings={"data": "upload"}).decode()
    assert "secret name" not in text
    assert SOURCE.counts.digest in text
    saved = read_saved(text.encode())
    assert saved.uploaded
    with pytest.raises(AskingError, match="never hold uploaded counts"):
        source_of(saved.values)
    saved.check(SOURCE)
    other = Source(ItemCounts([9, 5, 4], ["a", "b", "secret name"]), "My shop", "", (), "")
    with pytest.raises(AskingError, match="not the counts that the settings were saved with"):
        saved.check(other)


def test_a_file_written_by_hand_needs_only_what_is_not_a_default():
    saved = read_saved(b'{"dptopk_settings": 1, "page": "sweep", "settings": {"k": 4}}')
    assert saved.values == checked(QUESTIONS["sweep"], {}) | {"k": 4}
    saved.check(SOURCE)
    assert view_of(saved.question, saved.values, source_of(saved.values)).k == 4


READ = {"columns": [0, 1, None], "sheet": None, "delimiter": ";", "header": True}
READ |= {"title_rows": 1, "footnote_rows": 0, "answers": {"total": "keep"}, "unit": "orders"}


def read_so(**changes) -> bytes:
    """A file that says how an upload was read, with some of it changed."""
    return written(data={"title": "x", "sha256": "y", "read": READ | changes})


def test_how_a_file_was_read_is_read_back():
    how = read_saved(read_so()).how
    assert how is not None
    assert how.saved() == READ
    assert read_saved(written()).how is None
    content = b"Title\nitem;count\na;5\nb;3\nSum;8\n"
    assert read_again(content, "x.csv", how).counts.counts.tolist() == [5, 3, 8]
    with pytest.raises(IngestError, match="columns, but others were read"):
        read_again(content, "x.csv", replace(how, columns=(0, 7, None)))


def test_it_says_that_there_was_a_public_list_and_older_files_do_not():
    values = checked(COMPARE, {"k": 2})
    listed = saved_text(COMPARE, values, replace(SOURCE, items_listed=True))
    assert read_saved(listed.encode()).listed
    assert "listed" not in saved_text(COMPARE, values, SOURCE)
    assert not read_saved(written()).listed
    with pytest.raises(AskingError, match="listed must be true or false"):
        read_saved(listed.replace('"listed": true', '"listed": "yes"').encode())


@pytest.mark.parametrize("epsilon", ["1e-9", "1e12"])
def test_both_ends_of_the_range_of_epsilon_are_read_back(epsilon):
    saved = read_saved(written(settings={"k": 2, "epsilon": epsilon}))
    assert saved.values["epsilon"] == float(epsilon)
    assert saved.values == read_saved(written(settings={"k": 2, "epsilon": float(epsilon)})).values
    assert view_of(saved.question, saved.values, SOURCE).mechanisms[0].epsilon == float(epsilon)


HOSTILE = [
    (read_so(columns=[0]), "columns must be three"),
    (read_so(columns=[0, -1, None]), "columns must be in"),
    (read_so(columns=["name", 1, None]), "columns must be an integer"),
    (read_so(answers={"run": "x"}), "answers must be one of"),
    (read_so(answers={"total": 1}), "the answer to total must be a string"),
    (read_so(answers={"twins": "mrge"}), "the answer to twins must be one of 'apart', 'merge'"),
    (read_so(answers=[]), "answers must be an object"),
    (read_so(unit="<b>"), "unit must be one to three"),
    (read_so(header=1), "header must be true or false"),
    (read_so(delimiter="x"), "delimiter must be one of"),
    (read_so(title_rows=-1), "title_rows must be in"),
    (read_so(sheet="one"), "sheet must be an integer"),
    (read_so(names=["a"]), "must be an object of columns"),
    (written(data={"sha256": "y", "read": []}), "must be an object of columns"),
    (b"", "not valid JSON"),
    (b"\xff\xfe\x00", "not valid JSON"),
    (b"[" * 40_000, "not valid JSON"),
    (b"{" + b" " * MAX_BYTES, "at most 65,536 bytes"),
    (b'{"dptopk_settings": ' + b"1" * 5_000 + b"}", "not valid JSON"),
    (b'{"dptopk_settings": NaN}', "NaN is not a number"),
    (b'{"dptopk_settings": 1, "dptopk_settings": 1}', "twice"),
    (b"[1]", "not a settings file"),
    (b'{"k": 3}', "not a settings file"),
    (written(dptopk_settings=2), "version 2, and this dptopk reads version 1"),
    (written(dptopk_settings=True), "version True"),
    (written(dptopk_settings=[1]), "version"),
    (written(run="rm -rf /"), "'run', which no file"),
    (written(page="../release"), "page must be one of release"),
    (written(page=None), "page must be one of"),
    (written(page=["compare"]), "page must be one of"),
    (written(settings=None), "settings must be an object"),
    (written(settings=[["k", 2]]), "settings must be an object"),
    (written(settings={"__class__": 1}), "'__class__' is not a setting of compare"),
    (written(settings={"epsilom": 1}), "did you mean epsilon"),
    *(
        (written(settings={other: 1}), rf"did you mean {key}\?")
        for other, key in OTHER_NAMES.items()
    ),
    (written(settings={"k": 10**30}), r"k must be in \[1, 200\]"),
    (written(settings={"k": True}), "k must be an integer"),
    (written(settings={"k": 2.5}), "k must be an integer"),
    (written(settings={"k": {"a": 1}}), "k must be an integer"),
    (written(settings={"k": None}), "k must be an integer"),
    (written(settings={"epsilon": 1e999}), "Infinity is not a number"),
    *(
        (written(settings={"epsilon": out}), "epsilon must be a number from 1e-9 to 1e12, got")
        for out in (1e13, "1e13", 9.9e-10, 0, -1.0)
    ),
    (written(settings={"epsilon": "inf"}), "epsilon must be a finite number"),
    (written(settings={"mechanisms": "Joint,os.system"}), "mechanisms must be one of"),
    (written(settings={"mechanisms": [["Joint"]]}), "must hold words"),
    (written(settings={"mechanisms": []}), "no mechanism is chosen"),
    (written(settings={"data": "/etc/passwd"}), "data must be one of"),
    (written(settings={"typed": "1 " * 2_000}), "at most 1,500 characters"),
    (written(settings={"data": "upload"}, data=None), "does not say their sha256"),
    (written(data=["x"]), "data must be an object"),
    (written(data={"title": 1, "sha256": "x"}), "must be text"),
]


@pytest.mark.parametrize(("content", "words"), HOSTILE)
def test_what_is_wrong_with_a_file_is_said_in_one_sentence(content, words):
    with pytest.raises(AskingError, match=words) as said:
        read_saved(content)
    assert len(str(said.value)) < 400


def test_a_setting_that_nobody_declared_is_named_with_the_place_to_enter_it():
    with pytest.raises(LookupError, match=r"no setting has the key 'bar'.* in `named` there"):
        named(("metric", "bar"))
