"""Test that the code below every page runs and gives the numbers of the page."""

import ast
import re

import numpy as np
import pytest

from dptopk import (
    MECHANISMS,
    NeighborRelation,
    merged_output_distribution,
    output_distribution,
    probability_exact_set,
    run_trials,
    summarize,
    swaps,
    worst_case_loss,
)
from dptopk.questions.errors import error_rows
from dptopk.simulation.summaries import places_from_1
from dptopk.ui.formats import needed, number, rounded, typeset, unbroken
from dptopk.ui.layout.pages import PAGES
from dptopk.ui.snippets import constructor

SOURCES = {
    "bundled": {"data": "games"},
    "tied": {"data": "classroom-paper_thousand", "k": 3},
    "synthetic": {"data": "synthetic-zipf", "d": 60, "zipf_exponent": 0.7},
    "random": {"data": "synthetic-uniform", "d": 60, "data_seed": 4},
    "typed": {"data": "typed", "typed": "30 20 20 12 9 1"},
    "names": {
        "data": "typed",
        "typed": 'it\'s "a" 30\nsweep( 20\n[b](c) 20\npathlib.x\\n 12\n日本 9',
    },
}
SETTINGS = {
    "plain": {},
    "swap": {"neighbors": "swap", "epsilon": "0.3"},
    "optimal": {"calibration": "optimal", "k": 5},
    "swap optimal": {
        "neighbors": "swap",
        "calibration": "optimal",
        "mechanisms": "PNFJoint,CDPPeel",
        "delta": "1e-09",
    },
}


@pytest.mark.parametrize("mechanism", MECHANISMS.values(), ids=lambda m: m.__name__)
def test_the_call_that_makes_a_mechanism_has_every_digit_of_its_settings(mechanism):
    delta = {"delta": 1.23456789012e-7} if mechanism.card.takes("delta") else {}
    made = mechanism(3, 0.123456789012, neighbors=NeighborRelation.SWAP, **delta)
    names = {mechanism.__name__: mechanism, "NeighborRelation": NeighborRelation}
    assert eval(constructor(made), names) == made


def medians(summary) -> list[str]:
    """Medians with their intervals, or called exact, as tables show them."""
    columns = ["median", "median_low", "median_high"]
    cells = [[number(value) for value in row] for row in summary[columns].to_numpy()]
    exact = summary["median_exact"].notna()
    rows = zip(exact, cells, strict=True)
    return [f"{m} exact" if sure else f"{m} [{low}, {high}]" for sure, (m, low, high) in rows]


def assert_rows(printed, summary, names):
    """What is printed are the numbers of the CSV, named alike: simulated and exact ones."""
    rows = error_rows(summary, names["found"].laws, names["found"].shares)
    assert printed.endswith(f"{rows.T.to_string()}\n")


def release(visit, row):
    names, printed = visit.told()
    shown, expected = visit.ranking(), ""
    for mechanism in names["mechanisms"]:
        pattern = re.compile(r"[✓↕✗] (.*?)(?: ([\d,]+) (fewer|more))?", re.DOTALL)
        cells = [pattern.fullmatch(cell) for cell in shown[mechanism.label]]
        signs = [-1 if cell[3] == "more" else 1 for cell in cells]
        paid = [int((cell[2] or "0").replace(",", "")) for cell in cells]
        costs = np.multiply(signs, paid)
        expected += f"{mechanism.label} {[cell[1] for cell in cells]}\n{costs}\n"
    assert printed == expected
    assert list(shown.columns[3:]) == [mechanism.label for mechanism in names["mechanisms"]]


def data(visit, row):
    _, printed = visit.told()
    assert list(ast.literal_eval(printed)) == visit.table()["item"].tolist()[:10]


def of_errors(visit, row):
    """What the code of Errors and of Compare prints; its summary and the table of the page."""
    names, printed = visit.told()
    runs = places_from_1(run_trials(names["counts"], names["mechanisms"], 60, 3))
    summary = summarize(runs, row["metric"], names["found"].right, names["counts"])
    assert_rows(printed, summary, names)
    return names, summary, visit.table().set_index("mechanism")


def errors(visit, row):
    _, summary, shown = of_errors(visit, row)
    of_runs = shown["median of the runs" if "median of the runs" in shown else "median"]
    assert all(cell in (text, "–") for cell, text in zip(of_runs, medians(summary), strict=True))
    assert shown.index.tolist() == summary["mechanism"].tolist() == [*visit.medians]
    for one in summary.itertuples(index=False):
        exact = shown.loc[one.mechanism, "median"].removesuffix(" exact")
        assert visit.medians[one.mechanism] in (exact, number(one.median))


def compare(visit, row):
    names, summary, shown = of_errors(visit, row)
    assert sorted(shown.index) == sorted(m.label for m in names["mechanisms"])
    for one, text in zip(summary.itertuples(index=False), medians(summary), strict=True):
        assert shown.loc[one.mechanism, "median"].lstrip("★☆ ").endswith((text, " exact"))
    for mechanism in names["mechanisms"]:
        if " exact" in shown.loc[mechanism.label, "right as a set"]:
            told = names["found"].shares[mechanism.label]["exact_set"]
            assert told.probability == probability_exact_set(names["counts"], mechanism)


