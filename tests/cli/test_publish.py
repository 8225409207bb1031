"""Test that `dptopk publish` charges, draws and writes one release, or does nothing at all."""

import os
import pty
import re
import subprocess
import sys
from contextlib import suppress
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from dptopk import MECHANISMS, Ledger, Mechanism, PrivateCountRelease, publish
from dptopk.core.numerals import rounded
from dptopk.core.outputs import Released
from dptopk.publishing.publication import Publication

EVERY = [
    mechanism(k=10, epsilon=0.5, **({"delta": 1e-7} if mechanism.card.takes("delta") else {}))
    for mechanism in MECHANISMS.values()
]
ASKED = ("publish", "--ledger", "b.sqlite")
JOINT = ("-k", 3, "--mechanism", "Joint", "--epsilon", 0.5)
FILES = ("--data", "ward.csv", "--items", "all.txt")


@pytest.fixture
def ward(run):
    """A ledger, counts of patients, and a public list of which the data lack one item."""
    made = ("ledger", "create", "b.sqlite", "--epsilon", 2, "--delta", "1e-6")
    assert run(*made, "--protects", "one patient").code == 0
    rows = ["item,patients", "ache,9000", "burn,8000", "cough,7000", "dizzy,60", "Mr X,9999"]
    Path("ward.csv").write_text("\n".join(rows), "utf-8")
    Path("all.txt").write_text("\ufeffache\r\nburn\r\n\r\ncough\r\n dizzy \r\nedema", "utf-8")
    return run


def entries():
    return Ledger.open("b.sqlite").entries


def test_a_release_of_counts_of_unknown_unit_is_not_paid_before_it_is_said(ward):
    data = Path("ward.csv").read_text("utf-8").replace("patients", "count")
    Path("ward.csv").write_text(data, "utf-8")  # as value_counts() writes rows, not people
    ran = ward(*ASKED, *JOINT, *FILES, "--yes")
    assert (ran.code, ran.out, entries()) == (3, b"", ())
    assert "--answer rows=stated or --answer rows=events" in ran.err
    assert ward(*ASKED, *JOINT, *FILES, "--answer", "rows=stated", "--yes").code == 0
    assert len(entries()) == 1


@pytest.mark.parametrize(
    "columns",
    [
        ("--data", "log.csv", "--users", "who", "--item-column", "what"),
        ("--events", "log.csv", "--user", "who", "--item", "what"),
    ],
)
def test_an_encoding_that_one_row_may_change_is_not_published(ward, columns):
    """The encoding is guessed from the text of all users: one row reads "naïve" otherwise."""
    Path("all.txt").write_text("naïve\nRum\nTea\nAle", "utf-8")
    data = (*columns, "--items", "all.txt")
    lines = ["who,what", *(f"u{n},{('naïve', 'Rum')[n % 2]}" for n in range(300)), ""]
    for more in ("", "eve,€5 æ © 2020"):
        Path("log.csv").write_bytes("\n".join([*lines, more]).encode("cp1252"))
        ran = ward(*ASKED, *JOINT, *data, "--yes")
        assert (ran.code, ran.out, entries()) == (3, b"", ())
        assert re.search(
            "log: .*was read as Windows-.*one more row may change.*save the file as UTF-8", ran.err
        )
    Path("log.csv").write_text("\n".join(lines), "utf-8")
    assert ward(*ASKED, *JOINT, *data, "--counts-are-right", "--yes").code == 0


def test_a_release_is_promised_paid_drawn_and_written(ward):
    ran = ward(*ASKED, *JOINT, *FILES, "--yes")
    assert ran.code == 0, ran.err
    for words in (
        "Release: 3 items of ward, in order, by Joint.",
        "Noise: Joint, which penalises only the worst place: a count error larger by",
        "Guarantee: Adding or removing one user, who counts at most once for each item, changes",
        "The ledger protects: one patient.",
        "The public list has 5 items. 1 of them is not in the data and counts 0: ",
        "Cost: ε = 0.5 (ρ = 0.0312 of zCDP). After it ε = 1.5 is left, or ρ = 0.0521 of zCDP",
        "A release is admitted as long as the ε of all releases add up to at most 2, or their ρ to "
        "at",
        "Will be written: top-3-of-ward.csv, and its record, top-3-of-ward-record.yaml.",
        "Release 1 of the ledger; ε = 1.5 is left",
    ):
        assert words in ran.err, ran.err
    assert ran.out.decode().split() == ["1", "ache", "2", "burn", "3", "cough"]
    found = pd.read_csv("top-3-of-ward.csv")
    assert found.to_dict("list") == {"place": [1, 2, 3], "item": ["ache", "burn", "cough"]}
    record = yaml.safe_load(Path("top-3-of-ward-record.yaml").read_text("utf-8"))
    assert record["deployment"]["privacy_loss"]["privacy_parameters"] == {"epsilon": 0.5}
    assert [entry.title for entry in entries()] == ["ward"]


