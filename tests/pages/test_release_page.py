"""Test the page Release: its figures, the noise behind a draw, and all draws so far."""

import io
import json
import re

import numpy as np
import pandas as pd
import pytest

from dptopk import (
    MECHANISMS,
    CDPPeel,
    EMPeel,
    ItemCounts,
    Joint,
    JointSet,
    PNFPeel,
    load_dataset,
    output_distribution,
    probability_exact_sequence,
    release,
)
from dptopk.core.errors import is_exact_sequence, is_exact_set
from dptopk.data import classroom_vector
from dptopk.questions.errors import known_shares
from dptopk.simulation import gaps_of_release
from dptopk.simulation.summaries import wilson_interval

GAMES = load_dataset("games")


def played(visit) -> dict:
    """What is sent to the component that plays releases."""
    components = visit.main.get("bidi_component")
    (data,) = (c.proto.json for c in components if c.proto.component_name == "dptopk_moving_ranks")
    return json.loads(data)


def test_one_control_chooses_the_picture_and_the_link_keeps_it(opened):
    visit = opened("release", picture="table").whole()
    assert [*visit.small_table()] == ["error", "Joint", "PNFJoint", "PNF-Peel", "CDP-Peel"]
    visit = opened("release", picture="noise").whole()
    assert visit.address == {"picture": "noise"}
    assert list(visit.table())[:3] == ["true place", "item", "true count (purchases)"]
    assert visit.table()["released at place"].max() == 10  # one shot, which shows what changes
    words = "Single counts get no noise under Joint and PNFJoint"
    assert any(words in caption for caption in visit.captions)
    visit = opened("release", picture="nonsense").whole()
    assert "picture=nonsense" in visit.complaints[0]
    assert visit.address == {"epsilon": "1"}


def test_noise_is_that_of_the_release_in_the_table(opened):
    query = {"picture": "noise", "shown": "CDPPeel", "epsilon": 0.1, "seed": 3}
    visit = opened("release", **query).whole()
    assert re.match(r"CDP-Peel \(δ = 1e-6\) puts \d+ of 10 names", visit.finding)
    table = visit.table()
    out = table.dropna(subset="released at place").sort_values("released at place")
    expected = release(GAMES, CDPPeel(10, 0.1, 1e-6), seed=3)
    assert out["item"].tolist() == [GAMES.items[position] for position in expected]
    assert out["noisy count"].is_monotonic_decreasing
    assert np.allclose(
        table["true count (purchases)"] + table["noise"], table["noisy count"], atol=0.11
    )


def test_the_mark_of_a_count_beyond_the_axis_is_explained_also_on_the_slide(opened):
    for query, cut in (({"epsilon": 0.5}, True), ({"data": "typed", "typed": "9 8 7 6"}, False)):
        query |= {"picture": "noise", "shown": "CDPPeel"}
        visit = opened("release", **query).whole()
        traces = visit.chart("noise")["data"]
        assert any(trace.get("name") == "beyond the axis" for trace in traces) == cut
        assert any("A count marked ▸" in words for words in visit.captions) == cut
        (line,) = opened("release", present=1, **query).whole().slide_lines
        assert ("A count marked ▸" in line) == cut


def test_rounds_with_noise_of_their_own_can_be_stepped_through(opened):
    query = {"picture": "noise", "shown": "PNFPeel", "epsilon": 0.1}
    expected = release(GAMES, PNFPeel(10, 0.1), seed=0)
    for number in (1, 4, 10):
        visit = opened("release", **query, round=number).whole()
        (winner,) = visit.table().dropna(subset="released at place").to_dict("records")
        assert winner["item"] == GAMES.items[expected[number - 1]]
        assert winner["released at place"] == number
        assert any(f"Round {number} of 10" in words for words in visit.captions)
    upset = opened("release", **query).whole()  # by itself the first that noise decided
    first = upset.table().dropna(subset="released at place")["released at place"].item()
    true_first = [GAMES.order[place] for place in range(10)]
    assert expected[first - 1] != true_first[first - 1]
    np.testing.assert_array_equal(expected[: first - 1], true_first[: first - 1])


