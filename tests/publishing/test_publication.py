"""Test publications: charged, then drawn, then written; refused without a valid guarantee."""

import datetime
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import yaml

from dptopk import (
    MECHANISMS,
    CDPPeel,
    EMPeel,
    Gamma,
    ItemCounts,
    Joint,
    Ledger,
    LimitedDomain,
    Mechanism,
    OneShotCounts,
    PNFInverseSensitivitySet,
    counts_from_events,
    publish,
)
from dptopk.core.outputs import Released
from dptopk.data.events import EventLog
from dptopk.data.ingest import Contribution, on_public_list
from dptopk.publishing.ledger import OverspentError
from dptopk.publishing.publication import checked_counts
from dptopk.publishing.registry_record import registry_record

PUBLIC = ["edema", "ache", "burn", "fever"]


@pytest.fixture
def every_is_exact(monkeypatch):
    """Every mechanism passes for one that can be drawn exactly, and gives the first three."""
    monkeypatch.setattr(Mechanism, "why_not_exact", "")
    released = Released(np.array([[0, 1, 2]]), None)
    monkeypatch.setattr(Mechanism, "released_exactly", lambda *_: released)


EVERY = [
    kind(k=3, epsilon=0.5, **({"delta": 1e-7} if kind.card.takes("delta") else {}))
    for kind in MECHANISMS.values()
]
PUBLISHED = [mechanism for mechanism in EVERY if not mechanism.why_not_exact]


@pytest.mark.parametrize("written", ["ache ", "Ache", "\u0430che", "a\u0301che"])
def test_a_public_list_that_only_looks_like_the_data_is_refused(ledger, written):
    there = {"ache ": "ache", "Ache": "ache", "\u0430che": "ache", "a\u0301che": "\u00e1che"}[
        written
    ]
    counts = ItemCounts([9, 8, 7], [there, "burn", "cough"])
    with pytest.raises(ValueError, match=r"The list of items has .* and the data have"):
        publish(counts, Joint(2, 0.5), ledger, items=[written, "burn", "cough"])
    assert ledger.entries == ()
    both = on_public_list(counts, [written, there, "burn"])
    assert dict(both.counts) == {written: 0, there: 9, "burn": 8}


@pytest.mark.parametrize("mechanism", PUBLISHED, ids=lambda mechanism: mechanism.label)
def test_every_mechanism_that_can_be_drawn_exactly_is_published(ledger, counts, mechanism, faults):
    listed = counts.items if mechanism.guarantee.fixed_items else None
    found = publish(counts, mechanism, ledger, items=listed, title="Ward 7")
    assert set(found.items) <= set(counts.items)
    assert len(found.items) == 3 or mechanism.outputs.short
    assert ledger.entries == (found.entry,)
    assert found.entry.settings["mechanism"] == mechanism.card.key
    if not mechanism.outputs.ordered:
        assert [*found.items] == sorted(found.items)
    assert faults(yaml.safe_load(found.record)) == []


def test_the_likely_list_comes_out_in_order(ledger, counts):
    found = publish(counts, Joint(3, 1.0), ledger, items=counts.items)
    assert found.items == ("ache", "burn", "cough")
    assert found.csv == '"place","item"\n1,"ache"\n2,"burn"\n3,"cough"\n'


def test_noisy_counts_are_published_where_the_mechanism_releases_them(ledger, counts):
    found = publish(counts, OneShotCounts(2, 1.5, 1e-7), ledger, items=counts.items)
    assert found.csv.startswith('"place","item","count"\n1,"ache",')
    for released, true in zip(found.counts, (907, 801), strict=True):
        assert abs(released - true) < 40 * 60


def test_a_set_tells_no_order(ledger):
    counts = ItemCounts([900, 800, 700, 1], ["c", "b", "a", "d"])
    found = publish(counts, PNFInverseSensitivitySet(3, 1.0), ledger, items=counts.items)
    assert found.csv == '"item"\n"a"\n"b"\n"c"\n'


def test_the_order_of_the_data_decides_nothing(every_is_exact):
    names, rng = [f"item {n}" for n in range(40)], np.random.default_rng(0)
    values = rng.integers(0, 5, 40)
    mechanism = LimitedDomain(3, 1.0, 1e-6)
    orders = [rng.permutation(40) for _ in range(3)]
    found = [
        checked_counts(ItemCounts(values[order], [names[i] for i in order]), mechanism, None)
        for order in orders
    ]
    assert found[0] == found[1] == found[2]


