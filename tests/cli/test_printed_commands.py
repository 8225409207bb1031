"""Test that each mechanism is asked of its own counts, and that printed commands give the same."""

import math
import re
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dptopk import Ledger, counts_from_events, smallest_epsilon
from dptopk.cli.ledger import QUESTION, mechanism_of
from dptopk.core.numerals import rounded_up
from dptopk.publishing.publication import checked_counts
from dptopk.questions.asking import checked

LOG = ("--events", "my log.csv", "--user", "who", "--item", "what")
AS_TABLE = ("--data", "my log.csv", "--users", "who", "--item-column", "what")
BOUND = ("--set", "delta=0.001", "--set", "max_items=1")
SETS = "Joint,PNFInverseSensitivitySet"
PUT = ("ledger", "create", "budget.sqlite", "--epsilon", 1_000, "--delta", 0.1)


@pytest.fixture
def log(run):
    """The command line in a folder with a log of users of up to eight items, and a list of them."""
    rng, names = np.random.default_rng(5), [f"i {n}" for n in range(1, 13)]
    sets = ({*np.minimum(rng.geometric(0.3, rng.integers(1, 9)), 12)} for _ in range(400))
    pairs = [(f"u{user}", names[n - 1]) for user, some in enumerate(sets) for n in some]
    pd.DataFrame(pairs, columns=["who", "what"]).to_csv("my log.csv", index=False)
    Path("items.txt").write_text("\n".join(names), "utf-8")
    return run


@pytest.mark.parametrize(
    ("asked", "named"),
    [
        ("epsilon", LOG),
        ("release", LOG),
        ("release", AS_TABLE),
        ("compare --runs 20", LOG),
        ("sweep --against epsilon --runs-a-point 5", AS_TABLE),
        ("winners --runs 5", LOG),
    ],
    ids=lambda value: value if isinstance(value, str) else value[0],
)
def test_no_mechanism_changes_the_answers_of_another(log, asked, named):
    asked = (*asked.split(), "-k", 2, *named, *BOUND, "--mechanisms")
    chosen = ["Joint", "Laplace", "LimitedDomain"]
    ran = log(*asked, ",".join(chosen))
    assert "Across them, numbers are of different data." in ran.err
    numbers = ["max_items", "note", "is_best", "right_as_a_set_better", "data_sha256"]
    together = ran.table
    assert set(together["max_items"].dropna()) == {1}
    assert ran.table["note"].str.contains("Rows with max_items are of counts with at").all()
    for key in chosen:
        alone = log(*asked, key).table.drop(columns=numbers, errors="ignore")
        rows = together[together["mechanism"].isin(alone["mechanism"])]
        assert rows["max_items"].isna().all() == (key == "Joint")
        same = [column for column in alone if column in rows]
        pd.testing.assert_frame_equal(
            rows[same].reset_index(drop=True), alone[same], check_dtype=False, check_exact=True
        )


def test_one_that_cannot_run_on_its_counts_is_left_out_alone(log):
    ran = log("release", "-k", 20, *LOG, *BOUND, "--mechanisms", "Joint,ThresholdedLaplace")
    assert "k = 20 was requested, but my log has 12 items" in ran.err
    assert set(ran.table["mechanism"]) == {"Thresholded Laplace (1 item a user)"}
    assert log("release", "-k", 20, *LOG, "--mechanisms", "Joint").code == 4


def test_counts_that_nobody_exceeds_are_one_for_all(log):
    pd.DataFrame({"who": range(90), "what": list("aab" * 30)}).to_csv("my log.csv", index=False)
    ran = log("epsilon", "-k", 1, *LOG, *BOUND, "--mechanisms", "Joint,ThresholdedLaplace")
    assert "max_items" not in ran.err
    saved = log(
        "epsilon", "-k", 1, *LOG, "--mechanisms", "all", "--delta", 1e-3, "--save", "s.json"
    )
    assert saved.code == 0, saved.err
    assert log("run", "s.json", "--events", "my log.csv").out == saved.out


def test_settings_are_saved_of_one_reading_only(log):
    asked = ("epsilon", "-k", 2, *LOG, *BOUND, "--save", "s.json", "--mechanisms")
    refused = log(*asked, "Joint,ThresholdedLaplace")
    assert (refused.code, "under one bound on the items of a user" in refused.err) == (2, True)
    for mechanisms in ("Joint,PNFPeel", "ThresholdedLaplace,LimitedDomain"):
        saved = log(*asked, mechanisms)
        assert saved.code == 0, saved.err
        assert log("run", "s.json", "--events", "my log.csv").out == saved.out


def test_who_is_not_chosen_is_compared_on_the_same_counts(log):
    asked = ("epsilon", "-k", 2, *LOG, *BOUND, "--mechanisms")
    assert "Joint is not chosen" not in log(*asked, "ThresholdedLaplace").err
    assert "is not chosen, but needs only" in log(*asked, "Gamma").err