def sweep(visit, row):
    names, printed = visit.told()
    summary = summarize(names["found"].trials, row["metric"], names["found"].right, names["counts"])
    assert printed == f"{summary[[*names['columns'], 'median_exact']].to_string()}\n"
    shown = visit.table().set_index("k")
    assert shown.shape == (summary["k"].nunique(), summary["mechanism"].nunique())
    for one, text in zip(summary.itertuples(index=False), medians(summary), strict=True):
        assert shown.loc[one.k, one.mechanism] == text


def choose(visit, row):
    names, printed = visit.told()
    told = [line.rsplit(" ", 4) for line in printed.splitlines()]
    found = {label: float(epsilon) for label, epsilon, *_ in told}
    assert list(found) == [mechanism.label for mechanism in names["mechanisms"]]
    cheapest_first = sorted(found.items(), key=lambda pair: pair[1])
    assert [label for label, _ in visit.tiles] == [f"ε, {label}" for label, _ in cheapest_first]
    for (_, epsilon), (_, shown) in zip(cheapest_first, visit.tiles, strict=True):
        assert shown == needed(epsilon)


def gaps(visit, row):
    names, printed = visit.told()
    told = [f"{m.label} {swaps(m, names['counts'].d)}" for m in names["mechanisms"]]
    here = visit.table().filter(like="gap to the next").to_numpy()[:, 0]
    assert printed == "".join(f"{line}\n" for line in (here, *told))


def exact(visit, row):
    names, printed = visit.told()
    merged = any("merged" in words for words in visit.captions if "interchang" in words)
    write = merged_output_distribution if merged else output_distribution
    written = {m.label: write(m, names["counts"]) for m in names["mechanisms"]}
    assert printed == "".join(
        f"{label}\n{law.to_frame().to_string(max_rows=20)}\n" for label, law in written.items()
    )
    shown = visit.table().set_index("output")
    assert list(shown) == list(written)
    for label, law in written.items():
        whole = dict(zip(law.labels(), law.probabilities, strict=True))
        np.testing.assert_allclose(  # the likeliest, where there are many
            shown[label], [whole[output] for output in shown.index], rtol=1e-12, atol=0
        )
    assert len(shown) == min(500, len(whole))


def privacy(visit, row):
    names, printed = visit.told()
    swapped = "swap" in row["settings"]
    relation = NeighborRelation.SWAP if swapped else NeighborRelation.ADD_REMOVE
    expected, losses = "", []
    for mechanism in names["mechanisms"]:
        worst = worst_case_loss(names["counts"], mechanism, relation)
        expected += f"{mechanism.label} {worst.value} {worst.neighbour.counts} {worst.output}\n"
        losses.append((mechanism.label, f"{worst.value:.3f}"))
    assert printed.startswith(expected)  # then the draws that are tested
    assert visit.losses == losses


def budget(visit, row):
    names, printed = visit.told()
    worth = summarize(names["found"].trials, row["metric"], names["found"].right, names["counts"])
    assert_rows(printed, worth, names)
    costs = visit.table(2)
    said = printed.splitlines()[len(visit.table()) :][: 2 * len(costs)]
    label, words, together = (costs[column] for column in costs)
    assert said[::2] == [f"{name}: {cost}" for name, cost in zip(label, words, strict=True)]
    np.testing.assert_allclose([float(value) for value in said[1::2]], together, rtol=1e-12)
    assert [mechanism.label for mechanism in names["mechanisms"]] == label.tolist()
    told = worth["median_exact"].fillna(worth["median"])
    assert [value for _, value in visit.tiles[-2:]] == [number(median) for median in told]
    shown = visit.table()
    rows = [line.split() for line in printed.splitlines()[: len(shown)]]
    assert [one[0] for one in rows] == shown["method"].tolist()
    columns = ["ε₀ = 1 / scale", "ε spent at δ", "δ spent at ε"]
    np.testing.assert_allclose(
        [[float(value) for value in one[1:]] for one in rows], shown[columns], rtol=1e-12, atol=0
    )


def ledger(visit, row):
    names, printed = visit.told()
    series, budget = names["series"], names["ledger"]
    calls = visit.table()
    assert calls["items released"].tolist() == series.returned.tolist()
    assert calls["charged"].tolist() == list(series.ledger.charged)
    assert visit.tiles[0] == ("Items released", str(series.returned.sum()))
    assert series.ended in visit.captions[-1] + " ".join(visit.captions)
    totals = [line.split() for line in printed.splitlines()[-3:]]
    for place, column in ((1, "ε of the series"), (2, "δ of the series")):
        told = [float(one[place]) for one in totals]
        np.testing.assert_allclose(told, visit.table(1)[column], rtol=1e-12)
    assert budget.charged == ()