def test_purpose_and_author_are_kept_with_the_release(ward, monkeypatch):
    monkeypatch.setenv("LOGNAME", "ada")
    ward(*ASKED, *JOINT, *FILES, "--yes", "--purpose", " yearly\nreport ")
    ward(*ASKED, *JOINT, *FILES, "--yes", "--author", "", "-o", "again.csv")
    assert [(one.purpose, one.author) for one in entries()] == [("yearly report", "ada"), ("", "")]
    for name, use in (("top-3-of-ward", "yearly report"), ("again", "TO FILL IN: what it is for")):
        record = yaml.safe_load(Path(f"{name}-record.yaml").read_text("utf-8"))
        assert record["deployment"]["basic"]["intended_use"] == use
    ran = ward(*ASKED, *JOINT, *FILES, "--yes", "--purpose", "a" * 501, "-o", "third.csv")
    assert (ran.code, len(entries())) == (2, 2)
    assert "purpose must be at most 500 printable characters" in ran.err


def test_all_that_is_released_is_said_before_it_is_confirmed(ward):
    asked = ("-k", 3, "--mechanism", "PrivateCountRelease", "--epsilon", 0.5, "--delta", 1e-7)
    ran = ward(*ASKED, *asked, "--data", "ward.csv")
    assert (ran.code, entries()) == (2, ())
    mechanism = PrivateCountRelease(3, 0.5, 1e-7)
    for words in (
        "Release: up to 3 items of ward, in order, each with a noisy count, by Private count",
        f"chooses by Gumbel noise of scale {rounded(mechanism.scale, 4)} patients on the largest",
        "Released counts have Gaussian noise of standard deviation "
        f"{rounded(mechanism.count_scale, 4)} patients.",
        "Items read: those of the 6 largest counts (twice k, as nothing else is set).",
    ):
        assert words in ran.err, ran.err
    wider = ward(*ASKED, *asked, "--data", "ward.csv", "--k-bar", 4)
    assert "Items read: those of the 4 largest counts." in wider.err


def test_a_log_of_events_is_published(ward):
    rows = [f"{n},{item}" for item, users in (("ache", 900), ("burn", 500)) for n in range(users)]
    Path("visits.csv").write_text("\n".join(["patient,reason", *rows, *rows]), "utf-8")
    log = ("--events", "visits.csv", "--user", "patient", "--item", "reason")
    two = ("-k", 2, "--mechanism", "Joint", "--epsilon", 0.5, "--items", "all.txt", "--yes")
    ran = ward(*ASKED, *two, *log)
    assert ran.code == 0, ran.err
    assert "2,800 events were read from visits.csv" in ran.err
    assert ran.out.decode().split() == ["1", "ache", "2", "burn"]
    assert ward(*ASKED, *two, *log, "--data", "ward.csv").code == 2
    assert len(entries()) == 1
    assert "Largest counts" not in ran.err  # the true ones