PRINTED = {
    "epsilon of a log": ("epsilon", *LOG, "--mechanisms", SETS),
    "beside one with a bound": ("epsilon", *LOG, "--mechanisms", f"{SETS},LimitedDomain", *BOUND),
    "with a bound": ("epsilon", *LOG, "--mechanisms", "LimitedDomain,ThresholdedLaplace", *BOUND),
    "all": ("epsilon", *LOG, "--mechanisms", "all", *BOUND),
    "epsilon of a table": ("epsilon", *AS_TABLE, "--mechanisms", f"{SETS},LimitedDomain", *BOUND),
    "epsilon of a list": ("epsilon", *LOG, "--mechanisms", SETS, "--items", "items.txt"),
    "epsilon of some": ("epsilon", *LOG, "--mechanisms", SETS, "--where", "who > 'u2'"),
    "epsilon under a goal": ("epsilon", *LOG, "--mechanisms", SETS, "--chance", 0.5),
    "a series": ("epsilon", *LOG, "--mechanisms", f"{SETS},StableSet", "--releases", 4),
    "no δ": ("epsilon", *LOG, "--order", "any", "--delta-allowed", "none", "--releases", 12),
    "the other neighbours": ("epsilon", *LOG, "--mechanisms", SETS, "--neighbors", "swap"),
    "hand over": ("handover", *LOG, "--mechanisms", "Joint", "--epsilon", "ln 3"),
    "hand over δ": ("handover", *LOG, "--mechanisms", "CDPPeel", "--delta", "1/40000"),
    "hand over optimal": (
        *("handover", *LOG, "--mechanisms", "CDPPeel", "--calibration", "optimal"),
        *("--neighbors", "swap"),
    ),
    "hand over a bound": ("handover", *LOG, "--mechanisms", "LimitedDomain", *BOUND),
}


@pytest.mark.parametrize("asked", PRINTED.values(), ids=PRINTED)
def test_a_printed_command_publishes_with_the_number_beside_it(log, asked):
    ran = log(*asked, "-k", 2)
    (command,) = re.findall(r"^A real release of it.*?: dptopk (.+)$", ran.err, re.MULTILINE)
    words = shlex.split(command)
    relation = re.search(r"from a ledger with (--neighbors \w+):", ran.err)
    assert (relation is not None) == ("swap" in asked)
    assert log(*PUT, *(relation[1].split() if relation else ()), "--protects", "one").code == 0
    published = log(*words, "--yes")
    assert published.code == 0, published.err
    ledger = Ledger.open("budget.sqlite")
    (entry,) = ledger.entries
    given = {**entry.settings, "neighbors": ledger.neighbors.value}
    given["mechanisms"] = [given.pop("mechanism")]
    mechanism = mechanism_of(checked(QUESTION, given))
    where = asked[asked.index("--where") + 1] if "--where" in asked else None
    listed = Path("items.txt").read_text("utf-8").split("\n")
    listed = listed if mechanism.guarantee.fixed_items else None
    bound = mechanism.guarantee.max_items
    counts = counts_from_events("my log.csv", "who", "what", where, bound, listed)
    assert entry.counts == ledger.fingerprint(checked_counts(counts, mechanism, listed))
    if asked[0] == "handover":
        assert mechanism.epsilon == (math.log(3) if "ln 3" in asked else 1.0)
        return
    row = ran.table.set_index("mechanism").loc[mechanism.label]
    assert mechanism.epsilon == rounded_up(row["epsilon_needed_high"])
    chance = 0.5 if "--chance" in asked else 0.95
    found = smallest_epsilon(counts, mechanism, "exact_set", chance)
    assert found.high == row["epsilon_needed_high"]


def test_a_list_is_assessed_on_counts_under_the_bound_of_its_record(log):
    assert log(*PUT, "--protects", "one").code == 0
    given = ("-k", 2, "--mechanism", "LimitedDomain", "--epsilon", 1, "--delta", 1e-3)
    published = log("publish", "--ledger", "budget.sqlite", *given, "--max-items", 1, *LOG, "--yes")
    assert published.code == 0, published.err
    ran = log("assess", "top-2-of-my-log.csv", *LOG)
    assert ran.code == 0, ran.err
    assert "At most 1 item of each user were kept" in ran.err


def test_the_command_that_grades_is_one_of_a_shell(run):
    ran = run("homework", "--students", 2, "--output", "my course")
    assert ran.code == 0, ran.err
    (command,) = re.findall(r"dptopk (check FOLDER .+)$", ran.err, re.MULTILINE)
    given = [word.replace("FOLDER", "my course/sheets") for word in shlex.split(command)]
    graded = run(*given)
    assert graded.table["points"].tolist() == [0, 0]