def test_a_public_list_adds_and_drops(counts):
    listed = on_public_list(counts, PUBLIC)
    assert [*listed.counts] == [("edema", 509), ("ache", 907), ("burn", 801), ("fever", 0)]
    assert listed.words == (
        'The public list has 4 items. 1 of them is not in the data and counts 0: "fever". Dropped: '
        "2 other items of the data."
    )
    whole = on_public_list(counts, [*counts.items, "fever", "gout"])
    assert whole.words.endswith('. 2 of them are not in the data and count 0, such as "fever".')
    some = on_public_list(counts, counts.items[1:])
    assert some.words.endswith(" items. Dropped: 1 other item of the data.")


@pytest.mark.parametrize(
    ("items", "error", "match"),
    [
        ([], ValueError, "at least one item"),
        (["a", "b", "a"], ValueError, "each item once, got 'a'"),
        (["ache", 3], TypeError, "items must be names, got 3"),
        ("ache", TypeError, "a sequence of names, got one string, 'ache'"),
    ],
)
def test_a_public_list_names_items_once(counts, items, error, match):
    with pytest.raises(error, match=match):
        on_public_list(counts, items)


@pytest.mark.parametrize(
    ("arguments", "items", "error", "match"),
    [
        (([3, 2], Joint(1, 0.5)), ["a"], TypeError, "counts must be ItemCounts"),
        ((ItemCounts([3, 2]), "Joint"), ["a"], TypeError, "mechanism must be a mech"),
        ((ItemCounts([3, 2]), Joint(3, 0.5)), ["a", "b"], ValueError, "k must be in"),
        ((ItemCounts([3, 2]), Joint(1, 0.5)), None, ValueError, "items must be a list that was f"),
        ((ItemCounts([3, 2]), Gamma(1, 0.5)), ["a"], ValueError, "can be drawn exactly, got"),
        ((ItemCounts([9, 8]), Joint(1, 2.1)), ["item 1"], OverspentError, "still fits is 2"),
    ],
)
def test_what_is_refused_is_neither_drawn_nor_paid(
    ledger, monkeypatch, arguments, items, error, match
):
    monkeypatch.setattr(Mechanism, "released_exactly", lambda *_: pytest.fail("it was drawn"))
    with pytest.raises(error, match=match):
        publish(*arguments, ledger, items=items)
    assert ledger.entries == ()


def test_a_draw_that_fails_is_paid(ledger, counts, monkeypatch):
    def failing(*_):
        assert len(Ledger.open(ledger.path).entries) == 1  # committed before anything is drawn
        raise MemoryError

    monkeypatch.setattr(Mechanism, "released_exactly", failing)
    with pytest.raises(MemoryError):
        publish(counts, Joint(3, 0.5), ledger, items=counts.items)
    assert ledger.left.epsilon == 1.5


def test_the_record_says_what_is_promised_and_tells_nothing_of_the_data(
    ledger, counts, every_is_exact
):
    settings = {"title": "Ward 7", "unit": "patients", "contribution": Contribution.COUNTED}
    listed = publish(counts, CDPPeel(3, 0.5, 1e-7), ledger, items=PUBLIC, public=True, **settings)
    deployment = yaml.safe_load(listed.record)["deployment"]
    assert deployment["privacy_loss"]["privacy_parameters"] == {"epsilon": 0.5, "delta": 1e-7}
    assert "Top 3 of 4 items by number of patients" in deployment["basic"]["description"]
    composed = deployment["accounting"]["composition"]
    assert composed.startswith("Release 1 of a ledger that protects “one patient of the ward")
    assert "together differentially private with ε = 2 and δ = 1e-6, by" in composed
    assert "Drawn exactly by dptopk" in deployment["implementation"]["mechanisms"]
    unlisted = publish(counts, LimitedDomain(3, 0.5, 1e-7), ledger, **settings)
    text = unlisted.record
    assert "Top 3 of items by number of patients" in text, "their number would tell of the data"
    assert not [value for value in counts.counts.tolist() if str(value) in listed.record + text]
    assert not [name for name in counts.items if name in text + listed.record]


