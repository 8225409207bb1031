"""Test that figures of papers are what their papers show, and that statements have verdicts."""

import numpy as np
import pytest

from dptopk import figures, load_dataset
from dptopk.core.errors import METRICS
from dptopk.mechanisms import selections
from dptopk.questions.draw_times import paper_joint
from dptopk.questions.paper_checks import BETA, CHECKS, OF_RUNS, cut_loss, entries_kept
from dptopk.questions.paper_figures import FIGURES, NAMES, Panel, panel_numbers
from dptopk.questions.papers import STATEMENTS, SourceNumber, Verdict, check_statements, source_of
from dptopk.questions.runner import OnceEach
from dptopk.questions.set_experiment import SIZES

THREE = ["Joint", "PNF-Peel", "CDP-Peel"]
PAPER_K, SMALL_K = list(range(5, 200, 10)), list(range(5, 50, 10))
OUR_DATA = {"books", "games", "news", "movies_small", "tweets_538"}
# as the paper's text says of each: measures against k (or the other things drawn), mechanisms, k
SHOWS = {
    "1": ({"gaps", "linf", "l1"}, THREE, PAPER_K, OUR_DATA),
    "2": ({"signed_index"}, THREE, PAPER_K, OUR_DATA),
    "3": ({"times"}, THREE, None, {NAMES["foods"]}),
    "4": ({"counts"}, None, None, OUR_DATA),
    "5": ({"k_relative"}, THREE, PAPER_K, OUR_DATA),
    "6": (
        {"linf", "l1", "k_relative", "signed_index"},
        [*THREE, "Laplace", "Gamma"],
        PAPER_K,
        {"movies_small"},
    ),
    "7": ({"linf"}, ["Joint", "PNFJoint", *THREE[1:]], SMALL_K, OUR_DATA),
}


@pytest.mark.parametrize("key", SHOWS)
def test_a_figure_shows_what_the_paper_says_of_it(key):
    drawn, mechanisms, ks, data = SHOWS[key]
    figure = FIGURES[key]
    assert figure.source.words == f"Gillenwater et al. 2022, Figure {key}"
    panels = [one for one in figure.panels if one.data in data]
    assert {one.settings.get("metric", one.draws) for one in panels} == drawn
    assert {one.data for one in panels} == data
    assert len(panels) == len(drawn) * len(data)
    numbers = panel_numbers(figure.picture)
    traces = [one for one in figures.paper_panel(numbers).data if one.showlegend is not False]
    if mechanisms:
        assert [one.name for one in traces] == mechanisms
    if ks:
        assert all(list(one.x) == ks for one in traces)
        assert numbers.origin.runs == 50
        assert {m.epsilon for m in numbers.origin.mechanisms} == {1.0}
        deltas = {m.label: m.guarantee.delta for m in numbers.origin.mechanisms}
        assert deltas["CDP-Peel"] == 1e-6
        assert deltas["Joint"] == 0


def test_figure_7_is_drawn_where_the_papers_code_overflows():
    beyond = FIGURES["7"].panels[-1]
    assert beyond.data == NAMES["foods"]
    found = panel_numbers(beyond).shown.summary
    assert found["k"].max() == 195
    assert np.isfinite(found["median"]).all()


def test_the_stand_in_for_foods_has_its_size():
    counts = source_of(NAMES["foods"]).counts
    assert counts.d == 166_000
    assert counts.sorted.values.size == 640


def test_the_experiment_on_sets_is_that_of_its_paper():
    settings = {(one.settings["counts"], one.settings["epsilon"]) for one in FIGURES["sets"].panels}
    assert settings == {(on, e) for on in ("uniform", "most rated") for e in ("1", "0.1")}
    numbers = panel_numbers(FIGURES["sets"].picture)
    assert set(numbers.table["mechanism"]) == {"Joint set", "EM-Peel", "Laplace", "Gamma"}
    assert tuple(numbers.table["d"].unique()) == SIZES
    assert numbers.origin.runs == 100
    assert numbers.origin.settings["k"] == 5
    exact = numbers.table[numbers.table["mechanism"] == "Joint set"]
    assert (exact["mean_low"] == exact["mean_high"]).all()


@pytest.mark.parametrize("key", [key for key, figure in FIGURES.items() if key != "3"])
def test_every_figure_has_a_picture(key):
    picture = figures.sketch(figures.paper_panel(panel_numbers(FIGURES[key].picture)))
    assert picture.startswith("data:image/svg+xml;base64,")
    assert "nan" not in picture


def test_names_of_panels_differ():
    names = [panel.name for figure in FIGURES.values() for panel in figure.panels]
    assert len(set(names)) == len(names)
    assert all(isinstance(one.picture, Panel) for one in FIGURES.values())


def test_every_check_is_used_and_every_statement_has_one_or_says_why_not():
    assert {one.check for one in STATEMENTS} == {"", *CHECKS, *OF_RUNS}
    for one in STATEMENTS:
        assert bool(one.check) != bool(one.why_not)
        assert bool(one.metrics) == (one.check in OF_RUNS)
        assert set(one.metrics) <= set(METRICS)
        assert one.figure in {"", *FIGURES}
    assert len({one.key for one in STATEMENTS}) == len(STATEMENTS)


@pytest.mark.slow
def test_what_differs_is_said_with_a_reason():
    checked = check_statements(OnceEach())
    differs = {one.statement.key for one in checked if one.verdict is Verdict.DIFFERS}
    assert differs == {one.key for one in STATEMENTS if one.why_differs}
    for one in checked:
        assert "{" not in one.words
        assert one.statement.why_differs in one.words


@pytest.mark.parametrize(
    ("relation", "said", "found", "agrees"),
    [
        ("=", 0.6315, 0.63148, True),
        ("=", 0.6315, 0.6316, False),
        ("≥", 0.99, 0.99, True),
        ("≥", 0.99, 0.98, False),
        ("≤", 1.0, 1 + 1e-12, True),
        ("≤", 1.0, 1.01, False),
    ],
)
def test_a_number_of_a_source_is_compared_as_it_says(relation, said, found, agrees):
    assert SourceNumber("", relation, said, found).agrees is agrees


def test_pruning_keeps_the_entries_that_a_count_by_hand_finds():
    games, k = load_dataset("games"), 20
    reach = cut_loss(games.d, k, 1.0)
    assert reach == 2 * (k * np.log(games.d) - np.log(BETA))
    by_hand = sum(
        len({int(c) for c in games.counts if c >= top - reach and c <= top})
        for top in games.sorted.top(k)
    )
    assert entries_kept(games, k, 1.0) == by_hand


def test_the_yardstick_draws_a_sequence_of_different_items():
    drawn = paper_joint(load_dataset("games").counts, 20, 1.0, np.random.default_rng(0))
    assert len(set(drawn.tolist())) == 20
    assert drawn.min() >= 0


def test_the_figures_take_the_papers_mechanisms():
    keys = [panel.settings.get("mechanisms") for panel in FIGURES["1"].panels if panel.settings]
    assert set(keys) - {None} == {",".join(selections.IN_THE_PAPER)}
