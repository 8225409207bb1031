"""Test downloads, complete and safe with hostile names, and that printed lines run alone."""

import datetime
import io
import re
import subprocess
import sys

import pandas as pd
import plotly.graph_objects as go
import pytest

from dptopk import MECHANISMS, ItemCounts, Joint, __version__
from dptopk.core.errors import METRICS
from dptopk.data.ingest import read_table, to_item_counts
from dptopk.mechanisms import extensions
from dptopk.questions.origin import Origin
from dptopk.ui import exports, snippets

NAME = '</script><script>alert(1)</script> "=1+1" & co'
ORIGIN = Origin(NAME, ItemCounts([3, 2]), (Joint(1, 1.0),), "exact")
FIGURE = go.Figure(go.Bar(x=[NAME], y=[1]), {"height": 300})


def page(figure: go.Figure = FIGURE) -> str:
    return exports.figure_page(figure, 300, "dptopk-x", f"All of {NAME}", ORIGIN)


def test_a_figure_as_html_says_what_it_shows_needs_no_network_and_runs_no_name():
    text = page()
    today = datetime.date.today().isoformat()
    caption = re.search("<figcaption>(.*)</figcaption>", text)[1]
    assert "k = 1, ε = 1, one user joins or leaves · exact" in caption
    assert f"Made with dptopk {__version__}, {today}" in caption
    assert "<title>All of &lt;/script&gt;" in text
    assert "alert(1)</script>" not in text
    assert text.count("<script") == text.count("</script>") == 3
    assert not re.search(r"""(src|href)=["']?http""", text[: text.index('id="plotly"')])
    assert len(text) < 2_300_000


def test_figures_of_equal_length_begin_with_different_digests():
    """Streamlit's address of a download over 1 MiB samples its content: its first 64 KiB."""
    other = go.Figure(FIGURE).update_traces(y=[2])
    assert len(page()) == len(page(other))
    assert page()[:1_000] != page(other)[:1_000]


def test_a_table_as_csv_loads_with_its_origin():
    frame = pd.DataFrame({"item": ["=1+1", "日本"], "p": [0.1 + 0.2, 1.0]})
    data = exports.csv(lambda: frame, ORIGIN, "Items")
    assert data.startswith(b"\xef\xbb\xbf")
    read = pd.read_csv(io.BytesIO(data), encoding="utf-8-sig")
    assert b"0.30000000000000004" in data  # all digits; old pandas reads back fewer
    assert read["p"].tolist() == pytest.approx([0.3, 1.0])
    assert read["item"].tolist() == ["'=1+1", "日本"]
    assert read["computed"].tolist() == ["exact"] * 2
    assert read["data"].tolist() == [NAME] * 2
    assert read["title"].tolist() == ["Items"] * 2


def test_file_names_tell_the_page_once():
    assert exports.file_stem("errors", "trials", ORIGIN).startswith("dptopk-errors-trials-script")
    assert exports.file_stem("errors", "errors", ORIGIN).startswith("dptopk-errors-script")


def test_counts_taken_away_can_be_brought_back():
    counts = ItemCounts([30, 20, 9], ["a", "b", "c"])
    frame = pd.DataFrame({"place": [1, 2, 3], "item": counts.items, "count (likes)": counts.counts})
    data = exports.csv(frame, Origin("Counts", counts, (), "true counts, no noise"), "Items")
    table = read_table(data, "counts.csv")
    assert (
        to_item_counts(table, table.item_column, table.count_column).counts.digest == counts.digest
    )


def test_lines_of_python_do_not_say_how_a_figure_is_read():
    origin = Origin("any counts", None, (), "exact", alone="Caveat.").read_as("Dots are medians.")
    for written in (exports.script("x = 1\n", origin, "t"), exports.notebook("x", origin, "t")):
        assert "Dots" not in written
        assert "Caveat" in written


def test_what_is_not_a_number_is_printed_as_a_dash():
    frame = pd.DataFrame({"item": ["a", "b"], "p": [0.25, float("nan")]})
    assert "<td>b</td><td>–</td>" in exports.table_html(frame)
    assert "<td>b</td><td>–</td>" in exports.table_html(frame, {"p": ["25.0%", "nan"]})


def test_on_paper_a_column_is_in_the_words_of_the_screen():
    frame = pd.DataFrame({"item": ["a\nb", "d"], "n": [4_841, 2], "p": [5.6e-7, 0.25], "s": "x"})
    html = exports.table_html(frame, {"p": ["5.6e-7", "25.0%"]})
    assert "<tr><td>a\nb</td><td>4,841</td><td>5.6e-7</td><td>x</td></tr>" in html
    assert "<tr><td>d</td><td>2</td><td>25.0%</td><td>x</td></tr>" in html
    long = exports.table_html(pd.DataFrame({"p": [0.5] * 61}), {"p": ["half"] * 61})
    assert long.count("half") == 60


COUNTS = "counts = ItemCounts([90, 70, 40, 20, 5])\n"


@pytest.mark.parametrize("packaged", [False, True])
@pytest.mark.parametrize(("mechanism", "metric"), [("Joint", "misplaced"), ("NoisyTop", "linf")])
def test_code_loads_what_is_of_ones_own(mechanism, metric, packaged, own_module, monkeypatch):
    if packaged:
        info = own_module.parent / "own-1.0.dist-info"
        info.mkdir()
        (info / "entry_points.txt").write_text(
            "[dptopk.mechanisms]\nx = my_mechanism:NoisyTop\n"
            "[dptopk.metrics]\ny = my_mechanism:MISPLACED\n",
            "utf-8",
        )
        monkeypatch.syspath_prepend(own_module.parent)
    extensions.load([] if packaged else [str(own_module)])
    winners = f'print(winner_map(counts, mechanisms, [1, 2], [1.0], "{metric}", n=20))'
    body = f"{snippets.errors(20, 1, METRICS[metric])}{winners}"
    code = snippets.small(COUNTS, [MECHANISMS[mechanism](2, 1.0)], body)
    assert ('load(["my_mechanism"])' in code) != packaged
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=own_module.parent, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert mechanism in done.stdout


def test_code_loads_nothing_where_nothing_is_of_ones_own(own_module):
    extensions.load([str(own_module)])
    code = snippets.small(COUNTS, [Joint(2, 1.0)], snippets.errors(20, 1, METRICS["linf"]))
    assert "load(" not in code