@pytest.mark.parametrize("key", ["Joint", "CDPPeel"])
def test_what_is_played_is_the_table_and_the_seeds_that_follow(opened, key):
    visit = opened("release", picture="outcomes", shown=key, seed=7, k=30).whole()
    table, data = visit.table(), played(visit)
    assert table["seed"].tolist() == list(range(7, 107))
    assert table.shape == (100, 31)
    assert len(data["frames"]) == len(data["words"]) == 100
    assert [GAMES.items[position] for position in GAMES.order[:20]] == data["truth"]
    for frame, (_, row) in zip(data["frames"], table.iterrows(), strict=True):
        assert [data["items"][item] for item, _ in frame] == row.tolist()[1:21]
    assert data["words"][2].startswith("Release 3 of 100, seed 9")
    assert any("Places 1 to 20 of 30" in words for words in visit.captions)


def test_a_hundred_releases_say_whose_they_are_and_how_many_are_right(opened, offered):
    query = {"picture": "outcomes", "epsilon": 1, "seed": 7, "k": 5}
    for mechanism in (CDPPeel(5, 1.0, 1e-6), JointSet(5, 1.0)):
        key, label = mechanism.card.key, mechanism.label
        visit, found = offered("release", **query, mechanisms=key)
        drawn = np.array([release(GAMES, mechanism, seed) for seed in range(7, 107)])
        as_set = is_exact_set(GAMES, drawn, mechanism.outputs).sum()
        known = known_shares(GAMES, mechanism)
        tended = f"(exact: {known['exact_set'].brief})"
        said = f"Of 100 drawn sets {as_set} are right {tended}."
        if mechanism.outputs.ordered:
            in_order = is_exact_sequence(GAMES, drawn, mechanism.outputs).sum()
            said = f"drawn releases {as_set} have the right items {tended}, {in_order} of these "
            said += f"in order (exact: {known['exact_sequence'].brief})."
        assert any(said in words for words in visit.captions)
        name, content = found[f"100 releases of {label}, one per row as CSV"]
        assert f"-releases-{key}-" in name
        rows = pd.read_csv(io.BytesIO(content), encoding="utf-8-sig")
        assert set(rows["mechanism"]) == {label}
        assert any(f" · {label}: k = 5, " in part.proto.body for part in visit.main.get("html"))
        (line,) = opened("release", present=1, **query, mechanisms=key).whole().slide_lines
        assert said in line


def test_a_column_of_several_numbers_of_right_places_says_all_of_them(opened):
    one, many = (
        played(opened("release", picture="outcomes", mechanisms="CDPPeel", k=k).whole())
        for k in (10, 50)
    )
    assert one["columns"] == [f"{n}" for n in range(11)]
    named = [name for name in many["columns"] if name]
    assert named == ["0 to 2", "15 to 17", "30 to 32", "45 to 47"]
    assert many["names"][:2] == ["0 to 2", "3 to 5"]
    assert len(many["law"]) == len(many["columns"]) == 17


def test_draws_without_a_law_say_what_they_tell_of_the_chance(opened):
    mechanism = MECHANISMS["Gamma"](k=3, epsilon=5.0)
    drawn = np.array([release(GAMES, mechanism, seed) for seed in range(100)])
    n = is_exact_set(GAMES, drawn, mechanism.outputs).sum()
    low, high = wilson_interval(n, 100)
    visit = opened("release", picture="outcomes", epsilon=5, k=3, mechanisms="Gamma").whole()
    said = f"Of 100 drawn releases {n} have the right items (95%: {low:.1%} to {high:.1%})"
    assert any(words.startswith(said) for words in visit.captions)


