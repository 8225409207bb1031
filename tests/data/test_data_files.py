"""Test that bundled data are found in a wheel and in a clone, and errors if they are damaged."""

import shutil

import pytest

from dptopk.data import datasets
from dptopk.data.datasets import load_dataset


def test_missing_files_are_reported_with_both_places(monkeypatch, tmp_path):
    monkeypatch.setattr(datasets, "__file__", str(tmp_path / "dptopk" / "data" / "datasets.py"))
    with pytest.raises(FileNotFoundError, match=r"neither at .* nor at .*install dptopk again"):
        datasets._data_file("books.csv")


@pytest.mark.parametrize("folder", ["dptopk/sample_data", "sample_data"])
def test_files_are_found_in_a_wheel_and_in_a_clone(monkeypatch, tmp_path, folder):
    place = tmp_path / folder / "books.csv"
    place.parent.mkdir(parents=True)
    place.write_text("item,count\na,1\n")
    monkeypatch.setattr(datasets, "__file__", str(tmp_path / "dptopk" / "data" / "datasets.py"))
    assert datasets._data_file("books.csv") == place


def spoiled(folder, name, change):
    """A copy of the bundled data in a clone, with one file changed; the path of its module."""
    shutil.copytree(datasets.data_folder(), folder / "sample_data")
    file = folder / "sample_data" / name
    file.write_bytes(change(file.read_bytes()))
    return str(folder / "dptopk" / "datasets.py")


@pytest.fixture
def forgetful():
    """Nothing is remembered of files that were read, before the test and after it."""

    def forget():
        for remembered in (datasets._read_provenance, datasets._load):
            remembered.cache_clear()

    forget()
    yield
    forget()


@pytest.mark.parametrize(
    ("name", "file", "change"),
    [
        ("games", "games.csv", lambda data: data.replace(b"4841", b"4842")),
        ("games", "games.csv", lambda data: data[:-9]),
        ("news", "news.csv.gz", lambda data: data[:1000]),
        ("games", "games.csv", lambda data: b""),
        ("games", "provenance.toml", lambda data: data[:3000]),
        ("games", "provenance.toml", lambda data: b"\xff" + data),
        ("games", "provenance.toml", lambda data: b""),
        ("games", "provenance.toml", lambda data: data.replace(b"sha256 =", b"sha =")),
    ],
)
def test_a_damaged_file_is_told_and_never_read(
    monkeypatch, tmp_path, forgetful, name, file, change
):
    monkeypatch.setattr(datasets, "__file__", spoiled(tmp_path, file, change))
    with pytest.raises(OSError, match=f"{file} has been changed: install dptopk again"):
        load_dataset(name)
    monkeypatch.undo()  # the failure is not remembered
    assert load_dataset(name).d > 5_000