def test_settings_saved_of_a_log_publish_it(ward):
    rows = [f"{n},{item},{n % 2}" for item in ("ache", "burn", "cough") for n in range(900)]
    Path("visits.csv").write_text("\n".join(["patient,reason,ward", *rows, "901,ache,1"]), "utf-8")
    log = ("--events", "visits.csv", "--items", "all.txt")
    saved = ("--user", "patient", "--item", "reason", "--where", "ward = 1", "--save", "s.json")
    assert ward("handover", "--mechanisms", "Joint", "-k", 2, *log, *saved).code == 0
    asked = (*ASKED, "--settings", "s.json", "--yes")
    assert "name the log with --events FILE" in ward(*asked, "--items", "all.txt").err
    ran = ward(*asked, *log)
    assert ran.code == 0, ran.err
    assert "1,351 events were read from visits.csv (delimited text) where (ward = 1)" in ran.err
    (released,) = ward("ledger", "show", "b.sqlite", "--format", "json").json
    assert released["data"] == "visits where ward = 1"
    (record,) = Path().glob("*-record.yaml")
    assert "“ward = 1”" in record.read_text("utf-8")
    assert "These are not the counts" not in ran.err
    Path("all.txt").write_text("cough\nburn\n", "utf-8")  # which drops an item of the data
    assert ward("handover", "--mechanisms", "Joint", "-k", 2, *log[:2], *saved).code == 0
    ran = ward(*asked, *log, "--counts-are-right", "--output", "on_list.csv")
    assert "Dropped: 1 other item of the data" in ran.err
    assert "These are not the counts" not in ran.err


def test_others_say_why_not(ward):
    mechanism = next(mechanism for mechanism in EVERY if mechanism.why_not_exact)
    ran = ward(*ASKED, *JOINT[:2], "--mechanism", mechanism.card.key, *JOINT[4:], *FILES, "--yes")
    assert ran.code == 4
    assert mechanism.why_not_exact.rstrip(".") in ran.err
    assert entries() == ()


@pytest.mark.parametrize(
    ("asked", "code", "words"),
    [
        ((*JOINT, *FILES), 2, "nothing was published and nothing spent: without a terminal"),
        ((*JOINT, *FILES[:2], "--yes"), 3, "Joint needs a list of all possible items"),
        ((*JOINT, "--items", "all.txt", "--yes"), 2, "name the counts with --data"),
        ((*JOINT[2:], *FILES, "--yes"), 2, "no default here: give -k"),
        ((*JOINT[:4], *FILES, "--yes"), 2, "no default here: give --epsilon"),
        ((*JOINT[:2], *FILES, "--yes"), 2, "name the mechanism with --mechanism"),
        ((*JOINT, "--mechanism", "CDPPeel", *FILES), 2, "CDP-Peel has a δ: give --delta"),
        ((*JOINT, "--max-items", 3, *FILES), 2, "Joint does not use --max-items: leave it out"),
        ((*JOINT[:5], 2.5, *FILES, "--yes"), 6, "largest ε of Joint that still fits is 2"),
        (("-k", 9, *JOINT[2:], *FILES, "--yes"), 3, r"k must be in [1, 5] for 5 items"),
        ((*JOINT, *FILES, "--yes", "--output", "ward.csv"), 5, "ward.csv is there already"),
        ((*JOINT, *FILES, "--yes", "--output", "no/top.csv"), 5, "there is no such folder"),
        ((*JOINT, *FILES, "--yes", "-o", "/proc/top.csv"), 5, "spent. Name another place"),
        ((*JOINT, *FILES, "--yes", "-o", "x" * 300), 5, "File name too long"),
        ((*JOINT, *FILES, "--yes", "-o", "/dev/full"), 5, "no file in which a release can"),
        ((*JOINT, *FILES, "--yes", "-o", "."), 5, "no file in which a release can"),
        ((*JOINT, *FILES, "--yes", "-o", "-"), 2, "is shown on standard output in any case"),
        ((*JOINT, *FILES, "--yes", "-o", "top.json"), 2, "name a file that ends in .csv"),
        ((*JOINT, *FILES[:3], "ward.csv", "--yes"), 2, "the public list of --items is a file"),
        ((*JOINT, *FILES[:3], "none.txt", "--yes"), 3, "--items none.txt cannot be read"),
        ((*JOINT, *FILES[:3], "twice.txt", "--yes"), 3, "line 3 names 'ache', as line 1 does: w"),
        ((*JOINT, *FILES[:3], "blank.txt", "--yes"), 3, "--items blank.txt: it names no item: w"),
        ((*JOINT, *FILES[:3], "other.txt", "--yes"), 3, 'of the list, such as "a": write'),
        ((*JOINT, "--data", "none.csv", *FILES[2:], "--yes"), 3, "neither a file nor data"),
        ((*JOINT, *FILES, "--settings", "s.json", "--yes"), 2, "-k is in the file of --settings"),
        (("--settings", "s.json", *FILES, "--yes"), 3, "s.json cannot be read"),
    ],
)
def test_what_is_refused_costs_and_writes_nothing(ward, asked, code, words):
    Path("twice.txt").write_text("ache\nburn\nache\n", "utf-8")
    Path("other.txt").write_text("a\nb\nc\n", "utf-8")
    Path("blank.txt").write_text(" \n\n", "utf-8")
    before = sorted(Path().iterdir())
    ran = ward(*ASKED, *asked)
    assert (ran.code, ran.out) == (code, b""), ran.err
    assert words in ran.err
    assert entries() == ()
    assert sorted(Path().iterdir()) == before


