"""Test that published lists and records are read back, and hostile ones refused."""

import datetime
import json

import pytest
import yaml
from hypothesis import given, strategies as st

from dptopk import (
    MECHANISMS,
    CDPPeel,
    ItemCounts,
    Joint,
    LimitedDomainLaplace,
    NeighborRelation,
    PNFInverseSensitivitySet,
    publish,
)
from dptopk.publishing.published_files import (
    MAX_LIST_BYTES,
    MAX_RECORD_BYTES,
    PublishedFileError,
    check_of_one_release,
    read_published_list,
    read_record,
)
from dptopk.publishing.registry_record import registry_record

DATE = datetime.date(2026, 3, 1)
NAMES = ["=1+1", "'quoted", "a, b", 'say "x"', "edema"]


def record_of(mechanism, **options) -> str:
    options = {"n_items": 12, "public": True, "date": DATE} | options
    return registry_record(mechanism, "Clicks", **options)


def changed(text: str, old: str, new: str) -> bytes:
    assert old in text
    return text.replace(old, new).encode()


@pytest.mark.parametrize("mechanism", [Joint(4, 0.5), PNFInverseSensitivitySet(3, 0.5)], ids=str)
def test_what_publish_writes_is_read_back(mechanism, ledger, tmp_path):
    counts = ItemCounts([9, 8, 7, 6, 5], NAMES)
    made = publish(counts, mechanism, ledger, items=NAMES)
    listed, record = made.write(tmp_path / "top.csv")
    found, read = read_record(record.read_bytes()), read_published_list(listed.read_bytes())
    assert read == (made.items, mechanism.outputs.ordered)
    check_of_one_release(read, found.mechanism)
    assert found.mechanism == mechanism
    assert found.n_items == 5
    assert found.description.startswith(f"Top {mechanism.k} of 5 items")


@pytest.mark.parametrize("kind", MECHANISMS.values())
@pytest.mark.parametrize("neighbors", NeighborRelation)
def test_records_hold_every_setting(kind, neighbors):
    own = {"delta": 1e-9, "max_items": 3, "k_bar": 40, "calibration": "optimal"}
    taken = {key: own[key] for key in own if kind.card.takes(key)}
    mechanism = kind(7, 0.1 + 0.2, neighbors=neighbors, **taken)
    assert read_record(record_of(mechanism, n_items=None).encode()).mechanism == mechanism


@pytest.mark.parametrize(
    ("content", "names"),
    [
        ("item\na\nb\n", ("a", "b")),
        ("a\nb", ("a", "b")),
        ("Place;x\n", ("Place;x",)),
        ("\ufeffITEM,count\r\na,3\r\n\r\nb,2\r\n", ("a", "b")),
        ('"place","item"\n1,"\'=1+1"\n2," b "\n', ("=1+1", "b")),
    ],
)
def test_lists_of_several_forms_are_read(content, names):
    assert read_published_list(content.encode()) == (names, "place" in content)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the list is empty"),
        (b"item\n", "a header and no names"),
        (b"name,count\na,3\n", 'none is called "item"'),
        (b"count,item\n3\n", "entry 1 of the list has no name"),
        (b"place,item\n2,a\n1,b\n", "places of the list are not 1, 2, 3"),
        (b"a\nb\na\n", "has 'a' twice"),
        (b"item,place\na,1\nb\n", "places of the list are not 1, 2, 3"),
        (b'item,x\n"",3\n', "entry 1 of the list has no name"),
        (b"item\n" + b"a" * 5_000, "has 5,000 characters"),
        (b"\xff\xfei\0", "not text in UTF-8"),
        (b"a\0b", "not a text file"),
        (b'"a\nb', "not a readable CSV file"),
        (b"a" * (MAX_LIST_BYTES + 1), "larger than 256 kB"),
        (b"\n".join(b"%d" % number for number in range(10_001)), "10,001 names"),
    ],
    ids=str,
)
def test_files_that_are_no_list_are_refused(content, message):
    with pytest.raises(PublishedFileError, match=message):
        read_published_list(content)


def test_a_list_with_places_is_no_release_of_a_set():
    listed = read_published_list(b"place,item\n1,a\n2,b\n3,c\n")
    check_of_one_release(listed, Joint(3, 0.5))
    with pytest.raises(PublishedFileError, match="the two are not from one release"):
        check_of_one_release(listed, PNFInverseSensitivitySet(3, 0.5))


