"""The data behind the sidebar's choice.

A choice is one word: the name of a bundled data set, "classroom-NAME", "synthetic-SHAPE",
"typed" or "upload".  Uploaded counts stay in the session that uploaded them; everything else
a link can carry.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from dptopk.counts import ItemCounts
from dptopk.datasets import dataset_info, dataset_names, load_dataset
from dptopk.ingest import Contribution, IngestError, IngestResult, parse_typed
from dptopk.parameters import Choice, Number, Text
from dptopk.synthetic import (
    CLASSROOM_VECTORS,
    SYNTHETIC_SHAPES,
    SyntheticParameter,
    classroom_vector,
    synthetic,
)
from dptopk.ui import controls, keys
from dptopk.ui.formats import plain
from dptopk.ui.kept import Kept
from dptopk.ui.texts import ITEM_LIST

DEFAULT = "games"
TYPED = "typed"
UPLOAD = "upload"
_CLASSROOM = "classroom-"
_SYNTHETIC = "synthetic-"
_MAX_SYNTHETIC_ITEMS = 1_000_000
BYTES_AN_ITEM = 160  # of counts with their order and names, at most
_SYNTHETIC_COUNTS: Kept[ItemCounts] = Kept(256 * 2**20)
_D = Number("d", "Number of items d", 1, _MAX_SYNTHETIC_ITEMS, 1_000)
_DATA_SEED = Number("data_seed", "Seed of the counts", 0, 2**31 - 1, 0)
_TYPED = Text(
    "typed",
    "Counts",
    "100, 90, 80, 70, 60, 50, 40, 30, 20, 10",
    1_500,
    help='Counts such as "100, 90, 80", or one item a line with its count last.',
)


@dataclass(frozen=True)
class Source:
    """Counts with what a page says of them."""

    counts: ItemCounts
    title: str
    description: str
    notes: tuple[str, ...]  # may quote strangers' text: show as plain text
    python: str  # the line that makes `counts`
    contribution: Contribution = Contribution.COUNTED  # how often one user may count for an item


@dataclass(frozen=True)
class Uploaded:
    """What was read from a file, and the code that reads it; nothing of the file itself."""

    result: IngestResult
    python: str


@dataclass(frozen=True)
class Missing:
    """No data, and why, in a sentence; it may quote strangers' text."""

    headline: str
    sentence: str
    upload: bool = False  # whether an upload would mend it


def choices() -> list[str]:
    """Every choice, in the order shown."""
    return [
        *_real_first(),
        *(_CLASSROOM + name for name in CLASSROOM_VECTORS),
        *(_SYNTHETIC + shape for shape in SYNTHETIC_SHAPES),
        TYPED,
        UPLOAD,
    ]


def choice_label(choice: str) -> str:
    """What the sidebar calls a choice."""
    if choice == TYPED:
        return "Type counts in"
    if choice == UPLOAD:
        return "Your file"
    if choice.startswith(_CLASSROOM):
        return f"Classroom: {CLASSROOM_VECTORS[choice.removeprefix(_CLASSROOM)].title}"
    if choice.startswith(_SYNTHETIC):
        return f"Synthetic: {SYNTHETIC_SHAPES[choice.removeprefix(_SYNTHETIC)].title}"
    try:
        return dataset_info(choice).title
    except OSError:  # nothing is known of bundled data: who chooses them is told why
        return choice


def data() -> Choice:
    """Which data are shown, as a setting."""
    return Choice(
        "data",
        "Data",
        {choice: choice_label(choice) for choice in choices()},
        DEFAULT,
        help="Real counts, vectors for the classroom, synthetic shapes, or your own.",
    )


def keys_of_data() -> frozenset[str]:
    """Keys of the settings that some data have, beside their choice."""
    shapes = SYNTHETIC_SHAPES.items()
    of_shapes = {_key_of(name, own) for name, shape in shapes for own in shape.parameters}
    return frozenset({_D.key, _DATA_SEED.key, _TYPED.key} | of_shapes)


def _key_of(shape: str, parameter: SyntheticParameter) -> str:
    return f"{shape}_{parameter.name}"


def chosen_source(upload: Callable[[], None]) -> Source | Missing:
    """Data controls of the sidebar, and the data they choose; ``upload`` opens the dialog."""
    choice = controls.choice(st, data(), look="select")
    if st.button("Upload your own counts", icon=":material/upload_file:", width="stretch"):
        upload()
    if choice.startswith(_CLASSROOM):
        return _classroom(choice.removeprefix(_CLASSROOM))
    if choice.startswith(_SYNTHETIC):
        return _synthetic(choice.removeprefix(_SYNTHETIC))
    if choice == TYPED:
        return _typed()
    if choice == UPLOAD:
        return _uploaded()
    return _bundled(choice)