def test_blanks_in_any_file_leave_the_counts_as_they_are(ward):
    """Counted from events to a file and published with a list, or at once: the same counts."""
    visits = [f"{' ' * (n % 2)}{n},{item} " for item in ("ache", "burn") for n in range(900)]
    visits += [f"{n},{item}" for item in ("ache", "burn") for n in range(900)] + ["900,ache"]
    Path("visits.csv").write_text("\n".join(["patient,reason", *visits]), "utf-8")
    Path("all.txt").write_text(" ache\nburn\t\nedema", "utf-8")
    columns = ("--user", "patient", "--item", "reason")
    assert ward("counts", "visits.csv", *columns, "-o", "counts.csv").code == 0
    assert pd.read_csv("counts.csv")["users"].tolist() == [901, 900]
    two = ("-k", 2, "--mechanism", "Joint", "--epsilon", 0.5, "--items", "all.txt", "--yes")
    for number, data in enumerate((("--data", "counts.csv"), ("--events", "visits.csv", *columns))):
        ran = ward(*ASKED, *two, *data, "-o", f"{number}.csv")
        assert ran.code == 0, ran.err
        assert set(pd.read_csv(f"{number}.csv")["item"]) == {"ache", "burn"}
    first, second = entries()
    assert first.counts == second.counts


def test_a_second_try_is_another_release(ward):
    assert ward(*ASKED, *JOINT, *FILES, "--yes").code == 0
    same = ward(*ASKED, *JOINT, *FILES, "--yes")
    assert same.code == 5
    assert "is never written over another" in same.err
    assert len(entries()) == 1
    again = ward(*ASKED, *JOINT, *FILES, "--yes", "-o", "again.csv")
    assert "Note: the ledger already has 1 release of these same counts." in again.err
    assert [float(entry.price.epsilon) for entry in entries()] == [0.5, 0.5]


def test_users_who_count_several_times_are_refused_unless_one_count_is_protected(ward):
    rows = [f"u{n % 7},{'abc'[n % 3]},{n % 5 + 1}" for n in range(61)]
    Path("log.csv").write_text("\n".join(["user,item,orders", *rows]), "utf-8")
    Path("abc.txt").write_text("a\nb\nc\n", "utf-8")
    read = ("--data", "log.csv", "--items", "abc.txt", "--answer", "rows=events")
    asked = (*ASKED, "-k", 2, *JOINT[2:], *read, "--item-column", "item", "--counts", "orders")
    ran = ward(*asked, "--yes")
    assert ran.code == 3, ran.err
    assert "the promise would be for one order only" in ran.err
    ran = ward(*asked, "--several", "--yes")
    assert ran.code == 0, ran.err
    assert "Guarantee: Adding at most one order to each item" in ran.err


def test_a_survey_is_published_on_a_public_list(ward):
    rows = [f"u{n},{n % 2},{int(n % 3 > 0)},{int(n % 5 > 0)}" for n in range(60)]
    Path("survey.csv").write_text("\n".join(["id,tea,ale,rum", *rows]), "utf-8")
    Path("drinks.txt").write_text("tea\nale\nrum\n", "utf-8")
    read = ("--data", "survey.csv", "--users", "id", "--item-column", "tea")
    asked = (*ASKED, "-k", 2, *JOINT[2:], *read, "--answer", "survey=yes", "--yes")
    assert ward(*asked).code == 3
    ran = ward(*asked, "--items", "drinks.txt")
    assert (ran.code, "assumed" in ran.err) == (0, False)