BILLION = "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not that of a release"),
        (b"- a\n", "not that of a release"),
        (b"deployment: 3\n", "no entries under 'deployment'"),
        (b"a: [b\n", "not valid YAML"),
        (b"a: b: c\n", "not valid YAML"),
        (b"? [a, b]\n: c\n", "not valid YAML"),
        (b"deployment: {}\ndeployment: {}\n", "it has a key twice"),
        (b"a: {b: c, b: d}\n", "it has a key twice"),
        (b'"\\U00110000"', "not valid YAML"),
        (b"? " * 30_000, "nested too deeply"),
        (b"[a," * 20_000, "nested too deeply"),
        (b"<<: {deployment: 1}\n", "no entries under 'deployment'"),
        (b"a: !!int 3\n", "no entries under 'deployment'"),
        (b"a: " + b"9" * 60_000, "no entries under 'deployment'"),
        (BILLION.encode(), "anchors or aliases"),
        (b"a: &a\n  b: c\n", "anchors or aliases"),
        (b"[" * 20_000, "nested too deeply"),
        (b"!!python/object/apply:os.system ['id']\n", "not that of a release"),
        (b"\xff", "not text in UTF-8"),
        (b"a" * (MAX_RECORD_BYTES + 1), "larger than 64 kB"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_files_that_are_no_record_are_refused(content, message):
    with pytest.raises(PublishedFileError, match=message):
        read_record(content)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("Settings: ", "Set: ", "do not contain the settings"),
        ('"k": 3', '"k": -3', r"settings of the record are wrong: k must be at least 1, got -3"),
        ('"k": 3', '"k": "3"', "settings of the record are wrong"),
        ('"k": 3', '"k": 3, "k": 5', "are damaged"),
        ('"k": 3', f'"k": {"9" * 4_000}', r"k must be an integer, got inf"),
        ('"k": 3', f'"k": {"9" * 50_000}', r"k must be an integer, got inf"),
        ('"k": 3', '"k": true', r"k must be an integer, got True"),
        ('"epsilon": 0.5', '"epsilon": NaN', "epsilon must be a number"),
        ('"epsilon": 0.5', f'"epsilon": {"9" * 4_000}', "epsilon must be a number"),
        ('"mechanism"', f'"m": {"[" * 30_000}, "mechanism"', "are damaged"),
        ('"items": 12', '"items": true', "is not a count"),
        ("epsilon: 0.5", "epsilon: .nan", "contradicts itself: ε is .nan"),
        ("epsilon: 0.5", "epsilon: 2026-01-31", "contradicts itself: ε is 2026-01-31"),
        ('"k": 3, ', "", "settings of the record lack 'k'"),
        ('"delta": 1e-06, ', "", "settings of the record lack 'delta'"),
        ('"epsilon": 0.5', '"epsilon": 1e999', "settings of the record are wrong"),
        ('"epsilon": 0.5', '"epsilon": 0.7', "contradicts itself: ε is 0.5 in its privacy"),
        ('"add-remove"', '"friends"', "settings of the record are wrong"),
        ('"CDPPeel"', '"Guess"', "does not know: 'Guess'"),
        ('"items": 12', '"items": "many"', "is not a count"),
        ('{"mechanism"', '["mechanism"', "are damaged"),
    ],
)
def test_settings_that_are_wrong_are_refused(old, new, message):
    with pytest.raises(PublishedFileError, match=message):
        read_record(changed(record_of(CDPPeel(3, 0.5, 1e-6)), old, new))


@pytest.mark.parametrize("epsilon", [1e-9, 1e-6, 0.1 + 0.2, 3.0, 1e12])
def test_epsilon_is_compared_as_a_number(epsilon):
    assert read_record(record_of(Joint(3, epsilon)).encode()).mechanism.epsilon == epsilon


def test_settings_are_only_of_registered_fields():
    text = record_of(LimitedDomainLaplace(3, 0.5, 1e-6, 2))
    extra = changed(text, '"k": 3', '"k": 3, "__class__": "x", "card": {}')
    assert read_record(extra).mechanism == LimitedDomainLaplace(3, 0.5, 1e-6, 2)


@given(st.binary(max_size=300))
def test_any_bytes_give_a_result_or_one_sentence(content):
    for read in (read_published_list, read_record):
        said = ""
        try:
            read(content)
        except PublishedFileError as error:
            said = str(error)
        assert "\n" not in said


def test_the_settings_are_one_line_of_json_in_a_valid_record():
    notes = yaml.safe_load(record_of(Joint(3, 1.0)))["deployment"]["administrative"]["notes"]
    settings = {"mechanism": "Joint", "k": 3, "epsilon": 1.0, "neighbors": "add-remove"}
    assert json.loads(notes.partition("Settings: ")[2]) == settings | {"items": 12}