def learn(visit, row):
    _, printed = visit.told()
    visit.app.button(key="reveal").click().run()
    told = [re.findall(r"[\d.]+", line) for line in printed.splitlines()]
    *drawn, prediction = [trace["x"] for trace in visit.chart("answer")["data"]]
    assert prediction == []  # none was made
    np.testing.assert_allclose(np.array(told, float), drawn, atol=1e-7)


def classroom(visit, row):
    names, _ = visit.told()
    for key in ("class-open", "class-ask", "class-reveal"):
        visit.app.button(key=key).click().run()
    visit.app.segmented_control(key="class-shown-1-predictions").set_value("draws").run()
    shown = visit.chart("class-draws")["data"][1]["x"]
    law = output_distribution(names["counts"], names["mechanisms"][0])  # the one that is asked
    np.testing.assert_allclose(sorted(shown), sorted(law.probabilities), rtol=1e-12)


def mechanisms(visit, row):
    names, printed = visit.told()
    (mechanism,) = names["mechanisms"]
    shown = visit.words
    promised, meaning, *found = printed.splitlines()
    assert "\n".join(found) == str(swaps(mechanism, names["counts"].d))
    assert promised == f"{mechanism.label} {mechanism.guarantee.statement}"
    assert meaning == f"{mechanism.scale} {mechanism.cost.words}"
    assert typeset(mechanism.guarantee.statement) in shown
    assert mechanism.cost.words in shown


def handover(visit, row):
    names, printed = visit.told()
    labels = [mechanism.label for mechanism in names["mechanisms"]]
    name = max((label for label in labels if label in visit.finding), key=len)
    (found,) = (
        line.removeprefix(f"{name} ").split()[0]
        for line in printed.splitlines()
        if re.fullmatch(rf"{re.escape(name)}( \S+){{4}}", line)
    )
    epsilon = float(found)
    assert any(f"**ε for 95 times in 100: {needed(epsilon)}**" in words for words in visit.said)


def papers(visit, row):
    _, printed = visit.told()
    lines = visit.words.splitlines()
    rows = [line for line in lines if line.startswith(("| ✓", "| ≠", "| ?"))]
    for line, cells in zip(printed.splitlines(), rows, strict=True):
        verdict, _, words = line.split(" | ", 2)
        assert f"{verdict} |" in cells
        assert unbroken(words.replace("|", "\\|")) in cells


def runs(visit, row):
    """Of a page without a check of its own above: its code runs and prints something."""
    assert visit.told()[1]


CHECKS = {page.key: globals().get(page.key, runs) for page in PAGES}
METRICS_OF_EACH_KIND = ("linf", "signed_max", "k_relative", "signed_index")
FACTORS = {"settings": tuple(SETTINGS), "metric": METRICS_OF_EACH_KIND}
FACTORS |= {"small": ("typed", "top", "all")}
COVER = (("page", tuple(CHECKS)), ("source", tuple(SOURCES)), FACTORS)


def test_code_gives_the_numbers_of_the_page(opened, row):
    query = {"epsilon": "0.5", "runs": 60, "runs_a_point": 5, "seed": 3, "draws": 0}
    query |= {"metric": row["metric"], "small": row["small"], "small_items": 4}
    query |= {"small_k": 1} if row["small"] == "all" else {}
    visit = opened(row["page"], **query | SOURCES[row["source"]] | SETTINGS[row["settings"]])
    CHECKS[row["page"]](visit.whole(), row)


@pytest.mark.parametrize("run", ["too_small", "as_printed", "unswapped"])
def test_code_of_what_goes_wrong(opened, run):
    visit = opened("privacy", run=run).whole()
    values = re.findall(r"^\S.*? ([\d.]+) \[", visit.told()[1], re.MULTILINE)
    assert [used for _, used in visit.losses] == [f"{float(value):.3f}" for value in values]


def test_code_begins_with_how_to_install_and_what_it_is_not_fit_for(opened):
    head = opened("data").code.partition("from dptopk")[0]
    assert "pip install ." in head
    assert "Not for a real release" in head
    assert all(len(line) <= 100 for line in head.splitlines())


def check_fits(printed: str, n_draws: int, shown) -> None:
    said = re.findall(rf"^{n_draws} (\d+) ([\d.]+) ([\d.e-]+)$", printed, re.MULTILINE)
    assert [cells for cells, _, _ in said] == shown["cells"].astype(str).tolist()
    assert [f"{float(value):.1f}" for _, value, _ in said] == shown["χ²"].tolist()
    assert [rounded(float(value), 3) for _, _, value in said] == shown["p-value"].tolist()


@pytest.mark.parametrize("query", [{}, {"small": "all", "data": "classroom-paper_thousand"}])
def test_code_repeats_the_draws_that_are_laid_over(opened, query):
    visit = opened("exact", draws=1_000, seed=5, **query).whole()
    check_fits(visit.told()[1], 1_000, visit.table(1))


def test_code_repeats_the_draws_of_the_check(opened):
    visit = opened("privacy", seed=5)
    visit.app.button(key="check").click().run()
    check_fits(visit.whole().told()[1], 100_000, visit.table(1))
