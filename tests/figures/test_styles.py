"""Test that mechanisms are distinguishable without color, and that names are escaped."""

import json
import re

import numpy as np
from hypothesis import given, strategies as st

from dptopk import MECHANISMS, METRICS, figures as f

USERS = METRICS["linf"]
LABELS = list(MECHANISMS)
STYLES = {name: mechanism.card.style for name, mechanism in MECHANISMS.items()}
POWERS = np.array([0, 1, 9, 99, 12_345])
HOSTILE = "<a href='https://example.com'>x</a> & <b>y</b>"
ESCAPED = "&lt;a href='https://example.com'&gt;x&lt;/a&gt; &amp; &lt;b&gt;y&lt;/b&gt;"


def texts_of(value) -> list[str]:
    """Every text anywhere in a figure's JSON."""
    if isinstance(value, str):
        return [value]
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for part in inside for text in texts_of(part)]


def test_lines_and_bars_use_the_styles(named):
    curves = dict.fromkeys(LABELS, (POWERS, np.linspace(0.2, 1, 5)))
    bars = dict.fromkeys(LABELS, np.array([1.0]))
    lines = f.error_cdf(curves, USERS, STYLES)
    columns = f.error_histogram(bars, np.array([0, 1]), USERS, STYLES)
    for label, style in STYLES.items():
        line, bar = named(lines, label), named(columns, label)
        assert (line.line.color, line.line.dash) == (style.color, style.dash)
        assert line.marker.symbol == style.marker
        assert (bar.marker.color, bar.marker.pattern.shape) == (style.color, style.hatch)


@given(st.text(max_size=80))
def test_plain_text_holds_no_tag_and_loses_no_letter(text):
    shown = f.plain(text, 40)
    assert not re.search(r"[<>]|&(?!(amp|lt|gt);)", shown)
    back = shown.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    whole = " ".join(text.split())
    assert back == whole if len(whole) <= 40 else back == whole[:39] + "…"
    assert len(back) <= 40


def test_hostile_names_are_escaped_wherever_they_are_shown(all_figures):
    shown_in = []
    for name, draw in all_figures(names=(HOSTILE, f"{HOSTILE}2", "C"), labels=LABELS[:2]):
        whole = json.dumps(draw().to_plotly_json(), default=np.ndarray.tolist)
        shown = texts_of(json.loads(whole))
        ours = [re.sub(r"^<b>[^<]*(<br>[^<]*)?</b>", "", text) for text in shown]
        assert not any("<a " in text or "<b>" in text for text in ours)
        if ESCAPED in shown:  # as a tick or in the hover text
            shown_in.append(name.split()[0])
    by_output = {"output_probabilities", "neighboring_outputs", "privacy_losses"}
    assert set(shown_in) == by_output | {"amounts", "coins", "noisy_counts"}