def _real_first() -> list[str]:
    try:
        names = dataset_names()
    except OSError:
        names = ()
    return [DEFAULT, *(name for name in names if name != DEFAULT)]


def _bundled(name: str) -> Source | Missing:
    try:
        info, counts = dataset_info(name), load_dataset(name)
    except OSError as error:
        sentence = f"{error}. Other data can be chosen in the sidebar."
        return Missing("These data cannot be shown", sentence[0].upper() + sentence[1:])
    notes = [
        f"Source: {info.source}",
        f"Where: {f'https://doi.org/{info.doi}' if info.doi else info.url}",
        f"Citation: {info.citation}",
        f"Licence: {info.license}",
        f"Sensitivity: {info.sensitivity}",
        ITEM_LIST,
        *([f"Note: {info.note}"] if info.note else []),
    ]
    return Source(
        counts,
        info.title,
        info.description,
        tuple(notes),
        f'counts = load_dataset("{name}")',
        Contribution.COUNTED if info.distinct_users else Contribution.ASSUMED,
    )


def _classroom(name: str) -> Source:
    vector = CLASSROOM_VECTORS[name]
    return Source(
        classroom_vector(name),
        vector.title,
        vector.description + (f" From {vector.source.link}." if vector.source else ""),
        (),
        f'counts = classroom_vector("{name}")',
    )


def _synthetic(name: str) -> Source | Missing:
    shape = SYNTHETIC_SHAPES[name]
    d = controls.number(st, _D)
    values = {}
    for parameter in shape.parameters:
        setting = Number(
            _key_of(name, parameter),
            parameter.meaning.capitalize(),
            parameter.low,
            parameter.high,
            parameter.default,
            parameter.integer,
        )
        values[parameter.name] = controls.number(st, setting)
    if shape.random:
        values["seed"] = controls.number(st, _DATA_SEED)
    arguments = "".join(f", {key}={value!r}" for key, value in values.items())
    try:
        counts = _SYNTHETIC_COUNTS.get(
            (name, d, *values.items()), d * BYTES_AN_ITEM, lambda: synthetic(name, d, **values)
        )
    except ValueError as error:
        return Missing("These parameters do not go together", f"{error}.")
    return Source(
        counts,
        shape.title,
        shape.description,
        _clipped(d, values),
        f'counts = synthetic("{name}", {d}{arguments})',
    )


def _clipped(d: int, values: Mapping[str, Any]) -> tuple[str, ...]:
    """Say where a shape has more items on its plateau than there are."""
    n_high = values.get("n_high", 0)
    if n_high <= d:
        return ()
    sentence = f"{n_high:,} items on the high plateau are asked, there are {d:,}: all are on it."
    st.caption(sentence)
    return (sentence,)


def _typed() -> Source | Missing:
    text = controls.text(st, _TYPED, area=True)
    try:
        result = parse_typed(text)
    except IngestError as error:
        return Missing("These counts could not be read", str(error))
    given = result.counts
    names = f", items={list(given.items)!r}" if text_has_names(given) else ""
    return Source(
        given,
        "Typed counts",
        "Counts typed into the sidebar.",
        result.report.sentences,
        f"counts = ItemCounts({given.counts.tolist()}{names})",
    )


def text_has_names(counts: ItemCounts) -> bool:
    """Whether items have names of their own."""
    return counts.items != ItemCounts(counts.counts).items


def _uploaded() -> Source | Missing:
    uploaded: Uploaded | None = st.session_state.get(keys.UPLOADED)
    if uploaded is None:
        return Missing(
            "Your file is not in this session",
            "Reloading a page ends its session, and so does a link opened anew. Uploads are never "
            "stored, and a link cannot carry them: they live in the memory of one session and are "
            "gone with it. Upload the file again, or choose another data set in the sidebar.",
            upload=True,
        )
    counts, report = uploaded.result.counts, uploaded.result.report
    return Source(
        counts,
        plain(counts.name),
        "Counts you uploaded. They stay in this session and are in no link.",
        (*report.sentences, report.contribution.sentence, ITEM_LIST),
        uploaded.python,
        report.contribution,
    )
