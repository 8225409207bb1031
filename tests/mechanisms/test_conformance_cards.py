"""Test cards, parameters, stream keys and error messages of every mechanism."""

import dataclasses
import importlib
import math
import re

import numpy as np
import pytest
from dptopk_toys import TOYS
from ladder import CLASSES, SHORT_LIST, every_class, every_variant, one_variant_a_class

import dptopk
from dptopk import MECHANISMS, NOTHING, ItemCounts, NeighborRelation, SortedCounts
from dptopk.core import papers
from dptopk.core.parameters import Choice, Ladder, Number
from dptopk.mechanisms import Card, Group, Mechanism

ADD_REMOVE, SWAP = NeighborRelation
COUNTS = ItemCounts([5, 3, 1])


# --- registry and card -------------------------------------------------------------------


def test_a_mechanism_is_registered_by_one_line(toys):
    assert set(toys) < set(MECHANISMS.values())
    for name, cls in MECHANISMS.items():
        assert name == cls.name == cls.card.name


def test_registered_mechanisms_are_public():
    assert not set(TOYS) & set(MECHANISMS.values())
    for cls in MECHANISMS.values():
        assert getattr(dptopk, cls.__name__) is cls
        assert cls.__name__ in dptopk.__all__


@every_class
def test_the_card_is_complete(cls):
    card = cls.card
    assert isinstance(card, Card)
    assert card.key == cls.__name__
    assert getattr(importlib.import_module(cls.__module__), card.key) is cls
    assert card.summary.startswith(f"{card.name} ")
    assert card.summary.endswith(".")
    assert card.paper.url.startswith("https://")
    assert all((card.paper.citation, card.paper.place))
    assert card.paper.paper in vars(papers).values() or cls in TOYS
    assert "{users}" in card.scale
    assert not card.scale.endswith(".")
    assert cls.__doc__


@pytest.mark.parametrize("cls", [cls for cls in CLASSES if cls not in TOYS])
def test_its_docstring_names_every_parameter_where_that_is_described(cls):
    for field in dataclasses.fields(cls):
        assert re.search(rf"\b{field.name}\b", cls.__doc__)
        assert f"\n    {field.name} : " in cls.__doc__ + Mechanism.__doc__


@every_class
def test_the_card_explains_it_to_a_student(cls):
    told = cls.card.explanation
    assert len(told.does) == 4
    for sentence in told.does:
        assert sentence[-1] == "."
        assert sentence[0].isupper() or not sentence[0].isalpha() or sentence[0] == "ε"
    assert told.does[0].startswith(f"{cls.card.name} ")
    for words in (told.promise, told.good_for, told.not_for):
        assert words.endswith(".")
        assert words[0].isupper()
    assert told.sources
    for source in told.sources:
        assert source.url.startswith("https://")
        assert source.place


@every_class
def test_parameters_are_fields_and_stay_in_streams(cls):
    card, fields = cls.card, {field.name for field in dataclasses.fields(cls)}
    assert {parameter.key for parameter in card.parameters} <= fields
    assert {"k", "epsilon", "neighbors", *(p.key for p in card.parameters)} == fields
    assert set(card.stream) <= fields
    assert all(parameter.label for parameter in card.parameters)


@pytest.mark.parametrize("what", ["key", "name", "color"])
def test_no_two_cards_share(what):
    values = [getattr(cls.card if what != "color" else cls.card.style, what) for cls in CLASSES]
    assert len(set(values)) == len(values)


def test_styles_are_told_apart_without_colour():
    styles = [(s.dash, s.marker, s.hatch) for s in (cls.card.style for cls in CLASSES)]
    assert len(set(styles)) == len(styles)