def test_settings_of_other_counts_or_pages_are_told_apart(ward):
    saved = ("--mechanisms", "Joint", "-k", 3, "--data", "ward.csv", "--save", "s.json")
    assert ward("handover", *saved, "--epsilon", 0.5).code == 0
    ran = ward(*ASKED, "--settings", "s.json", *FILES, "--yes", "-o", "same.csv")
    assert (ran.code, "not the counts" in ran.err) == (0, False)  # saved without the list
    Path("ward.csv").write_text("item,patients\nache,9000\nburn,8000\ncough,7100", "utf-8")
    ran = ward(*ASKED, "--settings", "s.json", *FILES, "--yes")
    assert ran.code == 0, ran.err
    assert "These are not the counts that the settings were saved with (ward)." in ran.err
    assert ward("release", *saved[:-1], "other.json").code == 0
    ran = ward(*ASKED, "--settings", "other.json", *FILES, "--yes", "-o", "x.csv")
    assert ran.code == 2
    assert "saved on another page" in ran.err


def test_each_of_several_releases_gets_its_share_of_delta(ward, monkeypatch):
    released = Released(np.array([[0, 1, -1]]), None)
    monkeypatch.setattr(Mechanism, "released_exactly", lambda *_: released)
    saved = ("--mechanisms", "LimitedDomain", "-k", 3, "--data", "ward.csv", "--save", "s.json")
    asked = ("--epsilon", 0.1, "--delta", 1e-6, "--releases", 10)
    assert ward("handover", *saved, *asked).code == 0
    ran = ward(*ASKED, "--settings", "s.json", "--data", "ward.csv", "--yes")
    assert ran.code == 0, ran.err
    assert "Release: up to 3 items of ward" in ran.err
    assert "Items: those found in the data, which the guarantee covers." in ran.err
    assert "The list has only 2 of up to 3 items" in ran.err
    assert "only 2 of up to 3 items" in Path("top-3-of-ward-record.yaml").read_text("utf-8")
    (entry,) = entries()
    assert entry.price.delta == Fraction(1, 2 * 10**7)


def test_a_bound_on_the_items_of_a_user_is_kept_of_a_log_and_said_of_counts(ward):
    rows = [f"{user},{item}" for user in range(2001) for item in ("ache", "burn")]
    Path("visits.csv").write_text("\n".join(["patient,reason", *rows]), "utf-8")
    log = ("--events", "visits.csv", "--user", "patient", "--item", "reason")
    one = ("--mechanism", "LimitedDomain", "--epsilon", 0.5, "--delta", 1e-7, "--max-items", 1)
    ran = ward(*ASKED, *one, "-k", 2, *log, "--yes")
    assert ran.code == 0, ran.err
    assert "for at most 1 item, changes the probability" in ran.err
    assert sorted(ran.out.decode().split()) == ["1", "2", "ache", "burn"]
    assert "for at most 1 item," in Path("top-2-of-visits-record.yaml").read_text("utf-8")
    assert "for at most 1 item," in entries()[-1].promise
    assert entries()[-1].settings["max_items"] == 1
    ran = ward(*ASKED, *one, "-k", 2, "--data", "ward.csv", "--yes")
    assert ran.code == 0, ran.err
    assert "It is assumed that no user counts for more than 1 item" in ran.err


def failing(times: int):
    """Publication.write that fails so many times."""
    write, calls = Publication.write, []

    def full(published, path):
        calls.append(path)
        if len(calls) <= times:
            raise OSError(28, "No space left on device")
        return write(published, path)

    return full


def test_what_cannot_be_written_any_more_is_kept_beside_the_ledger(ward, monkeypatch):
    monkeypatch.setattr(Publication, "write", failing(1))
    Path("out").mkdir()
    ran = ward(*ASKED, *JOINT, *FILES, "--yes", "-o", "out/top.csv")
    assert ran.code == 5
    assert "out/top.csv cannot be written (No space left on device). The release" in ran.err
    assert "and paid, and the list is in" in ran.err
    assert "b-release-1.csv. Do not run the command again" in ran.err
    assert pd.read_csv("b-release-1.csv")["item"].tolist() == ["ache", "burn", "cough"]
    assert Path("b-release-1-record.yaml").exists()
    assert ran.out.decode().split() == ["1", "ache", "2", "burn", "3", "cough"]
    assert len(entries()) == 1


