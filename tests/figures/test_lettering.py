"""Test the text of figures: one size and color, and shortened names beside rows."""

import json
from html import unescape

import numpy as np
import plotly.graph_objects as go
import pytest

from dptopk import figures as f, load_dataset
from dptopk.core.outputs import NOTHING, OutputKind
from dptopk.figures._names import shortened, tick
from dptopk.mechanisms import MECHANISMS

STYLES = {name: mechanism.card.style for name, mechanism in MECHANISMS.items()}
LABELS = list(STYLES)
LEAST = 14  # pixels


def fonts(value) -> list[dict]:
    """Every font anywhere in a figure's JSON."""
    if not isinstance(value, dict):
        return [font for part in value for font in fonts(part)] if isinstance(value, list) else []
    own = [part for key, part in value.items() if key in ("font", "tickfont", "textfont")]
    return own + [font for part in value.values() for font in fonts(part)]


def luminance(color: str) -> float:
    """Relative luminance of #rrggbb, as WCAG defines it."""
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))


@pytest.mark.slow
def test_every_text_is_large_and_dark_enough(case):
    _, figure = case
    layout = json.loads(figure.to_json())["layout"]
    layout.pop("template")
    for axis in (figure.layout.xaxis, figure.layout.yaxis):
        assert axis.tickfont.size >= LEAST
        assert axis.title.font.size >= LEAST
    assert figure.layout.legend.font.size >= LEAST
    assert figure.layout.hoverlabel.font.size >= LEAST
    assert all(note.font.size >= LEAST for note in figure.layout.annotations)
    assert not any(trace.textfont.size for trace in figure.data if hasattr(trace, "textfont"))
    for font in fonts(layout):
        assert font["size"] >= LEAST
        assert 1.05 / (luminance(font["color"]) + 0.05) >= 4.5  # on white


def test_hover_texts_hold_their_names_inside_the_box(case):
    """Beside it Plotly writes them in the colour of the line, on the page."""
    _, figure = case
    for trace in figure.data:
        if trace.hoverinfo != "skip":
            assert trace.hovertemplate.endswith("<extra></extra>")


EPISODES = ("IV - A New Hope (1977)", "V - The Empire Strikes Back (1980)")
EPISODES += ("VI - Return of the Jedi (1983)",)
MOVIES = (*(f"Star Wars: Episode {episode}" for episode in EPISODES), "Jaws")


@pytest.mark.parametrize("together", [1, 2, 3, 4, 5])
def test_shortened_names_fit_and_stay_told_apart(together):
    books = load_dataset("books").head(10).items
    for names in (books, MOVIES, ("x" * 60 + "a" * 40, "x" * 60 + "b" + "a" * 39)):
        short = shortened(names, together)
        assert len(set(short)) == len(set(names))
        assert all(len(text) * together <= 56 for text in short)
        for name, text in zip(names, short, strict=True):
            assert text == name or "…" in text or text[-1].isdigit()
    assert shortened(("Jaws", "A  B"), together) == ["Jaws", "A B"]


@pytest.mark.parametrize("narrow", [False, True])
def test_names_of_a_set_that_begin_alike_have_rows_of_their_own(narrow):
    names = [f"{'International Classification of Diseases, code'} {code}" for code in "ABC"]
    chances = np.array([[0.5, 0.5, 0.5]] * 3)
    figure = f.name_chances(names, [None] * 3, chances, ["50%"] * 3, "right", narrow=narrow)
    assert len(set(figure.layout.yaxis.ticktext)) == 3


def test_ticks_have_two_lines_at_most_and_are_parted_between_names():
    assert tick("Jaws, Alien") == "Jaws, Alien"
    assert tick("Twilight (Tw…, Angels & Dem…, Jaws") == (
        "Twilight (Tw…, Angels &amp; Dem…,<br>Jaws"
    )
    assert f.rows_that_fit(["A, B"]) > f.rows_that_fit(["A, B", "Twilight (Tw…, Angels & Dem…, J"])
    assert tick("{The Fellowship, Twilight}") == "{The Fellowship, Twilight}"
    for text in ("a" * 90, "word " * 20, "one, two, three, four, five, six, seven, eight", ""):
        lines_of = tick(text).split("<br>")
        assert len(lines_of) <= 2
        assert all(len(line) <= 31 for line in lines_of)


def test_outputs_are_named_by_short_names_as_sequences_sets_and_nothing():
    ordered, short = OutputKind(), OutputKind(short=True)
    rows = [(ordered, (0, 1)), (ordered, (1, 0)), (OutputKind(ordered=False), (0, 3))]
    rows += [(short, (3, NOTHING)), (short, (NOTHING, NOTHING))]
    named = f.short_labels(rows, MOVIES)
    assert len(set(named)) == 5
    assert named[2].startswith("{Star Wars")
    assert named[2].endswith("Jaws}")
    assert named[3:] == ["Jaws, ⊥", "⊥"]


def test_names_are_short_beside_rows_and_whole_over_points(named):
    even = np.array([0.5, 0.5])
    wholes = [", ".join(MOVIES[:3]), f"<b>{MOVIES[3]}</b> & co"]
    halves = ["50.0%", "50.0%"]
    escaped = "&lt;b&gt;Jaws&lt;/b&gt; &amp; co"
    said = {"words": {LABELS[0]: halves}, "short": ["Star…, Star…", "<b>Jaws</b> & co"]}
    figure = f.output_probabilities(wholes, {LABELS[0]: even}, STYLES, **said)
    assert list(figure.layout.yaxis.ticktext) == ["Star…, Star…", escaped]
    assert [row[0] for row in named(figure, LABELS[0]).customdata] == [wholes[0], escaped]
    for other in (
        f.neighboring_outputs(wholes, even, even, STYLES[LABELS[0]], words=(halves, halves)),
        f.privacy_losses(wholes, even, 1.0, STYLES[LABELS[0]]),
    ):
        ticks = other.layout.yaxis.ticktext
        assert all(len(unescape(line)) <= 31 for text in ticks for line in text.split("<br>"))
        assert wholes[0] in json.dumps(other.to_plotly_json(), default=np.ndarray.tolist)


@pytest.mark.slow
def test_what_is_put_into_layouts_unchecked_is_what_plotly_knows(all_figures):
    templates = []  # a few that all figures have, and the most to check
    for name, draw in all_figures():
        layout = json.loads(draw().to_json())["layout"]
        template = layout.pop("template")
        if template not in templates:
            go.layout.Template(template)
            templates.append(template)
        checked = go.Figure(layout={**layout, "template": None})
        found = json.loads(checked.to_json())["layout"]
        assert {**found, "template": None} == {**layout, "template": None}, name
    assert templates
