"""Bundled real count data: what each set is, and how to load it.

The files are in ``sample_data``, which a wheel carries inside the package and a
clone keeps beside it; their provenance and licences are in its README.md.  Vectors
for the classroom and synthetic shapes come from `dptopk.synthetic` and can be
imported from here too.

Limits: a licence marked "not read here" is what the host page is generally
reported to say; check it before publishing.  Only `DatasetInfo.distinct_users`
sets are counts of people for certain: elsewhere reading the published count as a
number of distinct users follows Gillenwater, Joseph, Munoz Medina and Ribero, "A
Joint Exponential Mechanism for Differentially Private Top-k" (ICML 2022).
"""

import csv
import gzip
import io
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from dptopk import _validate
from dptopk.counts import ItemCounts
from dptopk.synthetic import (
    CLASSROOM_VECTORS,
    SYNTHETIC_SHAPES,
    ClassroomVector,
    SyntheticParameter,
    SyntheticShape,
    classroom_names,
    classroom_vector,
    synthetic,
)

__all__ = [
    "CLASSROOM_VECTORS",
    "SYNTHETIC_SHAPES",
    "ClassroomVector",
    "DatasetInfo",
    "SyntheticParameter",
    "SyntheticShape",
    "classroom_names",
    "classroom_vector",
    "dataset_info",
    "dataset_names",
    "load_dataset",
    "synthetic",
]

_ONE_PER_USER = (
    "Each count is a number of distinct users, so one user changes a count by at most 1."
)
_AGGREGATE = (
    "Each count is a total published by the site; reading it as a number of distinct users, "
    "so that one user changes a count by at most 1, is an assumption"
)


@dataclass(frozen=True)
class DatasetInfo:
    """What a bundled data set holds and where it comes from.

    ``distinct_users`` is True where every count is for certain a number of distinct
    users, so that one user changes a count by at most 1; ``sensitivity`` says so in a
    sentence.  ``note`` is empty where there is nothing to add.  ``doi`` may be empty.
    """

    name: str
    title: str
    file: str
    item_noun: str
    count_noun: str
    description: str
    distinct_users: bool
    sensitivity: str
    source: str
    citation: str
    license: str
    url: str
    doi: str = ""
    note: str = ""


