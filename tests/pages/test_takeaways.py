"""What every page offers to take away: told apart, named, and complete."""

import io
import re

import pandas as pd
import pytest

from dptopk.ui.plan import PAGES

KEYS = [page.key for page in PAGES]
QUERY = {"calibration": "optimal", "runs": 60, "runs_a_point": 5, "seed": 4, "k": 3}
QUERY |= {"draws": 1_000, "mechanisms": "Joint,CDPPeel", "data": "books"}


def read(content: bytes) -> pd.DataFrame:
    return pd.read_csv(io.BytesIO(content), encoding="utf-8-sig")


@pytest.mark.parametrize("page", KEYS)
def test_every_download_has_its_own_name_and_says_what_it_holds(offered, page):
    _, found = offered(page, **QUERY)
    names = [name for name, _ in found.values()]
    assert names
    assert len(set(names)) == len(names)
    for name, content in found.values():
        assert name.startswith(f"dptopk-{page}")
        if not name.endswith(".csv"):
            assert "dptopk" in content
            continue
        frame = read(content)
        said = {"data", "computed", "dptopk_version"}
        assert said <= set(frame), name
        assert frame[list(said)].notna().all(axis=None)
        assert len(frame)
        if page not in ("data", "gaps"):  # true counts need no mechanism
            assert {"epsilon", "neighbors"} <= set(frame), name
        if frame["computed"].str.contains("simulated|draws").any():
            assert set(frame["seed"]) == {4}
            assert (frame["runs"] > 0).all()


def test_the_table_of_errors_names_its_metric_and_holds_the_exact_values(offered):
    visit, found = offered("errors", **QUERY, metric="signed_max")
    frame = read(found["Error summary as CSV"][1]).set_index("mechanism")
    shown = visit.table().set_index("mechanism")
    assert set(frame["metric"]) == {"signed maximum error"}
    assert set(frame["unit"]) == {"users"}
    assert shown.loc["Joint", "median"] == f"{frame.loc['Joint', 'median_exact']:,.0f} exact"
    assert shown.loc["Joint", "right in order"].endswith("exact")
    assert 0 < frame.loc["Joint", "right_in_order_exact"] <= 1
    assert frame["calibration"].fillna("").tolist() == ["", "optimal"]


def test_numbers_that_are_shown_shortened_are_whole_in_the_download(offered):
    _, found = offered("budget", **QUERY)
    costs = read(found["Costs as CSV"][1])
    assert costs.filter(like="such releases").map(float.is_integer).sum().sum() < len(costs)
    worth = read(found["Budget errors as CSV"][1])
    assert worth["calibration"].tolist() == ["paper", "optimal"]
    assert worth["right_in_order_exact"].between(0, 1).all()
    _, found = offered("exact", **QUERY)
    fit = read(found["Fit as CSV"][1])
    assert fit["draws"].tolist() == [1_000] * len(fit)


LINES = {
    "release": "Books (Goodreads) · k = 3, ε = 1, δ = 1e-6, calibration tightest proven (less "
    "noise), one user joins or leaves · simulated, 1 release of each mechanism, seed 4",
    "errors": "Books (Goodreads) · k = 3, ε = 1, δ = 1e-6, calibration tightest proven (less "
    "noise), one user joins or leaves · simulated, 60 runs of each mechanism, seed 4",
    "sweep": "Books (Goodreads) · ε = 1, δ = 1e-6, calibration tightest proven (less "
    "noise), one user joins or leaves · simulated, 5 runs of each mechanism at each point, seed 4",
    "exact": "Counts 10, 5, 1, 1 · k = 2, ε = 1, δ = 1e-6, calibration tightest proven (less "
    "noise), one user joins or leaves · exact, with draws laid over, 1,000 draws from each "
    "mechanism, seed 4",
    "privacy": "Counts 10, 5, 1, 1 · k = 2, ε = 1, δ = 1e-6, calibration tightest proven (less "
    "noise), one user joins or leaves · exact",
    "gaps": "Books (Goodreads) · k = 3 · true counts, no noise",
    "budget": "any counts · k = 3, ε = 1, δ = 1e-6, calibration tightest proven (less noise), "
    "one user joins or leaves · exact",
    "ledger": "Books (Goodreads) · k = 3, ε = 1, δ = 1e-6, one user joins or leaves · simulated, "
    "1 series, seed 4",
}


@pytest.mark.parametrize("page", LINES)
def test_the_caption_of_a_figure_speaks_of_its_own_case(opened, page):
    assert LINES[page] in opened(page, **QUERY).whole().captions


def test_what_goes_wrong_on_purpose_is_said_with_the_figure(opened):
    visit = opened("privacy", run="unswapped", neighbors="swap").whole()
    line = next(words for words in visit.captions if words.startswith("Counts 10"))
    assert "add/remove noise although a user is replaced · judged by: one user is replaced" in line


def test_paper_gets_the_rows_of_a_table_whole(opened):
    visit = opened("gaps", **QUERY).whole()
    on_paper = [html.proto.body for html in visit.app.main.get("html")]
    (table,) = (body for body in on_paper if "dptopk-on-paper" in body)
    assert table.count("<tr>") == 1 + len(visit.table())
    assert "Books (Goodreads) · k = 3 · true counts, no noise" in table


def test_names_in_a_caption_stay_text(opened):
    typed = "![](https://example.com/x.png) 9\n[a](b) 5\n$x$ 1"
    said = " ".join(opened("privacy", data="typed", typed=typed, small="top").whole().captions)
    assert "A user who holds" in said
    assert "![](" not in re.sub("`[^`]*`", "", said)
