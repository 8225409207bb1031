"""Test that the downloads of every page are distinct, named and complete."""

import ast
import io
import json
import re
import warnings
from pathlib import Path

import nbformat
import pandas as pd
import pytest
from nbclient import NotebookClient
from pyarrow import parquet

from dptopk import __version__
from dptopk.export.notebook import notebook
from dptopk.questions.origin import TRUE_COUNTS
from dptopk.ui import keys
from dptopk.ui.layout.pages import PAGES

ROOT = Path(__file__).resolve().parents[2]
KEYS = [page.key for page in PAGES]
ERRORS = "Errors and items right of each mechanism"
QUERY = {"calibration": "optimal", "runs": 60, "runs_a_point": 5, "seed": 4, "k": 3}
QUERY |= {"draws": 1_000, "mechanisms": "Joint,CDPPeel", "data": "books"}


def read(content: bytes) -> pd.DataFrame:
    return pd.read_csv(io.BytesIO(content), encoding="utf-8-sig")


@pytest.mark.grid
@pytest.mark.parametrize("page", KEYS)
def test_every_download_has_its_own_name_and_says_what_it_holds(offered, page):
    visit, found = offered(page, **QUERY)
    check_code_files(visit, found["Python script"][1], found["Jupyter notebook"][1])
    names = [name for name, _ in found.values()]
    assert names
    assert len(set(names)) == len(names)
    for name, content in found.values():
        assert name.startswith(f"dptopk-{page}")
        if name.endswith(".zip"):  # exercises, which come from no data
            continue
        if not name.endswith((".csv", ".parquet")):
            assert "dptopk" in content
            continue
        frame = read(content) if name.endswith(".csv") else pd.read_parquet(io.BytesIO(content))
        said = {"data", "computed", "dptopk_version", "title"}
        assert said <= set(frame), name
        assert frame[list(said)].notna().all(axis=None)
        assert len(frame)
        if page != "papers" and not frame["computed"].eq(TRUE_COUNTS).all():  # of a mechanism
            assert {"epsilon", "neighbors"} <= set(frame), name
        if frame["computed"].str.contains("simulated|draws").any():
            drawn = frame[~frame["computed"].eq("exact")]
            assert set(drawn["seed"]) == {4}
            assert (drawn["runs"] > 0).all()


def test_parquet_holds_the_table_of_the_csv_and_what_it_comes_from(offered):
    _, found = offered("errors", **QUERY | {"data": "typed", "typed": "=1+1 30\nb 20\nc 9\nd 1"})
    for label in (ERRORS, "All runs, one per row"):
        content = io.BytesIO(found[f"{label} as Parquet"][1])
        rows = read(found[f"{label} as CSV"][1])
        held = pd.read_parquet(content).astype(object)
        empty = held.where(held.notna(), float("nan"))  # None in the one, nan in the other
        pd.testing.assert_frame_equal(empty, rows.astype(object), check_dtype=False)
    said = parquet.read_schema(io.BytesIO(found[f"{ERRORS} as Parquet"][1])).metadata
    assert said[b"dptopk.title"] == ERRORS.encode()
    assert said[b"dptopk.data"] == b"Typed counts"
    assert json.loads(said[b"dptopk.settings"])["calibration"] == "optimal"
    assert said[b"dptopk.seed"] == b"4"
    assert json.loads(said[b"dptopk.versions"])["dptopk"] == __version__
    assert re.fullmatch(rb"\d{4}-\d\d-\d\d", said[b"dptopk.made_on"])


def check_code_files(visit, script: str, book: str) -> None:
    """A script and a notebook of a page: whole, valid, and nothing of strangers is markup."""
    code = visit.code
    assert script.rstrip().endswith(f"\n\n{code}")
    ast.parse(script)
    read_back = nbformat.reads(book, as_version=nbformat.NO_CONVERT)
    nbformat.validate(read_back)
    assert (read_back.nbformat, read_back.nbformat_minor) == (4, 5)
    head, *cells = read_back.cells
    assert head.source.startswith(f"# {visit.app.session_state[keys.VIEW][0].title}")
    for source in (head.source.replace("\\", ""), script):
        assert f"Made with dptopk {__version__}" in source
    assert not re.search(r"(?<!\\)[<`$\[]", head.source)
    assert "".join("".join(cell.source.split()) for cell in cells) == "".join(code.split())


def test_names_in_a_notebook_stay_text():
    title = "<b>[x](y)</b> $a$ `c`"
    book = notebook(title, [title], f"import math\n\nprint({title!r}, math.pi)")
    head, *cells = nbformat.reads(book, as_version=4).cells
    assert head.source.replace("\\", "") == f"# {title}\n\n{title}"
    assert not re.search(r"(?<!\\)[<`$\[]", head.source)
    assert [cell.source for cell in cells] == ["import math", f"print({title!r}, math.pi)"]


