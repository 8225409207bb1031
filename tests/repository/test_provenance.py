"""Test the provenance of bundled data."""

import pkgutil
import re

import pytest

from dptopk.data.datasets import data_folder, dataset_info, dataset_names, load_dataset, provenance


@pytest.mark.parametrize("name", dataset_names())
def test_info_is_complete_true_and_plain_because_the_app_shows_it_as_it_stands(name):
    info = dataset_info(name)
    assert info.name == name
    for field, value in vars(info).items():
        assert value or field in {"distinct_users", "doi", "checks", "note", "repeats"}, field
        assert not re.search(r"[`*\n]|\]\(", str(value)), field
    assert info.url.startswith("https://")
    assert re.fullmatch(r"[0-9a-f]{64}", info.sha256)
    assert (data_folder() / info.file).is_file()
    assert f" {load_dataset(name).d:,} " in info.description


def test_what_the_texts_call_is_there():
    names = re.findall(r"`(dptopk[.\w]+)\(name\)`", provenance()["about"]["files"])
    assert [pkgutil.resolve_name(name) for name in names] == [load_dataset, dataset_info]


def test_the_source_names_the_original_and_the_copy():
    info = dataset_info("goodbooks10k")
    assert info.source == f"{info.original}; copy from {info.copy}."


def test_the_texts_beside_the_data_hold_no_path_of_a_machine():
    for file in data_folder().iterdir():
        if file.suffix in {".md", ".txt", ".toml"}:
            assert not re.search(r"(^|[\s`'\"])/\w", file.read_text(encoding="utf-8")), file.name