def test_what_can_be_written_nowhere_goes_to_standard_output_whole(ward, monkeypatch):
    monkeypatch.setattr(Publication, "write", failing(2))
    ran = ward(*ASKED, *JOINT, *FILES, "--yes")
    assert ran.code == 5
    assert b'1,"ache"\n2,"burn"\n3,"cough"\n' in ran.out
    assert b"privacy_loss:" in ran.out
    assert "the list is on standard output: keep it. Do not run" in ran.err
    assert len(entries()) == 1


def test_standard_output_that_is_full_leads_nobody_to_pay_twice(ward):
    command = [sys.executable, "-m", "dptopk", *map(str, (*ASKED, *JOINT, *FILES, "--yes"))]
    with open("/dev/full", "wb") as full:
        ran = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False)
    assert ran.returncode == 5
    assert b"standard output cannot be written (No space left on device)" in ran.stderr
    assert b"top-3-of-ward.csv. Do not run the command again" in ran.stderr
    assert pd.read_csv("top-3-of-ward.csv")["item"].tolist() == ["ache", "burn", "cough"]


def test_a_full_disk_is_noticed_before_anything_is_spent(ward):
    limited = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)); "
        "from dptopk.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    before = sorted(Path().iterdir())
    command = [sys.executable, "-c", limited, *map(str, (*ASKED, *JOINT, *FILES, "--yes"))]
    ran = subprocess.run(command, capture_output=True, check=False)
    assert ran.returncode == 5, ran.stderr
    assert b"cannot be written (File too large): nothing was published and nothing" in ran.stderr
    assert sorted(Path().iterdir()) == before
    assert entries() == ()


def test_help_shows_only_what_works(run):
    for asked in (("publish", "--help"), ("ledger", "show", "--help")):
        said = " ".join(run(*asked).out.decode().split())
        for mechanism in EVERY:
            assert (f" {mechanism.card.key}," in said or f" {mechanism.card.key}." in said) is (
                not mechanism.why_not_exact
            )
        assert "default: 1e-06" not in said
    assert "k, items to release. [required without --settings]" in " ".join(
        run("publish", "--help").out.decode().split()
    )