def luminance(colour: str) -> float:
    """Relative luminance as WCAG 2.2 defines it."""
    shares = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    linear = np.where(shares <= 0.04045, shares / 12.92, ((shares + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


@every_class
def test_marks_can_be_seen_on_a_dark_page(cls):
    page = luminance("#171614")
    assert (luminance(cls.card.style.color) + 0.05) / (page + 0.05) >= 3


# --- stream keys -------------------------------------------------------------------------


@every_variant
def test_settings_give_the_mechanism_again(variant):
    mechanism = variant(3, 0.5, SWAP)
    assert type(mechanism).of_settings({"mechanism": "any"} | mechanism.settings) == mechanism


@every_variant
def test_a_field_added_later_changes_no_stream(variant):
    """A field with a default leaves all draws published before as they were."""

    @dataclasses.dataclass(frozen=True)
    class Later(variant.cls):
        added: float = 3.5

    mechanism = variant(2, 0.5, SWAP)
    values = {field.name: getattr(mechanism, field.name) for field in dataclasses.fields(mechanism)}
    assert Later(**values).stream_key == mechanism.stream_key
    assert Later(**values, added=1.0).stream_key != mechanism.stream_key


def another(parameter, value):
    """Some other value of a parameter."""
    offered = {
        Choice: lambda: parameter.options,
        Ladder: lambda: parameter.steps,
        Number: lambda: (parameter.low, parameter.high),
    }[type(parameter)]()
    return max(x for x in offered if x != value)


@every_variant
def test_every_parameter_has_its_own_stream(variant):
    mechanism = variant(2, 0.5)
    changes = [{"k": 3}, {"epsilon": 0.6}, {"neighbors": SWAP}] + [
        {parameter.key: another(parameter, getattr(mechanism, parameter.key))}
        for parameter in mechanism.card.parameters
    ]
    keys = [dataclasses.replace(mechanism, **change).stream_key for change in ({}, *changes)]
    assert len(set(keys)) == len(keys)
    assert all(key.startswith(f"{mechanism.card.key}(k=") for key in keys)


def test_streams_as_they_were_first_written():
    """What a key is, letter by letter: a change of it changes every draw."""
    assert dptopk.Joint(2, 1.0).stream_key == (
        "Joint(k=2, epsilon=1.0, neighbors=<NeighborRelation.ADD_REMOVE: 'add-remove'>)"
    )
    assert dptopk.CDPPeel(3, 0.5, 1e-6, SWAP).stream_key == (
        "CDPPeel(k=3, epsilon=0.5, delta=1e-06, "
        "neighbors=<NeighborRelation.SWAP: 'swap'>, calibration='paper')"
    )


# --- refusals ----------------------------------------------------------------------------

PARAMETERS = [
    ({"k": 0}, ValueError, r"k must be at least 1, got 0"),
    ({"k": 2.0}, TypeError, r"k must be an integer, got 2\.0"),
    ({"k": True}, TypeError, r"k must be an integer, got True"),
    ({"epsilon": 0}, ValueError, r"epsilon must be a number from 1e-9 to 1e12, got 0"),
    ({"epsilon": 9e-10}, ValueError, r"epsilon must be a number from 1e-9 to 1e12, got 9e-10"),
    ({"epsilon": 1e308}, ValueError, r"epsilon must be a number from 1e-9 to 1e12, got 1e\+308"),
    ({"epsilon": math.nan}, ValueError, r"epsilon must be a number from 1e-9 to 1e12, got nan"),
    ({"epsilon": "1"}, TypeError, r"epsilon must be a number, got '1'"),
    ({"epsilon": True}, TypeError, r"epsilon must be a number, got True"),
    ({"neighbors": "swapped"}, ValueError, r"neighbors must be one of .*'swap', got 'swapped'"),
    ({"neighbors": None}, TypeError, r"neighbors must be one of .*got None"),
]


@one_variant_a_class
def test_wrong_parameters(variant, not_refused):
    right = variant(2, 1.0)
    wrong = [((change,), error, f"^{message}") for change, error, message in PARAMETERS]
    assert not_refused(lambda change: dataclasses.replace(right, **change), wrong) == []


def wrong_values(parameter) -> list[tuple]:
    """Values that a parameter of this kind refuses, the error, and its words."""
    if isinstance(parameter, Choice):
        return [("-", ValueError, "must be one of '"), (3, TypeError, "must be a string, got 3")]
    beyond = [(1.0, "1"), (-1e-9, "-1e-09"), (math.nan, "nan")]
    if isinstance(parameter, Ladder) and parameter.rule == "probability":
        refused = [(value, ValueError, rf"be in \[0, 1\), got {text}") for value, text in beyond]
    elif isinstance(parameter, Ladder):
        refused = [(0.0, ValueError, "must be a number from 1e-9 to 1e12, got 0")]
    else:
        assert isinstance(parameter, Number)
        refused = [(parameter.low - 1, ValueError, "must be in"), (2.5, TypeError, "must be an i")]
        refused = refused[: 1 + parameter.integer]
    return [*refused, ("0", TypeError, "got '0'"), (False, TypeError, "must be an? .*got False")]


@pytest.mark.parametrize("variant", [v for v in SHORT_LIST if v.cls.card.parameters], ids=str)
def test_wrong_values_of_its_own_parameters(variant):
    mechanism = variant(2, 1.0)
    for parameter in mechanism.card.parameters:
        for value, error, message in wrong_values(parameter):
            with pytest.raises(error, match=f"^{parameter.key} .*{message}"):
                dataclasses.replace(mechanism, **{parameter.key: value})


CHOICES = [
    pytest.param(variant, parameter, id=f"{variant}-{parameter.key}")
    for variant in SHORT_LIST
    for parameter in variant.cls.card.parameters
    if isinstance(parameter, Choice)
]


@pytest.mark.parametrize(("variant", "parameter"), CHOICES)
def test_an_option_that_is_added_is_not_taken_for_another(variant, parameter, monkeypatch):
    monkeypatch.setitem(parameter.options, "added", "an option that no mechanism knows")
    with pytest.raises((KeyError, ValueError), match="added"):
        _ = dataclasses.replace(variant(2, 1.0), **{parameter.key: "added"}).scale


SAMPLES = [
    (([5, 3, 1], 1, None), TypeError, r"counts must be ItemCounts or SortedCounts, got list"),
    ((np.array([5, 3, 1]), 1, None), TypeError, r"counts must be .* wrap an array as ItemCounts"),
    ((COUNTS, -1, None), ValueError, r"n must be at least 0, got -1"),
    ((COUNTS, 1.0, None), TypeError, r"n must be an integer, got 1\.0"),
    ((COUNTS, True, None), TypeError, r"n must be an integer, got True"),
    ((COUNTS, 1, 0), TypeError, r"rng must be a numpy.random.Generator .*got 0"),
    ((COUNTS, 1, np.random), TypeError, r"rng must be a numpy.random.Generator"),
]


@one_variant_a_class
def test_wrong_arguments_of_sample(variant, rng, not_refused):
    wrong = [
        ((counts, n, rng if generator is None else generator), error, f"^{message}")
        for (counts, n, generator), error, message in SAMPLES
    ]
    for draw in (variant(2, 1.0).sample, variant(2, 1.0).released):
        assert not_refused(draw, wrong) == []


@one_variant_a_class
def test_fewer_than_k_items_are_refused_by_all_that_need_a_list_of_them(variant, rng):
    """A mechanism for unknown items never looks at how many there are."""
    mechanism = variant(2, 1.0)
    for counts in (ItemCounts([5]), SortedCounts([5], [1])):
        if mechanism.open_domain:
            every = mechanism.outputs.every(1, 2)
            assert every.tolist() == [[0, NOTHING], [NOTHING, NOTHING]]
            assert np.exp(mechanism.log_pmf(counts, every)).sum() == pytest.approx(1.0)
            assert mechanism.sample(counts, 3, rng).shape == (3, 2)
            continue
        for call, rest in (
            (mechanism.sample, (1, rng)),
            (mechanism.released, (1, rng)),
            (mechanism.log_pmf, ([[0, 0]],)),
        ):
            with pytest.raises(ValueError, match=r"^k must be in \[1, 1\] for 1 items, got 2"):
                call(counts, *rest)
    assert mechanism.open_domain <= (mechanism.card.group is Group.UNKNOWN)
    assert mechanism.open_domain != mechanism.guarantee.fixed_items


LOG_PMF = [
    (([5, 3, 1], [[0, 1]]), TypeError, r"counts must be ItemCounts or SortedCounts, got list"),
    ((COUNTS, [0, 1]), ValueError, r"{outputs} must have shape \(m, 2\), got \(2,\)"),
    ((COUNTS, [[0, 1, 2]]), ValueError, r"{outputs} must have shape \(m, 2\), got \(1, 3\)"),
    ((COUNTS, [[0, 3]]), ValueError, r"{outputs} must hold positions in \[0, 2\].*, got 3"),
    ((COUNTS, [[0, 1], [-1, 2]]), ValueError, r"{outputs} must hold (.* got -1|-1 at the end of)"),
    ((COUNTS, [[0.0, 1.0]]), TypeError, r"{outputs} must hold integer positions, got dtype"),
    ((COUNTS, [[True, False]]), TypeError, r"{outputs} must hold integer positions, got dtype"),
]


@one_variant_a_class
def test_wrong_arguments_of_log_pmf(variant, not_refused):
    outputs = variant.cls.outputs.plural
    wrong = [
        (arguments, error, "^" + message.replace("{outputs}", outputs))
        for arguments, error, message in LOG_PMF
    ]
    assert not_refused(variant(2, 1.0).log_pmf, wrong) == []


# --- values ------------------------------------------------------------------------------


@one_variant_a_class
def test_frozen_and_comparable(variant):
    mechanism = variant(2, 1.0)
    with pytest.raises(dataclasses.FrozenInstanceError):
        mechanism.epsilon = 2.0
    assert mechanism == dataclasses.replace(mechanism, epsilon=1)
    assert hash(mechanism) == hash(dataclasses.replace(mechanism, k=np.int32(2)))
    assert isinstance(dataclasses.replace(mechanism, k=np.int32(2)).k, int)
    assert mechanism != dataclasses.replace(mechanism, neighbors=SWAP)
    assert mechanism.label.startswith(mechanism.name)


@one_variant_a_class
def test_shape_and_kind_of_what_comes_back(variant, rng):
    mechanism = variant(2, 5.0)
    data = ItemCounts([500, 300, 1])
    samples = mechanism.sample(data, np.int64(7), rng)
    assert (samples.shape, samples.dtype) == ((7, 2), np.int64)
    assert samples.flags.c_contiguous
    log_p = mechanism.log_pmf(data, np.array([[0, 1]], dtype=np.uint8))
    assert (log_p.shape, log_p.dtype) == ((1,), np.float64)
    nothing = mechanism.sample(data, 0, rng)
    assert (nothing.shape, nothing.dtype) == ((0, 2), np.int64)
    assert mechanism.log_pmf(data, np.empty((0, 2), dtype=np.int64)).shape == (0,)


@one_variant_a_class
def test_positions_refer_to_the_counts_as_given(variant, rng):
    """Unsorted counts, a large epsilon: the top items' own positions come out."""
    samples = variant(2, 1e5).sample(ItemCounts([1, 90_000, 0, 50_000]), 20, rng)
    assert np.all(samples == [1, 3])