def test_a_notebook_gives_the_numbers_of_the_page(offered, tmp_path, monkeypatch):
    visit, found = offered("compare", **QUERY | {"data": "games"})
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    book = nbformat.reads(found["Jupyter notebook"][1], as_version=4)
    with warnings.catch_warnings():  # of Jupyter's own
        warnings.simplefilter("ignore")
        NotebookClient(book, timeout=120, resources={"metadata": {"path": tmp_path}}).execute()
    printed = "".join(out.text for cell in book.cells for out in cell.get("outputs", ()))
    assert printed == visit.told()[1]


def test_the_table_of_errors_names_its_metric_and_holds_the_exact_values(offered):
    visit, found = offered("errors", **QUERY, metric="signed_max")
    frame = read(found[f"{ERRORS} as CSV"][1]).set_index("mechanism")
    shown = visit.table().set_index("mechanism")
    assert set(frame["metric"]) == {"signed maximum error"}
    assert set(frame["unit"]) == set(frame["counts_are"]) == {"ratings"}
    assert shown.loc["Joint", "median"] == f"{frame.loc['Joint', 'median_exact']:,.0f} exact"
    assert "exact" in shown.loc["Joint", "right in order"]
    assert 0 < frame.loc["Joint", "right_in_order_exact"] <= 1
    assert frame["calibration"].fillna("").tolist() == ["", "optimal"]


def test_numbers_that_are_shown_shortened_are_whole_in_the_download(offered):
    _, found = offered("budget", **QUERY)
    costs = read(found["Cost of a release of each mechanism as CSV"][1])
    assert costs.filter(like="such releases").map(float.is_integer).sum().sum() < len(costs)
    worth = read(found["Errors by calibration as CSV"][1])
    assert worth["calibration"].tolist() == ["paper", "optimal"]
    assert worth["right_in_order_exact"].between(0, 1).all()
    _, found = offered("exact", **QUERY)
    fit = read(found["χ² test of the draws as CSV"][1])
    assert fit["draws"].tolist() == [1_000] * len(fit)


@pytest.mark.parametrize(
    ("page", "own"),
    [
        ("release", "Books (Goodreads) · k = 3, ε = 1, "),
        ("release", " · simulated, 1 release of each mechanism, seed 4"),
        ("exact", "Counts 10, 5, 1, 1 · k = 2, ε = 1, "),
        ("exact", ", with draws laid over, 1,000 draws from each mechanism, seed 4"),
        ("ledger", " · a call of Limited domain alone: k = 3, ε = 1, "),
        ("privacy", "noise although a user is replaced · judged by: one user is replaced"),
    ],
)
def test_the_caption_of_a_figure_speaks_of_its_own_case(opened, page, own):
    wrong = {"run": "unswapped", "neighbors": "swap"} if page == "privacy" else {}  # on purpose
    assert any(own in caption for caption in opened(page, **QUERY, **wrong).whole().captions)


def test_paper_gets_the_rows_of_a_table_whole(opened):
    visit = opened("gaps", **QUERY).whole()
    on_paper = [html.proto.body for html in visit.main.get("html")]
    (table,) = (body for body in on_paper if "dptopk-on-paper" in body)
    assert table.count("<tr>") == 1 + len(visit.table())
    assert "k = 3 · true counts" in table


@pytest.mark.parametrize(
    ("page", "query", "cells"),
    [
        ("exact", {"epsilon": "60"}, "<td>A, B</td><td>&gt; 99.9999% (1.5e-52 below 1)"),
        ("privacy", {"vector": "1000,5", "small_k": "1"}, "<td>8.7e-217</td><td>1.4e-216</td>"),
    ],
)
def test_paper_gets_no_false_certainty(opened, page, query, cells):
    visit = opened(page, small="typed", mechanisms="Joint", **query).whole()
    on_paper = "".join(html.proto.body for html in visit.main.get("html"))
    assert cells in on_paper
    assert "<td>1</td>" not in on_paper.partition("χ²")[0]
    assert ">nan<" not in on_paper


def test_names_in_a_caption_stay_text(opened):
    typed = "![](https://example.com/x.png) 9\n[a](b) 5\n$x$ 1"
    said = " ".join(opened("privacy", data="typed", typed=typed, small="top").whole().captions)
    assert "A user who holds" in said
    assert "![](" not in re.sub("`[^`]*`", "", said)