def test_who_stops_the_draw_is_told_that_it_is_paid(ward, monkeypatch):
    def stopped(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(Mechanism, "released_exactly", stopped)
    ran = ward(*ASKED, *JOINT, *FILES, "--yes")
    assert ran.code == 130
    assert "the release was entered: what it costs is spent" in ran.err
    assert len(entries()) == 1


def test_who_is_refused_as_another_came_first_is_not_told_to_have_paid(ward, monkeypatch):
    """The other's release is entered after the check of this one, and before its own entry."""

    def later(counts, mechanism, ledger, **more):
        publish(counts, mechanism, ledger, **more)
        return publish(counts, mechanism.replaced(epsilon=2.0), ledger, **more)

    monkeypatch.setattr("dptopk.cli.publish.publish", later)
    ran = ward(*ASKED, *JOINT, *FILES, "--yes")
    assert (ran.code, len(entries())) == (6, 1)
    assert "too little left" in ran.err
    assert "is spent" not in ran.err


def on_terminal(*arguments, answers):
    """Answer the questions of a command on a real terminal: its code, what it wrote and showed."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "dptopk", *map(str, arguments)]
    running = subprocess.Popen(command, stdin=theirs, stderr=theirs, stdout=subprocess.PIPE)
    os.close(theirs)
    shown = b""
    for number, answer in enumerate(answers, start=1):
        while shown.count(b"[y/N]") < number:
            shown += os.read(ours, 4096)
        assert entries() == ()
        os.write(ours, f"{answer}\n".encode())
    out, _ = running.communicate()
    with suppress(OSError):  # the other end is closed
        shown += os.read(ours, 4096)
    os.close(ours)
    return running.returncode, out, shown


@pytest.mark.parametrize("answer", ["y", "n", "\x04"])  # the last is Ctrl-D
def test_a_terminal_is_asked_once(ward, answer):
    """The question stands after all that it is about."""
    code, out, shown = on_terminal(*ASKED, *JOINT, *FILES, answers=answer)
    assert re.search(rb"Cost: .*Will be written: .*Publish\?", shown, re.DOTALL)
    assert len(entries()) == (answer == "y")
    assert (b"ache" in out) == (answer == "y")
    assert code == (0 if answer == "y" else 130)
    assert (b"nothing spent" in shown) == (answer != "y")


DOUBTED = {
    "No item has a count above 1": "item,patients\nache,1\nburn,1\ncough,0\n",
    "All counts above zero are equal": "item,patients\nache,70\nburn,70\ncough,70\n",
    "There are more items than users": "patient,reason\n1,ache\n1,burn\n1,cough\n2,ache\n",
    'Column "patient", taken for users, holds dates or times': "patient,reason\n"
    "30.01.2026,ache\n30.01.2026,burn\n31.01.2026,ache\n1.2.2026,ache\n",
}


@pytest.mark.parametrize(
    ("doubt", "answers"),
    [
        *((next(iter(DOUBTED)), answers) for answers in ("yy", "yn", "n")),
        *((doubt, "") for doubt in [*DOUBTED][1:]),  # told without a terminal alone
    ],
)
def test_counts_that_cannot_be_meant_are_published_only_where_they_are(ward, doubt, answers):
    Path("ward.csv").write_text(DOUBTED[doubt], "utf-8")
    columns = ("--users", "patient", "--item-column", "reason") if "users" in doubt else ()
    asked = (*ASKED, *JOINT, *FILES, *columns)
    refused = ward(*asked, "--yes")
    assert (refused.code, entries()) == (2, ())
    *_, why, what = refused.err.splitlines()
    assert why.startswith(doubt)
    assert what.endswith("nothing spent: without a terminal to ask on, add --counts-are-right.")
    assert not re.search(r"\d(?<!1)", why)  # quotes no count
    if answers:
        code, _, shown = on_terminal(*asked, answers=answers)
        assert f"{doubt}, " in shown.decode()
        assert b"Are these the counts that are meant?" in shown
        assert (code, len(entries())) == ((0, 1) if answers == "yy" else (130, 0))
    ran = ward(*asked, "--counts-are-right", "--yes", "-o", "top.csv")
    assert ran.code == 0, ran.err
    record = Path("top-record.yaml").read_text("utf-8")
    assert doubt.lower() not in record.lower()


def test_names_that_nobody_listed_are_published_as_they_stand_and_that_is_said(ward):
    open_domain = ("-k", 3, "--mechanism", "LimitedDomain", "--epsilon", 0.5, "--delta", 1e-7)
    said = "published as they stand: a free text may itself name a person"
    assert said in ward(*ASKED, *open_domain, "--data", "ward.csv", "--yes").err
    assert said not in ward(*ASKED, *JOINT, *FILES, "--yes").err


def test_names_that_nobody_listed_are_not_merged(ward):
    """The name of merged items would tell who has which."""
    rows = [f"u{n},{'tea' if n else 'Tea'}" for n in range(500)]
    Path("log.csv").write_text("\n".join(["who,what", *rows]), "utf-8")
    open_domain = ("-k", 1, "--mechanism", "LimitedDomain", "--epsilon", 0.5, "--delta", 1e-7)
    merged = ("--twins", "merge", "--counts-are-right", "--yes")
    columns = ("--events", "log.csv", "--user", "who", "--item", "what")
    ran = ward(*ASKED, *open_domain, *columns, *merged)
    assert (ran.code, len(entries())) == (3, 0)
    assert "a name that may be of one user only" in ran.err
    Path("all.txt").write_text("tea\nmilk\n")
    assert ward(*ASKED, *open_domain, *columns, *merged, "--items", "all.txt").code == 0


def test_a_release_of_addresses_that_differ_by_case_asks_where_counts_change(ward):
    Path("all.txt").write_text("tea\nmilk\n")
    asked = (*ASKED, "-k", 1, "--mechanism", "Joint", "--epsilon", 0.5, "--items", "all.txt")
    log = ("--events", "log.csv", "--user", "who", "--item", "what", "--counts-are-right", "--yes")
    rows = "who,what\na@x.org,tea\nb@x.org,tea\nb@x.org,milk\nc@x.org,milk\n"
    Path("log.csv").write_text(f"{rows}A@x.org,tea\n")
    ran = ward(*asked, *log)
    assert (ran.code, len(entries())) == (3, 0)
    assert "--users-alike apart or --users-alike merge" in ran.err
    assert ward(*asked, *log, "--users-alike", "merge", "--output", "1.csv").code == 0
    Path("log.csv").write_text(f"{rows}A@x.org,milk\n")  # no count would change
    assert ward(*asked, *log, "--output", "2.csv").code == 0
