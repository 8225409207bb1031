"""Test the provenance of bundled data, and the README that is generated from it."""

import re

import provenance_page
import pytest

from dptopk.data.datasets import data_folder, dataset_info, dataset_names, load_dataset


@pytest.mark.parametrize("name", dataset_names())
def test_info_is_complete(name):
    info = dataset_info(name)
    assert info.name == name
    for field, value in vars(info).items():
        assert value or field in {"distinct_users", "doi", "checks", "note", "repeats"}, field
    assert info.url.startswith("https://")
    assert re.fullmatch(r"[0-9a-f]{64}", info.sha256)
    assert (data_folder() / info.file).is_file()


@pytest.mark.parametrize("name", dataset_names())
def test_sizes_in_words_are_those_of_the_file(name):
    assert f" {load_dataset(name).d:,} " in dataset_info(name).description


@pytest.mark.parametrize("name", dataset_names())
def test_texts_are_plain_because_the_app_shows_them_as_they_stand(name):
    for value in vars(dataset_info(name)).values():
        assert not re.search(r"[`*\n]|\]\(", str(value))


def test_the_source_names_the_original_and_the_copy():
    info = dataset_info("goodbooks10k")
    assert info.source == f"{info.original}; copy from {info.copy}."


def test_the_readme_is_the_generated_one():
    committed = (data_folder() / "README.md").read_bytes().decode("utf-8")
    assert committed == provenance_page.readme(), "run python .ci/provenance_page.py --write"


@pytest.mark.parametrize("name", dataset_names())
def test_the_readme_holds_every_fact(name):
    section = provenance_page.readme().split(f"\n## {name}\n")[1].split("\n## ")[0]
    info = dataset_info(name)
    for field, value in vars(info).items():
        if isinstance(value, str) and field not in {"name", "item_noun", "count_noun", "paper"}:
            assert value in section, field


def test_the_command_prints_or_writes(monkeypatch, tmp_path, capsys):
    provenance_page.main([])
    assert capsys.readouterr().out == provenance_page.readme()
    monkeypatch.setattr(provenance_page, "data_folder", lambda: tmp_path)
    provenance_page.main(["--write"])
    assert (tmp_path / "README.md").read_bytes().decode("utf-8") == provenance_page.readme()


def test_the_texts_beside_the_data_hold_no_path_of_a_machine():
    for file in data_folder().iterdir():
        if file.suffix in {".md", ".txt", ".toml"}:
            assert not re.search(r"(^|[\s`'\"])/\w", file.read_text(encoding="utf-8")), file.name
