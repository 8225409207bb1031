"""Test that rankings side by side are rendered completely, with names escaped."""

import re
from html import escape
from pathlib import Path

import pandas as pd
import pytest

from dptopk.ui import ranking_table, tables

FRAME = pd.DataFrame({"place": [1, 2, 3], "true item": ["<b>&", "b", "✗ c"]})
FRAME["true count"] = [4841, 2, 1]
FRAME["One"] = ["✓ <b>&", "↕ (+1) c", "✗ d"]
FRAME["Other"] = ["✓ <b>&", "✓ b", "⊥ nothing"]
LOOK = (Path(ranking_table.__file__).parent / "assets" / "look.css").read_text(encoding="utf-8")


def written(beside: str = "One") -> str:
    return ranking_table.written(FRAME, "Truth & releases", beside, ["One", "Other"])


def test_names_are_escaped_in_the_cell_and_whole_in_its_title():
    html = written()
    assert "<b>" not in html
    assert '<td class="name" title="&lt;b&gt;&amp;">&lt;b&gt;&amp;</td>' in html
    assert "<caption>Truth &amp; releases</caption>" in html
    assert ">4,841</td>" in html


def test_names_are_whole_but_for_extremely_long_ones_which_keep_their_end():
    long = "Counter-Strike <Global> Offensive"
    html = ranking_table.written(FRAME.assign(One=f"✓ {long}"), "Truth", "One", ["One"])
    assert f'title="✓ {escape(long)}">✓ {escape(long)}</td>' in html
    html = ranking_table.written(FRAME.assign(One=f"✓ {'salle ' * 90}fin"), "Truth", "One", ["One"])
    (cell,) = set(re.findall('<td class="compared[^>]*>(.*?)</td>', html))
    assert len(cell) <= 120
    assert cell.endswith("fin")
    looks = re.findall(r"[.]ranking th, [.]ranking td {([^}]*)}", LOOK)
    assert looks
    assert not any("nowrap" in look for look in looks)


@pytest.mark.parametrize(
    ("cell", "shown"),
    [
        ("✗ (+902) d", "✗ d <small>902 fewer</small>"),
        ("↕ (−1,204) d", "↕ d <small>1,204 more</small>"),
        ("↕ d", "↕ d"),
        ("✓ (+1) d", "✓ (+1) d"),  # a name: what is right has no count error
    ],
)
def test_a_count_error_is_said_in_words_behind_the_name(cell, shown):
    html = ranking_table.written(FRAME.assign(One=cell), "Truth", "One", ["One"])
    assert f">{shown}</td>" in html


def test_on_a_slide_names_have_two_lines_and_all_rows_one_screen():
    names = ["✓ Counter-Strike Global Offensive", "✓ b", f"✗ {'long, ' * 20}the end"]
    labels = list("ABCD")
    frame = FRAME[["place", "true item", "true count"]].assign(**dict.fromkeys(labels, names))
    html = ranking_table.written(
        frame, "Truth", "A", labels, dict.fromkeys(labels, "<2> right"), slide=True
    )
    assert html.count("<span>&lt;2&gt; right</span></th>") == 4
    assert ">✓ Counter-Strike Global Offensive</td>" in html  # whole
    assert "…the end</td>" in html
    assert 'class="cut"' not in html
    (high,) = re.findall("--high: ([0-9.]+)", html)
    assert float(high) == pytest.approx(4 * 1.75 + 3 * 1.15, abs=0.06)


@pytest.mark.parametrize(
    "names",
    [
        [f"Harry Potter and the {what} (complete set, 2007)" for what in ("Goblet", "Stone")],
        [f"Annual report of the institute, {year}, final version" for year in range(1990, 2000)],
        [f"Department of Health, ward {ward} east" for ward in range(12)],
        ["x" * n for n in range(30, 40)],
        ["ab" * 20 + "a" * n + "b" * 20 for n in range(5)],
    ],
)
@pytest.mark.parametrize("slide", [False, True])
def test_different_names_of_a_table_are_cut_to_different_ones(names, slide):
    frame = pd.DataFrame({"true item": names})
    frame = frame.assign(**{label: [f"✓ {name}" for name in names] for label in "ABCDE"})
    said = {} if slide else None
    html = ranking_table.written(frame, "Truth", "A", list("ABCDE"), said, slide=True)
    cells = re.findall('<td class="name"[^>]*>(.*?)</td>', html)
    assert len(set(cells)) == len(names)


def test_every_mark_has_a_tint_of_its_own_and_only_where_names_are_compared():
    classes = re.findall(r'<td class="compared([^"]*)"', written())
    assert ",".join(classes) == " right, aside right, moved, aside right, foreign, aside empty"
    assert '<td class="name" title="✗ c">' in written()
    assert list(ranking_table._MEANING) == list(tables.MARKS.values())
    tints = re.findall(
        r"[.]ranking [.](right|moved|foreign) {background: (.*); box-shadow: inset 4px 0 (#.*)}",
        LOOK,
    )
    assert [meaning for meaning, *_ in tints] == ["right", "moved", "foreign"]
    for looks in list(zip(*tints, strict=True))[1:]:
        assert len(set(looks)) == 3


def test_a_phone_has_room_for_one_column_beside_the_truth():
    for beside, aside in (("One", "Other"), ("Other", "One")):
        html = written(beside)
        assert f'class="compared">{beside}</th>' in html
        assert f'class="compared aside">{aside}</th>' in html


def test_many_columns_are_scrolled_through_also_by_keyboard():
    labels = [f"m{i}" for i in range(ranking_table.AT_ONCE + 1)]
    frame = FRAME[["place", "true item", "true count"]].assign(**dict.fromkeys(labels, "✓ b"))
    assert 'tabindex="0" role="region"' in ranking_table.written(frame, "Truth", "m0", labels)
    fits = ranking_table.written(frame[frame.columns[:-1]], "Truth", "m0", labels[:-1])
    assert "tabindex" not in fits


def test_many_rows_of_a_slide_stand_in_two_columns_and_none_is_missing():
    frame = pd.DataFrame(
        {"place": range(1, 42), "true item": [f"item {i}" for i in range(41)], "A": ["✓ x"] * 41}
    )
    html = ranking_table.written(frame, "Truth", "A", ["A"], slide=True)
    assert html.count("<table") == 2
    assert [html.count(f">item {i}<") for i in range(41)] == [1] * 41
    assert html.index(">item 20<") < html.rindex("<table") < html.index(">item 21<")
