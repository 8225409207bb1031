"""Test the origin of tables and figures: settings in texts, columns and file names."""

import dataclasses

import pandas as pd

from dptopk import CDPPeel, Gamma, ItemCounts, Joint, NeighborRelation, __version__, run_trials
from dptopk.questions.origin import Origin

COUNTS = ItemCounts([9, 7, 4, 1], ["a", "b", "c", "d"])
PEEL = CDPPeel(2, 0.5, 1e-6, NeighborRelation.SWAP, "optimal")
JOINT = Joint(2, 0.5, NeighborRelation.SWAP)
ORIGIN = Origin("Games (Steam)", COUNTS, (JOINT, PEEL), "simulated", runs=2_500, seed=3)


def test_the_line_says_data_every_setting_and_how_it_was_computed():
    assert ORIGIN.line == (
        "Games (Steam) · k = 2, ε = 0.5, δ = 1e-6, calibration tighter accounting (less noise), "
        "one user is replaced · simulated, 2,500 runs of each mechanism, seed 3"
    )


def test_on_a_slide_a_choice_is_said_only_if_it_was_made():
    assert "calibration tighter accounting (less noise), one user is replaced" in ORIGIN.brief
    paper = Origin("Games (Steam)", COUNTS, (CDPPeel(2, 0.5, 1e-6),), "exact")
    assert paper.brief == "k = 2, ε = 0.5, δ = 1e-6 · exact"
    assert "calibration by Gillenwater et al. 2022, Lemma 4.2, one user" in paper.words
    both = Origin("Games (Steam)", COUNTS, (CDPPeel(2, 0.5, 1e-6), Gamma(2, 0.5)), "exact")
    assert (
        "calibration by Gillenwater et al. 2022, Lemma 4.2 for CDP-Peel and Steinke and Ullman "
        "2015, Theorem 4.1 for Gamma, one user"
    ) in both.words


def test_what_nothing_uses_is_not_said():
    exact = Origin("Games", COUNTS, (JOINT,), "exact", note="judged otherwise")
    assert exact.line == ("Games · k = 2, ε = 0.5, one user is replaced · exact · judged otherwise")
    assert Origin("Games", COUNTS, (), "true counts").line == "Games · true counts"


def test_a_file_says_more_than_the_page_around_a_figure():
    one = dataclasses.replace(ORIGIN, settings_of="a call", note="Costs more.", alone="Caveat.")
    read = one.read_as("Dashed: asked.")
    assert read.words == one.words
    assert one.words.startswith("a call: k = 2, ")
    assert read.line == f"Games (Steam) · {one.words} · Dashed: asked. Caveat."
    assert read.about("t")["note"] == "Costs more. Dashed: asked. Caveat."
    assert set(one.added_to(pd.DataFrame({"a": [1]}))["note"]) == {"Costs more. Caveat."}


def test_settings_that_differ_are_left_to_the_rows():
    both = dataclasses.replace(ORIGIN, mechanisms=(JOINT, CDPPeel(3, 0.5, 1e-6)))
    assert set(both.settings) == {"epsilon", "delta", "calibration"}
    assert "k = " not in both.line


def test_rows_carry_the_settings_of_their_own_mechanism():
    paper = CDPPeel(2, 0.5, 1e-6, NeighborRelation.SWAP)
    origin = dataclasses.replace(ORIGIN, mechanisms=(JOINT, PEEL, paper), more={"metric": "x"})
    frame = pd.DataFrame({"mechanism": [JOINT.label, PEEL.label, paper.label], "k": [7, 8, 9]})
    whole = origin.added_to(frame)
    assert whole["k"].tolist() == [7, 8, 9]  # what the table says stands
    assert whole["calibration"].fillna("").tolist() == ["", "optimal", "paper"]
    assert whole["delta"].tolist() == [0, 1e-6, 1e-6]  # who takes none promises without
    assert whole.columns.is_unique
    constant = whole.loc[:, ["data", "metric", "computed", "runs", "seed", "dptopk_version"]]
    assert constant.drop_duplicates().to_numpy().tolist() == [
        ["Games (Steam)", "x", "simulated", 2500, 3, __version__]
    ]
    assert list(frame) == ["mechanism", "k"]


def test_rows_that_are_exact_are_of_no_runs_and_no_seed():
    known = pd.DataFrame({"mechanism": [JOINT.label, PEEL.label], "is_exact": [True, False]})
    whole = ORIGIN.added_to(known)
    assert whole["computed"].tolist() == ["exact", "simulated"]
    assert whole["runs"].isna().tolist() == whole["seed"].isna().tolist() == [True, False]
    assert (whole["runs"][1], whole["seed"][1]) == (2500, 3)


def test_a_table_without_mechanisms_carries_the_settings_all_agree_on():
    whole = ORIGIN.added_to(pd.DataFrame({"output": ["a", "b"]}))
    settings = whole[["k", "epsilon", "delta", "neighbors"]]
    assert settings.to_numpy().tolist() == [[2, 0.5, 1e-6, "swap"]] * 2


def test_trials_carry_all_that_is_needed_to_run_them_again():
    trials = run_trials(COUNTS, [JOINT, PEEL], 3, seed=3)
    whole = ORIGIN.added_to(trials)
    assert {"data", "epsilon", "delta", "neighbors", "calibration", "runs", "seed"} <= set(whole)
    pd.testing.assert_frame_equal(whole[list(trials)], trials)


def test_file_names_tell_data_and_settings_and_are_safe():
    assert ORIGIN.stem.startswith("games-steam-k2-eps0.5-seed3-")
    hostile = dataclasses.replace(ORIGIN, data='../..\\<b>"=1+1"\n日本 ' + "x" * 100)
    assert hostile.stem.startswith("b-1-1-日本-xxx")
    assert len(hostile.stem) < 80


def test_names_of_large_downloads_differ_wherever_the_counts_do():
    """Streamlit's address of a download over 1 MiB samples its content, but hashes its name."""
    large = list(range(200_000))
    changed = [*large[:70_000], 5, *large[70_001:]]
    names = {Origin("Your file", ItemCounts(c), (), "").stem for c in (large, changed)}
    items = ["a", "b", "c", "e"]
    names |= {dataclasses.replace(ORIGIN, counts=ItemCounts([9, 7, 4, 1], items)).stem, ORIGIN.stem}
    names |= {dataclasses.replace(ORIGIN, runs=2_501).stem}
    names |= {dataclasses.replace(ORIGIN, mechanisms=(JOINT,)).stem}
    assert len(names) == 6


def test_every_row_names_the_one_mechanism_that_all_is_of():
    frame = pd.DataFrame({"seed": [1, 2]})
    one = dataclasses.replace(ORIGIN, mechanisms=(PEEL,))
    assert one.added_to(frame)["mechanism"].tolist() == [PEEL.label] * 2
    for other in (ORIGIN, dataclasses.replace(one, settings_of="the one with a δ")):
        assert "mechanism" not in other.added_to(frame)