def test_list_and_record_are_written_beside_each_other_and_over_nothing(ledger, counts, tmp_path):
    names = ItemCounts([9000, 8000, 1], ['=1+1 "x", y', "ü\n", "z"])
    found = publish(names, PNFInverseSensitivitySet(2, 1.0), ledger, items=names.items)
    listed, record = found.write(tmp_path / "top.csv")
    assert (listed.name, record.name) == ("top.csv", "top-record.yaml")
    assert listed.read_text("utf-8").splitlines()[1] == '"\'=1+1 ""x"", y"'
    assert record.read_text("utf-8") == found.record
    with pytest.raises(FileExistsError):
        found.write(tmp_path / "top.csv")


_KILLED = """
import os, signal, sys
from pathlib import Path
from dptopk import ItemCounts, Joint, Ledger, Mechanism
from dptopk.publishing.publication import Publication, publish

counts = ItemCounts([9000, 5, 4, 3])

def kill(*arguments, **options):
    os.kill(os.getpid(), signal.SIGKILL)

def after(function):
    def called(*arguments, **options):
        found = function(*arguments, **options)
        kill()
    return called

def half(self, path):
    Path(path).write_text(self.csv)
    kill()

STEPS = {
    "before it is entered": (Ledger, "enter", kill),
    "once it is entered": (Ledger, "enter", after(Ledger.enter)),
    "before it is drawn": (Mechanism, "released_exactly", kill),
    "once it is drawn": (Mechanism, "released_exactly", after(Mechanism.released_exactly)),
    "before it is written": (Publication, "write", kill),
    "while it is written": (Publication, "write", half),
    "once it is written": (Publication, "write", after(Publication.write)),
}
for step, (place, name, replaced) in STEPS.items():
    folder = Path(sys.argv[1]) / step
    folder.mkdir()
    Ledger.create(folder / "b.sqlite", 1, 0, "one")
    child = os.fork()
    if child == 0:
        setattr(place, name, replaced)
        ledger = Ledger.open(folder / "b.sqlite")
        publish(counts, Joint(1, 0.75), ledger, items=counts.items).write(folder / "top.csv")
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.WTERMSIG(status) == signal.SIGKILL, step
    ledger = Ledger.open(folder / "b.sqlite")
    again = bool(ledger.refusal(Joint(1, 0.75)))
    print(step, len(ledger.entries), again, (folder / "top.csv").exists(), sep="|")
"""


@pytest.mark.slow
def test_killed_at_any_step_it_is_paid_or_never_was(tmp_path):
    ended = subprocess.run(
        [sys.executable, "-c", _KILLED, str(tmp_path)], capture_output=True, text=True, check=True
    )
    found = [line.split("|") for line in ended.stdout.splitlines()]
    assert found == [
        ["before it is entered", "0", "False", "False"],
        ["once it is entered", "1", "True", "False"],
        ["before it is drawn", "1", "True", "False"],
        ["once it is drawn", "1", "True", "False"],
        ["before it is written", "1", "True", "False"],
        ["while it is written", "1", "True", "True"],
        ["once it is written", "1", "True", "True"],
    ]


def test_a_draft_says_which_code_draws_it():
    def words(mechanism):
        record = registry_record(
            mechanism, "Ward 7", n_items=5, public=True, date=datetime.date(2026, 3, 1)
        )
        return yaml.safe_load(record)["deployment"]["implementation"]["mechanisms"]

    assert "dptopk publish draws it exactly" in words(Joint(3, 1.0))
    assert "no hardened sampler of it is known" in words(Gamma(3, 1.0))
    assert "By OpenDP" in words(EMPeel(3, 1.0))


VISITS = pd.DataFrame({"who": [1, 1, 1, 2], "what": ["ache", "burn", "fever", "ache"]})


@pytest.mark.parametrize(
    ("counts", "why"),
    [
        (ItemCounts([1, 1, 0], ["ache", "burn", "fever"]), "no item has a count above 1"),
        (ItemCounts([7, 7, 7], ["ache", "burn", "fever"]), "all counts above zero are equal"),
        (counts_from_events(VISITS, "who", "what"), "there are more items than users"),
    ],
)
def test_counts_that_cannot_be_meant_are_refused_by_name(ledger, counts, why):
    said = f"counts must be those that are meant, and {why}, as where .*: add counts_are_right=True"
    with pytest.raises(ValueError, match=said):
        publish(counts, Joint(2, 0.5), ledger, items=PUBLIC)
    assert ledger.entries == ()
    published = publish(counts, Joint(2, 0.5), ledger, items=PUBLIC, counts_are_right=True)
    assert len(published.items) == 2


