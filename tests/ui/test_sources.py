"""The code that an uploaded file leaves behind reads the same counts from the same file."""

import pytest
from streamlit.testing.v1 import AppTest

from dptopk.ui import sources

FILES = {
    "fruit.csv": b"fruit,users\npear,30\nplum,20\nfig,10\n",
    "it's [a](b).csv": "name;n\n'x';3\n\"y;z\";2\nÄ;1\n".encode("latin-1"),
    "counts.tsv": b"30\t1\n20\t2\n10\t3\n",
}


def review(data, filename):
    import streamlit as st

    from dptopk.ui import sources

    st.session_state["result"] = sources._review(data, filename)


@pytest.mark.parametrize("filename", FILES)
def test_code_of_an_upload(filename, tmp_path, monkeypatch):
    app = AppTest.from_function(review, args=(FILES[filename], filename)).run()
    assert [element.message for element in app.exception] == []
    monkeypatch.chdir(tmp_path)
    (tmp_path / filename).write_bytes(FILES[filename])
    names: dict = {}
    imports = "import pathlib\nfrom dptopk.ingest import read_table, to_item_counts\n"
    exec(imports + app.session_state["_upload_python"], names)
    read = app.session_state["result"].counts
    assert names["counts"].items == read.items
    assert names["counts"].counts.tolist() == read.counts.tolist()


def test_labels_of_choices_are_distinct_so_that_links_are():
    labels = [sources.choice_label(choice) for choice in sources.choices()]
    assert len(set(labels)) == len(labels)
    assert sources.DEFAULT in sources.choices()
