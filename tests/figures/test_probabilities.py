"""Test that figures of exact probabilities draw the given values."""

import itertools

import numpy as np
import pytest

from dptopk import MECHANISMS, figures as f

LABELS = list(MECHANISMS)
STYLES = {name: mechanism.card.style for name, mechanism in MECHANISMS.items()}
STYLE = next(iter(STYLES.values()))


def test_probabilities_and_shares_of_draws_stand_together():
    names = ("a, b", "b, a")
    exact = {label: np.array([0.7, 0.3]) + i / 100 for i, label in enumerate(LABELS)}
    drawn = {label: (p + 0.01, p - 0.05, np.minimum(p + 0.06, 1.0)) for label, p in exact.items()}
    words = {label: [f"{label} {i}" for i in range(2)] for label in LABELS}
    seen = {label: [f"{label} seen {i}" for i in range(2)] for label in LABELS}
    figure = f.output_probabilities(names, exact, STYLES, drawn, words=words, observed_words=seen)
    bars = {trace.name: trace for trace in figure.data if trace.type == "bar"}
    dots = [trace for trace in figure.data if trace.type == "scatter"]
    assert list(bars) == LABELS
    for (label, p), own in zip(exact.items(), dots, strict=True):
        assert np.array_equal(bars[label].x, p)
        for trace, written in ((bars[label], words[label]), (own, seen[label])):
            assert [tuple(pair) for pair in trace.customdata] == list(
                zip(names, written, strict=True)
            )
            assert "%{x" not in trace.hovertemplate  # a float rounded to 1 is not certain
        assert np.array_equal(bars[label].y, own.y)
        np.testing.assert_allclose(own.x, p + 0.01)
        np.testing.assert_allclose(own.x + own.error_x.array, drawn[label][2])
        np.testing.assert_allclose(own.x - own.error_x.arrayminus, drawn[label][1])
        assert own.hovertemplate.startswith(f"<b>{label}</b>")
    assert [trace.showlegend for trace in dots] == [True] + [False] * (len(dots) - 1)
    edges = sorted((y - bar.width / 2, y + bar.width / 2) for bar in bars.values() for y in bar.y)
    assert all(end <= start for (_, end), (start, _) in itertools.pairwise(edges))


def test_what_cannot_come_out_takes_no_room():
    """Two that release sequences and one that releases sets: as much room as two take."""
    nan = np.nan
    exact = {"one": [0.75, nan, 0.25], "two": [nan, 0.5, 0.5], "three": [0.5, nan, 0.5]}
    exact = {name: np.array(chances) for name, chances in exact.items()}
    styles = dict(zip(exact, STYLES.values(), strict=False))
    words = dict.fromkeys(exact, ["–"] * 3)
    names = ("a, b", "{a, b}", "⊥")
    bars = f.output_probabilities(names, exact, styles, words=words).data
    width = bars[0].width / 0.92
    assert width == 0.84 / 3  # the last row holds all
    np.testing.assert_allclose([bar.y[2] for bar in bars], [2 - width, 2, 2 + width])
    np.testing.assert_allclose([bars[0].y[0], bars[2].y[0]], [-width / 2, width / 2])
    assert bars[1].y[1] == 1
    alone = {label: values[:2] for label, values in exact.items()}
    wider = f.output_probabilities(
        names[:2], alone, styles, words=dict.fromkeys(exact, ["–"] * 2)
    ).data
    assert wider[0].width / 0.92 == 0.84 / 2


def test_privacy_losses_tell_those_beyond_the_promise_apart(named):
    loss = np.array([1.0, -1.0, 0.2, 1.001, -2.0])
    figure = f.privacy_losses(list("abcde"), loss, 1.0, STYLE, marked=(4,))
    within, beyond = named(figure, "within ±ε"), named(figure, "beyond ±ε")
    assert (within.y.tolist(), within.x.tolist()) == ([0, 1, 2], [1.0, -1.0, 0.2])
    assert (beyond.y.tolist(), beyond.x.tolist()) == ([3, 4], [1.001, -2.0])
    assert within.marker.symbol != beyond.marker.symbol
    assert within.marker.color != beyond.marker.color
    assert list(figure.layout.yaxis.ticktext) == [*"abcd", "<b>e</b>"]
    alike = f.privacy_losses(list("abcde"), loss, 1.0, STYLE, marked=(0, 1))
    assert list(alike.layout.yaxis.ticktext) == ["<b>a</b>", "<b>b</b>", *"cde"]
    assert alike.layout.legend.title.text == "<b>bold</b>: largest change"
    only = f.privacy_losses(["a"], np.zeros(1), 1.0, STYLE)
    assert [trace.name for trace in only.data] == ["within ±ε"]