@pytest.mark.parametrize("counts", [[7], [2, 2, 1], [5, 0]])
def test_other_counts_are_not_doubted(ledger, counts):
    names = PUBLIC[: len(counts)]
    assert publish(ItemCounts(counts, names), Joint(1, 0.5), ledger, items=PUBLIC).items


def test_a_list_of_which_the_data_have_nothing_is_refused(ledger, counts):
    with pytest.raises(ValueError, match="the data have no item of the list"):
        publish(counts, Joint(2, 0.5), ledger, items=["x", "y", "z"])
    assert ledger.entries == ()
    publish(counts, Joint(2, 0.5), ledger, items=["x", "y", "z"], counts_are_right=True)
    assert len(ledger.entries) == 1


def test_a_promise_for_users_of_few_items_needs_a_log_that_was_cut_to_so_many(ledger):
    pairs = [(user, item) for user in range(9) for item in "abc"[: 1 + user % 3]]
    log = pd.DataFrame(pairs, columns=["who", "what"])
    bounded = LimitedDomain(2, 0.5, 1e-7, max_items=1)
    for most, cut in ((None, "nothing was left out"), (2, "up to 2 of each were counted")):
        with pytest.raises(ValueError, match=f"users of this log have more, and {cut}"):
            publish(counts_from_events(log, "who", "what", max_items=most), bounded, ledger)
    assert ledger.entries == ()
    cut_to_one = counts_from_events(log, "who", "what", max_items=1)
    published = publish(cut_to_one, bounded, ledger)
    assert "distinct users were counted" in published.record


def test_ledger_and_record_name_the_part_of_a_log_and_parts_add_up(ledger):
    pairs = [(user, item, user % 2) for user in range(9) for item in "abc"[: 1 + user % 3]]
    log = pd.DataFrame(pairs, columns=["who", "what", "ward"])
    for where, title in (("ward = 1", ""), ("ward = 0", "wards")):  # disjoint
        counts = counts_from_events(log, "who", "what", where)
        assert counts.name == f"events where {where}"
        published = publish(counts, Joint(2, 0.75), ledger, items=[*"abc"], title=title)
        assert published.entry.title == f"{title or 'events'} where {where}"
        assert f"“{where}”" in published.record
    assert ledger.left.epsilon == 2 - 2 * 0.75
    refused = counts_from_events(log, "who", "what", "ward = 2 OR who = 1")
    with pytest.raises(OverspentError):
        publish(refused, Joint(2, 0.75), ledger, items=[*"abc"], counts_are_right=True)


def test_a_period_is_named_beside_the_condition_and_a_long_one_is_cut(ledger):
    rows = {"who": [1, 2, 2], "what": [*"aab"], "day": ["2026-01-05", "2026-01-05", "2026-01-06"]}
    where = " OR ".join(f"who = {n}" for n in range(100))
    log = EventLog(pd.DataFrame(rows), "who", "what", "who > 0")
    day = datetime.date(2026, 1, 5)
    named = "events where who > 0, day of 2026-01-05"
    assert log.by_period("day", "day")[day].name == named
    of_day = log.of_period("day", "day", day).counts()
    for title, said in (
        (None, named),
        ("list", "list where who > 0, day of 2026-01-05"),
        ("who > 0, day of 2026-01-05 OR TRUE",) * 2,
    ):
        published = publish(of_day, Joint(1, 0.1), ledger, items=[*"ab"], title=title)
        assert published.entry.title.startswith(said)
        assert published.entry.title.endswith("who > 0, day of 2026-01-05")
        assert "“who > 0, day of 2026-01-05”" in published.record
    long = counts_from_events(pd.DataFrame(rows), "who", "what", where)
    published = publish(long, Joint(1, 0.5), ledger, items=[*"ab"])
    assert published.entry.title == f"events where {where[:199]}…"
    assert f"“{where}”" in published.record