@pytest.mark.parametrize("key", ["Joint", "JointSet", "LimitedDomain"])
def test_each_draw_counts_its_right_places_before_their_exact_distribution(opened, key):
    query = {"data": "typed", "typed": "30 24 20 18 3", "k": 3, "mechanisms": key, "delta": 0.01}
    data = played(opened("release", picture="outcomes", **query).whole())
    counts = ItemCounts([30, 24, 20, 18, 3])
    mechanism = MECHANISMS[key](3, 1.0, **({"delta": 0.01} if key == "LimitedDomain" else {}))
    n_right = [sum(mark == "✓" for _, mark in frame) for frame in data["frames"]]
    assert data["right"] == n_right
    exact = np.zeros(4)
    for output, p in output_distribution(counts, mechanism):
        at_place = zip(output, range(3), strict=True)
        right = [i in range(3) if key == "JointSet" else i == place for i, place in at_place]
        exact[sum(right)] += p
    np.testing.assert_allclose(data["law"], exact, atol=1e-12)
    assert "exact" in data["outline"]
    assert f"3 in {exact[3]:.1%}." in data["said"]


def test_where_the_distribution_is_not_known_the_outline_says_that_it_is_simulated(opened):
    data = played(opened("release", picture="outcomes", shown="Joint", epsilon=1).whole())
    assert "4,000 simulated" in data["outline"]
    all_right = probability_exact_sequence(GAMES, Joint(10, 1.0))
    assert data["law"][10] == pytest.approx(all_right, abs=0.03)  # five standard errors
    assert sum(data["law"]) == pytest.approx(1)


@pytest.mark.parametrize("shown", ["CDPPeel", "PNFPeel"])
def test_the_lines_of_python_give_the_noise_that_is_shown(opened, shown):
    visit = opened("release", picture="noise", shown=shown, epsilon=0.1, neighbors="swap").whole()
    noise = visit.told()[0]["noise"]
    table = visit.table()
    assert [GAMES.items[position] for position in noise.positions] == table["item"].tolist()
    np.testing.assert_allclose(noise.noisy, table["noisy count"], atol=0.06)


def test_the_lines_of_python_give_the_releases_that_are_played(opened):
    visit = opened("release", picture="outcomes", epsilon=0.1, seed=7).whole()  # of one shot
    found = visit.told()[0]["outcomes"]
    assert found.seeds == tuple(range(7, 107))
    expected = np.array([release(GAMES, CDPPeel(10, 0.1, 1e-6), seed) for seed in found.seeds])
    np.testing.assert_array_equal(found.positions, expected)


def test_a_threshold_is_drawn_where_it_stood_and_told(opened):
    """Above ⊥ is what the table of the release has, with the counts that it released."""
    query = {"picture": "noise", "mechanisms": "LimitedDomainLaplace", "epsilon": 0.5}
    visit = opened("release", **query).whole()
    noise = visit.told()[0]["noise"]
    table = visit.table()
    out = table.dropna(subset="released at place").sort_values("released at place")
    assert 0 < len(out) < 10
    assert (table["noisy count"] > noise.threshold).sum() == len(out)
    tables = [frame.value for frame in visit.main.dataframe]
    (released,) = (frame for frame in tables if "released count" in frame)
    assert released["released count"].tolist() == out["noisy count"].tolist()
    (grid,) = (frame.proto for frame in visit.main.dataframe if "released count" in frame.value)
    numbers = ["true count (purchases)", "released count", "error"]  # what a phone has room for
    assert list(grid.column_order) == ["item", *numbers, "place"]  # one mechanism: not named
    assert any("Errors of the released " in c for c in visit.captions)
    (said,) = (words for words in visit.captions if "One shot" in words)
    assert "⊥, at most 10 items" in said
    (line,) = opened("release", present=1, **query).whole().slide_lines
    assert f"are {10 - len(out)} of the true top 10" in line
    nobody = {"data": "typed", "typed": "0 0 0", "k": 2}
    visit = opened("release", **(query | nobody)).whole()
    words = "No item has a count that Laplace limited domain reads."
    assert any(words in caption for caption in visit.captions)