@pytest.mark.parametrize("epsilon", [1e-9, 1.0, 1e6])
def test_privacy_losses_are_held_against_the_promise_relative_to_it(named, epsilon):
    figure = f.privacy_losses(["a", "b"], np.array([epsilon, 1.5 * epsilon]), epsilon, STYLE)
    assert named(figure, "within ±ε").y.tolist() == [0]
    assert named(figure, "beyond ±ε").y.tolist() == [1]


def test_privacy_use_draws_the_largest_loss_and_the_promise():
    used = {label: 0.1 * (i + 1) for i, label in enumerate(LABELS)}
    figure = f.privacy_use(used, 0.3, STYLES)
    assert {bar.y[0]: bar.x[0] for bar in figure.data} == used
    assert [line.x0 for line in figure.layout.shapes] == [0.3]
    *told, promise = figure.layout.annotations
    assert (promise.y, promise.yanchor) == (1, "bottom")  # above the bars, and not cut off
    assert promise.text.strip() == "promised ε = 0.3"
    assert {note.y: note.text for note in told} == {x: f"{v:.3f}" for x, v in used.items()}
    # numbers stand beside the axis, its grid and all it holds: nothing strikes them through
    assert all((note.xref, note.x, note.xanchor) == ("paper", 0.79, "left") for note in told)
    assert figure.layout.xaxis.domain == (0, 0.78)
    assert figure.layout.xaxis.range[1] > max(*used.values(), 0.3)
    large = f.privacy_use({LABELS[0]: 1234.5678, LABELS[1]: 25.0}, 2000.0, STYLES)
    assert [note.text for note in large.layout.annotations[:2]] == ["1235", "25.000"]


def test_the_worst_output_is_told_in_numbers_where_its_bars_cannot_be_seen():
    here, there = np.array([0.9, 0.05, 3e-9]), np.array([0.8, 0.1, 9e-9])
    words = ["90.0%", "5.0%", "3.0e-9"], ["80.0%", "10.0%", "9.0e-9"]
    for marked, said in ((2, ["3.0e-9 on the data, 9.0e-9 on the neighbour"]), (1, [])):
        figure = f.neighboring_outputs(
            ["AB", "BA", "CD"], here, there, STYLES[LABELS[0]], (marked,), words=words
        )
        assert [note.text for note in figure.layout.annotations] == said


def test_neighbouring_outputs_draw_both_data_sets(named):
    here, there = np.array([0.6, 0.4]), np.array([0.5, 0.5])
    figure = f.neighboring_outputs(
        ["a", "b"], here, there, STYLE, marked=(1,), words=(["60.0%", "40.0%"], ["50.0%", "50.0%"])
    )
    data, neighbour = named(figure, "data"), named(figure, "neighbour")
    assert np.array_equal(data.x, here)
    assert np.array_equal(neighbour.x, there)
    assert [tuple(pair) for pair in data.customdata] == [("a", "60.0%"), ("b", "40.0%")]
    assert data.marker.pattern.shape != neighbour.marker.pattern.shape
    assert list(figure.layout.yaxis.ticktext) == ["a", "<b>b</b>"]
    assert figure.layout.legend.title.text == "<b>bold</b>: largest change"


def test_profiles_end_at_the_foot_of_the_axis_which_says_so_and_mark_the_promise(named):
    epsilons = np.array([0.5, 1.0, 2.0, 4.0])
    falling = {"one": (np.array([1e-3, 1e-6, 1e-30, 0.0]), "solid")}
    figure = f.privacy_profile(epsilons, falling, 1.0, 1e-6)
    line = named(figure, "one")
    assert line.y[:3].tolist() == [1e-3, 1e-6, 1e-16]
    assert np.isnan(line.y[3])
    assert line.customdata.tolist() == [1e-3, 1e-6, 1e-30, 0.0]
    assert figure.layout.yaxis.title.text == "δ (log scale;<br>none below 1e-16)"
    promise = named(figure, "promised: ε = 1, δ = 1e-6")
    assert (list(promise.x), list(promise.y)) == ([1.0], [1e-6])
    assert figure.layout.xaxis.tickformat == "~g"  # not "1n" for 1e-9
    ticks = dict(zip(figure.layout.yaxis.tickvals, figure.layout.yaxis.ticktext, strict=True))
    assert ticks[1.0] == "1"  # no superscripts, which are too small to read
    assert all(float(text) == value for value, text in ticks.items())
    assert 4 <= len(ticks) <= 9
    pure = f.privacy_profile(epsilons, {"one": (np.full(4, 1e-3), "solid")}, 1.0, 0.0)
    assert pure.layout.yaxis.title.text == "δ (log scale)"
    assert not any("promised: " in trace.name for trace in pure.data)