_DATASETS = (
    DatasetInfo(
        name="books",
        title="Books (Goodreads)",
        file="books.csv",
        item_noun="book",
        count_noun="ratings",
        description="Number of ratings of each of 11,123 book editions on Goodreads.",
        distinct_users=False,
        sensitivity=f"{_AGGREGATE} the paper makes.",
        source="Kaggle jealousleopard/goodreadsbooks, books.csv (Goodreads API), column "
        "ratings_count; copy from GitHub pranav0920/goodreads-books-data-analysis, commit 2c812c7.",
        citation="Kaggle data set jealousleopard/goodreadsbooks (Goodreads API).",
        license="CC0 public domain, as reported for the host page, not read here; the repository "
        "of the copy states no licence.",
        url="https://github.com/pranav0920/goodreads-books-data-analysis",
        note="The paper's Books data.  80 editions have count 0; titles with several editions "
        "carry the edition's id in brackets.",
    ),
    DatasetInfo(
        name="games",
        title="Games (Steam)",
        file="games.csv",
        item_noun="game",
        count_noun="purchases",
        description="Number of purchases of each of 5,155 games by Steam users.",
        distinct_users=False,
        sensitivity="Each count is a number of purchase rows, as in the paper; 707 rows repeat a "
        "user and game, so for a few games one user counts more than once.",
        source="Kaggle tamber/steam-video-games, steam-200k.csv, rows whose behaviour is purchase; "
        "copy from GitHub thuan1412/auto-encoder-for-recsys, commit ab72cf3.",
        citation="Kaggle data set tamber/steam-video-games (Steam user behaviour).",
        license="Open Database License with Database Contents License (ODbL / DbCL), as reported "
        "for the host page, not read here; the repository of the copy states no licence.",
        url="https://github.com/thuan1412/auto-encoder-for-recsys",
        note="The paper's Games data.  A large gap at the top, then many small gaps and ties.",
    ),
    DatasetInfo(
        name="news",
        title="News (Mashable)",
        file="news.csv.gz",
        item_noun="article",
        count_noun="shares",
        description="Number of shares of each of 39,644 Mashable news articles.",
        distinct_users=False,
        sensitivity=f"{_AGGREGATE} the paper makes.",
        source="UCI Machine Learning Repository, Online News Popularity, column shares; copy from "
        "GitHub WoonYong-Codex/Machine-Learning, commit 2ee0c19.",
        citation="Fernandes, Vinagre, Cortez and Sernadela (2015), Online News Popularity, UCI "
        "Machine Learning Repository, doi:10.24432/C5NS3V.",
        license="CC BY 4.0 (UCI), as reported for the host page, not read here.",
        url="https://doi.org/10.24432/C5NS3V",
        doi="10.24432/C5NS3V",
        note="The paper's News data.  14,224 articles carry date and slug, the others their row "
        "number; counts above about 1,000 are rounded to hundreds, so ties are very common.",
    ),
    DatasetInfo(
        name="movies_small",
        title="Movies (MovieLens small)",
        file="movies_small.csv",
        item_noun="movie",
        count_noun="ratings",
        description="Number of users, of 610, who rated each of 9,724 movies on MovieLens.",
        distinct_users=True,
        sensitivity=_ONE_PER_USER,
        source="MovieLens ml-latest-small, generated 2018-09-26 (GroupLens); copy from GitHub "
        "davidylam/MLDev, commit 4e68cf3.",
        citation="Harper and Konstan (2015), doi:10.1145/2827872.",
        license="MovieLens licence, read in the README.txt of the copy: research use; no implied "
        "endorsement; acknowledge in publications; redistribution, including transformations, "
        "under these same conditions; no commercial use without permission.",
        url="https://github.com/davidylam/MLDev",
        doi="10.1145/2827872",
        note="Not the paper's Movies data, which has more than 62,000 movies: a smaller MovieLens "
        "release stands in.  The first ten gaps are all 28 or less.",
    ),
    DatasetInfo(
        name="tweets_538",
        title="Tweets (FiveThirtyEight)",
        file="tweets_538.csv",
        item_noun="tweet",
        count_noun="likes",
        description="Number of likes of each of 6,439 tweets of @BarackObama and @realDonaldTrump.",
        distinct_users=False,
        sensitivity=f"{_AGGREGATE} the paper makes for its own tweets.",
        source='FiveThirtyEight, story "The Worst Tweeter In Politics Isn\'t Trump" (October '
        "2017); from GitHub fivethirtyeight/data, twitter-ratio, commit fcf572c.",
        citation='FiveThirtyEight, "The Worst Tweeter In Politics Isn\'t Trump" (October 2017).',
        license="CC BY 4.0, read in the LICENSE of the repository.",
        url="https://github.com/fivethirtyeight/data",
        note="Not the paper's Tweets data (52,542 tweets, Harvard Dataverse "
        "doi:10.7910/DVN/JBXKFD), which was not found: a substitute.  One huge first gap makes it "
        "easy.",
    ),
    DatasetInfo(
        name="goodbooks10k",
        title="Books (goodbooks-10k)",
        file="goodbooks10k.csv",
        item_noun="book",
        count_noun="ratings",
        description="Number of ratings of each of 10,000 books on Goodreads.",
        distinct_users=False,
        sensitivity=f"{_AGGREGATE}.",
        source="goodbooks-10k (Goodreads, 2017), books.csv, column ratings_count; from GitHub "
        "zygmuntz/goodbooks-10k, commit 6dd165b.",
        citation="goodbooks-10k (2017), github.com/zygmuntz/goodbooks-10k.",
        license="CC BY-SA 4.0, read in the LICENSE of the repository.",
        url="https://github.com/zygmuntz/goodbooks-10k",
        note="Not in the paper.  Very large gaps among the first items.",
    ),
    DatasetInfo(
        name="anime_watched",
        title="Anime (MyAnimeList sample)",
        file="anime_watched.csv",
        item_noun="anime title",
        count_noun="users",
        description="Number of users, of a sample of 5,000, with each of 7,390 anime titles in "
        "their history.",
        distinct_users=True,
        sensitivity=_ONE_PER_USER,
        source="Kaggle CooperUnion/anime-recommendations-database (myanimelist.net), a random "
        "sample of 5,000 users drawn by Arthur Fortes; from GitHub "
        "caserec/Datasets-for-Recommender-Systems, commit 4180b4d.",
        citation="Sample by Arthur Fortes (CaseRecommender), "
        "github.com/caserec/Datasets-for-Recommender-Systems; the repository asks to be cited.",
        license="CC0 for the Kaggle original, as reported for the host page, not read here; the "
        "README with the sample gives no further terms.",
        url="https://github.com/caserec/Datasets-for-Recommender-Systems",
        note="Not in the paper.  The fourth gap is 1, the others are moderate.",
    ),
)
_BY_NAME = {info.name: info for info in _DATASETS}


def dataset_names() -> tuple[str, ...]:
    """Names of the bundled data sets, those of the paper first."""
    return tuple(_BY_NAME)


def dataset_info(name: str) -> DatasetInfo:
    """Tell what the bundled data set ``name`` holds and where it comes from.

    Raises
    ------
    TypeError, ValueError
        If ``name`` is not one of `dataset_names`.
    """
    return _BY_NAME[_validate.choice("name", name, dataset_names())]


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
    """
    return _load(dataset_info(name))


@lru_cache(maxsize=len(_DATASETS))
def _load(info: DatasetInfo) -> ItemCounts:
    """Read an ``item,count`` file; the files are ours, so nothing is checked but the counts."""
    data = _data_file(info.file).read_bytes()
    if info.file.endswith(".gz"):
        data = gzip.decompress(data)
    rows = csv.reader(io.StringIO(data.decode("utf-8"), newline=""))
    next(rows)
    items, counts = [], []
    for item, count in rows:  # two lists: keeping every row alive takes three times as long
        items.append(item)
        counts.append(int(count))
    return ItemCounts(np.array(counts, dtype=np.int64), items, info.name)


def _data_file(file: str) -> Path:
    """Where a data file is: inside an installed package, or beside it in a clone."""
    package = Path(__file__).parent
    places = [package / "sample_data" / file, package.parent / "sample_data" / file]
    for place in places:
        if place.is_file():
            return place
    raise FileNotFoundError(
        f"the bundled data file {file} is neither at {places[0]} nor at {places[1]}: "
        "install dptopk again, or restore the folder sample_data"
    )