def test_gaps_that_come_with_a_release_are_those_of_python_and_of_its_picture(opened):
    query = {"picture": "noise", "mechanisms": "EMPeel", "epsilon": 0.5, "k": 4, "seed": 3}
    visit = opened("release", **query).whole()
    mechanism = EMPeel(4, 0.5)
    wanted = gaps_of_release(GAMES, mechanism, 3)
    (shown,) = (one.value for one in visit.main.dataframe if "noisy gap" in one.value)
    assert shown["item"].tolist() == GAMES.names(release(GAMES, mechanism, 3))
    assert shown["noisy gap"].tolist() == pytest.approx(wanted.gaps, abs=0.051)
    assert shown["at least"].tolist() == wanted.low.tolist()
    assert shown["purchases at least"].tolist() == wanted.count_at_least.tolist()
    names, printed = visit.told()
    np.testing.assert_array_equal(names["found"].gaps, wanted.gaps)
    assert printed.count("EM-Peel") == 2
    noisy = np.sort(names["noise"].noisy)[::-1][:5]
    assert -np.diff(noisy) == pytest.approx(wanted.gaps)
    above = (wanted.low > 0).sum()
    said = f"Gaps above 0, together with probability 95%: EM-Peel {above} of 4."
    assert any(said in caption for caption in visit.captions)
    assert "gaps_of_release" not in opened("release").whole().code


TITLE = "draws so far"


def counted(visit):
    """Show the table of the draws so far, by mechanism."""
    (frame,) = (e.value for e in visit.main.dataframe if "places right" in e.value)
    return frame.set_index("mechanism")


def headers(visit) -> list[str]:
    return [header.value for header in visit.main.header]


def test_each_draw_adds_to_those_before_until_they_are_counted_anew(opened):
    visit = opened("release", mechanisms="Joint,EMPeel", epsilon="0.5")
    assert not any(TITLE in header for header in headers(visit))
    for _ in range(3):
        visit.app.button(key="draw").click().run()
    assert "The 4 draws so far" in headers(visit.whole())
    games = load_dataset("games")
    row = counted(visit).loc["Joint"]
    mechanism = Joint(10, 0.5)
    drawn = np.array([release(games, mechanism, seed) for seed in range(4)])
    right = games.counts[drawn] == games.counts[games.order[:10]]
    assert row["places right"] == f"{right.mean():.1%}"
    assert row["all right in order"] == f"{right.all(axis=1).sum()} of 4"
    assert row["in order, exactly"] == f"{probability_exact_sequence(games, mechanism):.1%}"
    assert visit.press("count-anew").address["since"] == "3"
    assert not any(TITLE in header for header in headers(visit))
    assert "The 2 draws so far" in headers(visit.press("draw"))


def test_where_outputs_are_few_every_place_has_its_exact_probability(opened):
    visit = opened("release", mechanisms="EMPeel", data="classroom-paper_four", k=2, seed=5).whole()
    drawn, exact = visit.chart("right-places")["data"]
    assert drawn["name"] == "EM-Peel"
    assert exact["name"] == "EM-Peel, exact"
    counts = classroom_vector("paper_four")
    law = output_distribution(counts, EMPeel(2, 1.0))
    top = counts.counts[counts.order[:2]]
    expected = law.probabilities @ (counts.counts[law.sequences] == top)
    np.testing.assert_allclose(exact["y"], expected)


def test_only_the_last_fifty_are_counted(opened):
    visit = opened("release", mechanisms="Joint", k=2, seed=2_000).whole()
    assert "The 50 draws so far" in headers(visit)
    assert any("Seeds 1,951 to 2,000" in words for words in visit.captions)