def test_infinite_losses_are_drawn_beyond_all_others_and_told_as_they_are(named):
    loss = np.array([1.0, np.inf, -np.inf, 2.0])
    figure = f.privacy_losses(list("abcd"), loss, 1.0, STYLE, marked=(1,))
    beyond = named(figure, "beyond ±ε")
    assert beyond.y.tolist() == [1, 2, 3]
    assert np.isfinite(np.asarray(beyond.x, dtype=float)).all()
    assert beyond.x[0] > 2 > -2 > beyond.x[1]
    assert [row[2] for row in beyond.customdata] == ["inf", "-inf", "2"]
    used = f.privacy_use({LABELS[0]: np.inf, LABELS[1]: 0.5}, 1.0, STYLES)
    assert [note.text for note in used.layout.annotations[:2]] == ["∞", "0.500"]
    assert 1 < used.data[0].x[0] < used.layout.xaxis.range[1]


@pytest.mark.parametrize("revealed", [True, False])
def test_pooled_draws_stand_beside_exact_probabilities_once_these_are_given(revealed):
    share, low, high, exact = (
        np.array(x) for x in ([0.8, 0.2], [0.5, 0.1], [0.9, 0.5], [0.7, 0.3])
    )
    words = {"drawn_words": ("80%", "20%"), "words": ("70%", "30%")}
    exact = exact if revealed else None
    figure = f.pooled_draws(("a, b", "b, a"), (share, low, high), exact, STYLE, **words)
    bars, *marks = figure.data
    np.testing.assert_allclose(bars.x + bars.error_x.array, high)
    np.testing.assert_allclose(bars.x - bars.error_x.arrayminus, low)
    assert [list(mark.x) for mark in marks] == ([list(exact)] if revealed else [])
    assert ("70%" in str(figure)) == revealed


def test_each_mechanism_has_a_column_of_bars_with_its_name_above_and_a_common_scale(named):
    exact = {LABELS[0]: np.array([0.7, 0.3]), LABELS[1]: np.array([0.4, np.nan])}
    words = {label: ["some", "some"] for label in exact}
    beside = {LABELS[0]: "70%", LABELS[1]: "40%"}
    figure = f.output_probabilities(("a", "b"), exact, STYLES, words=words, columns=beside)
    bars = [named(figure, label) for label in exact]
    assert [bar.xaxis for bar in bars] == ["x", "x2"]
    assert [list(bar.y) for bar in bars] == [[0, 1]] * 2  # each output in its row
    first, second = figure.layout.xaxis, figure.layout.xaxis2
    assert first.range == second.range
    assert 0 == first.domain[0] < first.domain[1] < second.domain[0] < second.domain[1] < 1
    above = {note.x: note.text.partition("<b>")[2] for note in figure.layout.annotations}
    said = {first.domain[0]: f"{LABELS[0]}</b> 70%", second.domain[0]: f"{LABELS[1]}</b> 40%"}
    assert above == said
    assert not any(trace.showlegend for trace in figure.data)


def test_a_name_of_a_list_has_its_own_chance_interval_and_number_beside_it():
    chances = np.array([[0.9, 0.8, 0.95], [0.4, 0.4, 0.4]])
    supposed, words = np.array([0.7, np.nan]), ["90% [80%, 95%]", "40%"]
    figure = f.name_chances(["a", "b"], [1, 2], chances, words, "right", supposed, ["70%", ""])
    bars, released = figure.data
    rows = {0.9: "1. a", 0.4: "2. b"}
    ticks = dict(zip(figure.layout.yaxis.tickvals, figure.layout.yaxis.ticktext, strict=True))
    assert {x: ticks[y] for x, y in zip(bars.x, bars.y, strict=True)} == rows
    said = {note.text: ticks[note.y] for note in figure.layout.annotations}
    assert said == {"90%": "1. a", "40%": "2. b"}
    np.testing.assert_allclose(bars.x + bars.error_x.array, chances[:, 2])
    np.testing.assert_allclose(bars.x - bars.error_x.arrayminus, chances[:, 1])
    assert [list(said) for said in bars.customdata] == [["a", words[0]], ["b", "40%"]]
    assert [ticks[y] for y in released.y] == ["1. a", "2. b"]
    np.testing.assert_array_equal(released.x, supposed)
