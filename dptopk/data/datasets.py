"""Bundled real count data, with their provenance.

The files are in ``sample_data``, which a wheel carries inside the package and a
clone keeps beside it; their provenance and licences are in its provenance.toml, which
is read here, and by the documentation.

Limits: a licence marked "not read here" is what the host page is generally
reported to say; check it before publishing.  Only `DatasetInfo.distinct_users`
sets are counts of people for certain: elsewhere reading the published count as a
number of distinct users follows Gillenwater, Joseph, Munoz Medina and Ribero, "A
Joint Exponential Mechanism for Differentially Private Top-k" (ICML 2022).
"""

import csv
import gzip
import hashlib
import io
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from dptopk.core import validation
from dptopk.core.counts import ItemCounts

_MEND = "install dptopk again, or restore the folder sample_data"


@dataclass(frozen=True, kw_only=True)
class DatasetInfo:
    """Description and provenance of a bundled data set."""

    name: str
    title: str
    file: str
    sha256: str
    item_noun: str
    count_noun: str
    description: str
    distinct_users: bool  # whether it is certain that one user changes a count by at most 1
    sensitivity: str  # says so in a sentence
    paper: str  # whether the paper used this set
    original: str
    copy: str
    citation: str
    license: str  # what is known of it in words
    spdx: str  # the licence as an SPDX expression
    url: str
    derivation: str  # what was done to the copy of the original
    doi: str = ""
    checks: str = ""
    note: str = ""
    repeats: str = ""  # what shows that one user counts more than once, against any promise for one

    @property
    def source(self) -> str:
        """One sentence on the original and the copy that was taken."""
        return f"{self.original}; copy from {self.copy}."


def dataset_names() -> tuple[str, ...]:
    """Return the names of the bundled data sets, those of the paper first.

    Examples
    --------
    >>> from dptopk import dataset_names
    >>> "games" in dataset_names()
    True
    """
    return tuple(_read_provenance()[1])


def dataset_info(name: str) -> DatasetInfo:
    """Return the description of a bundled data set, by one of `dataset_names`."""
    return _read_provenance()[1][validation.choice("name", name, dataset_names())]


def load_dataset(name: str) -> ItemCounts:
    """Load the counts of the bundled data set ``name``, largest first.

    Parameters
    ----------
    name : str
        One of `dataset_names`.

    Returns
    -------
    ItemCounts
        Named ``name``; the same object at every call, as it is immutable.

    Raises
    ------
    TypeError, ValueError
        If ``name`` is not one of `dataset_names`.
    FileNotFoundError
        If the data files were not installed with the package.
    OSError
        If the data file cannot be read, or is not the one that was bundled.

    Examples
    --------
    >>> from dptopk import load_dataset
    >>> games = load_dataset("games")
    >>> games.d
    5155
    >>> games.head(1).names([0])
    ['Dota 2']
    """
    return _load(dataset_info(name))


def provenance() -> dict[str, Any]:
    """Return the content of the provenance file: its ``about`` and its list of ``dataset``."""
    return _read_provenance()[0]


@cache
def _read_provenance() -> tuple[dict[str, Any], dict[str, DatasetInfo]]:
    file = _data_file("provenance.toml")
    try:
        entries = tomllib.loads(file.read_text(encoding="utf-8"))
        return entries, {entry["name"]: DatasetInfo(**entry) for entry in entries["dataset"]}
    except (KeyError, TypeError, ValueError) as error:  # something lacks, or it is no TOML
        raise _damaged(file.name) from error


@cache
def _load(info: DatasetInfo) -> ItemCounts:
    """Read a bundled ``item,count`` file without further checks."""
    data = _data_file(info.file).read_bytes()
    if hashlib.sha256(data).hexdigest() != info.sha256:
        raise _damaged(info.file)
    if info.file.endswith(".gz"):
        data = gzip.decompress(data)
    rows = csv.reader(io.StringIO(data.decode("utf-8"), newline=""))
    next(rows)
    items, counts = [], []
    for item, count in rows:  # two lists: keeping every row alive takes three times as long
        items.append(item)
        counts.append(int(count))
    return ItemCounts(np.array(counts, dtype=np.int64), items, info.name)


def _damaged(file: str) -> OSError:
    return OSError(f"the bundled data file {file} has been changed: {_MEND}")


def data_folder() -> Path:
    """Return the folder of the data files and their provenance."""
    return _data_file("provenance.toml").parent


def _data_file(file: str) -> Path:
    """Return the path of a data file, inside an installed package or beside it in a clone."""
    package = Path(__file__).parents[1]
    places = [package / "sample_data" / file, package.parent / "sample_data" / file]
    for place in places:
        if place.is_file():
            return place
    raise FileNotFoundError(
        f"the bundled data file {file} is neither at {places[0]} nor at {places[1]}: {_MEND}"
    )
