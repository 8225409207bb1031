"""Test that hostile files, read as by the app, are refused quickly in one sentence."""

import re
import signal
import tempfile
from functools import partial

import hostile_files
import pytest
import worker_calls

from dptopk.core.worker_process import Workers
from dptopk.data.ingest import IngestError, read_table, sheet_names, to_item_counts
from dptopk.ui.server import readers

FEWER = readers.LIMITS._replace(seconds=20.0)


def refusal(data: bytes, filename: str) -> str:
    """What is said of a file that the dialog is given."""
    call = readers.READERS.call
    try:
        call(sheet_names, data, limits=FEWER)
        table = call(read_table, data, filename, limits=FEWER)
        item, count, user = table.item_column, table.count_column, table.user_column
        call(to_item_counts, table, item, count, user_column=user, limits=FEWER)
    except IngestError as error:
        return str(error)
    return ""


@pytest.mark.slow
def test_hostile_files_are_refused_by_a_process_of_their_own():
    for kind, (filename, data, words) in hostile_files.hostile_files().items():
        assert re.search(re.escape(words), refusal(data, filename)), kind


@pytest.mark.slow
@pytest.mark.parametrize("kind", hostile_files.slow_files())
def test_what_would_take_long_is_refused_early(kind):
    filename, made, words = hostile_files.slow_files()[kind]
    said = refusal(made(), filename)
    assert words in said
    assert said.endswith(".")
    assert said.isprintable()
    assert len(said) < 250


@pytest.mark.slow
def test_what_reads_files_is_loaded_ahead_of_them():
    begun = Workers(readers._IMPORTED, 1, 1, "spawn")
    there = begun.call(worker_calls.loaded, limits=FEWER)
    begun.close()
    assert {read_table.__module__, to_item_counts.__module__, "pandas"} <= {*there}


def call(caller, function, *arguments):
    return caller(function, *arguments, progress=lambda share: None, waiting=lambda ahead: None)


@pytest.mark.parametrize("caller", [readers.read, readers.count], ids=["read", "count"])
def test_a_process_killed_from_outside_is_a_sentence_and_the_next_one_works(caller):
    with pytest.raises(
        IngestError, match=r"^(Reading the file|Counting the log) was ended by the system"
    ):
        call(caller, worker_calls.kill_itself, signal.SIGKILL)
    assert call(caller, worker_calls.echo, 1) == ((1,), {})


def test_a_disk_without_room_is_a_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    with pytest.raises(IngestError, match="takes more space on the disk than this app may use"):
        call(readers.count, worker_calls.echo)


@pytest.mark.parametrize(
    ("function", "limits", "words"),
    [
        (worker_calls.sleep, readers.LIMITS._replace(elapsed=0.3), "the file takes more time than"),
        (worker_calls.fill_the_memory, readers.LIMITS._replace(memory=2**28), "takes more memory"),
        (worker_calls.leave, readers.LIMITS, "the file ended before it was done: keep only the co"),
    ],
)
def test_a_reader_that_was_ended_becomes_a_sentence(function, limits, words):
    with pytest.raises(IngestError, match=words):
        call(partial(readers.read, limits=limits), function)
