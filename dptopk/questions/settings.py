"""Declare the settings that determine results: their keys, labels, limits and help texts.

Those that only decide how a page shows it are beside its presenter; those of a mechanism on its
card, those of some data beside them in `sources`.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

from dptopk.core.errors import ITEMS_RIGHT, MEASURES, METRICS, USUAL
from dptopk.core.papers import GILLENWATER_2022
from dptopk.core.parameters import Choice, Flag, Ladder, Number, Parameter, Several, Text
from dptopk.core.privacy import NeighborRelation
from dptopk.data.datasets import dataset_info, dataset_names
from dptopk.mechanisms import MECHANISMS, Mechanism
from dptopk.mechanisms.approximate import MOST_RELEASES
from dptopk.mechanisms.pitfalls import PITFALLS
from dptopk.mechanisms.selections import fits

MAX_K = 200
_KINDS = (Choice, Flag, Ladder, Number, Several, Text)

OTHER_NAMES = {
    "dataset": "data",
    "source": "data",
    "eps": "epsilon",
    "relation": "neighbors",
    "algorithm": "mechanisms",
    "trials": "runs",
    "n": "runs",
}
"""Keys of settings by what they are called elsewhere."""

K = Number("k", "k, items to release", 1, MAX_K, 10)

NEIGHBORS = Choice(
    "neighbors",
    "Neighbours: data sets in which",
    {
        NeighborRelation.ADD_REMOVE.value: "one user joins or leaves",
        NeighborRelation.SWAP.value: "one user is replaced",
    },
    NeighborRelation.ADD_REMOVE.value,
)


def similar(key: str, known: Collection[str]) -> str:
    """Return the known key that is meant by another one, or nothing."""
    other = OTHER_NAMES.get(key.lower(), "")
    return (
        other if other in known else next(iter(get_close_matches(key.lower(), known, 1, 0.7)), "")
    )


def change(neighbors: str, one: str = "") -> str:
    """Describe how neighboring data sets differ.

    ``one`` is what a promise protects on the data where that is no user; see `Source.protects`.
    """
    words = NEIGHBORS.options[neighbors]
    return words.replace("user", one) if one else words


def protecting(parameter: Ladder, one: str) -> Ladder:
    """Return the parameter ε or δ with help that names the privacy unit, if that is no user."""
    if not one:
        return parameter
    words = parameter.help.replace("One user", f"One {one}")
    begins, takes, _ = words.partition("It should be far below 1 /")
    return replace(parameter, help=f"{begins}{takes} the total of the counts." if takes else words)


RUNS = Number("runs", "Runs of each mechanism", 1, 10_000, 250)
RUNS_OFFERED = (50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000)

SEED = Number(
    "seed",
    "Seed",
    0,
    2**31 - 1,
    0,
    help="The same seed and settings give the same draws, here and in Python.",
)

USERS = Number(
    "users",
    "Number of users, if known",
    1,
    10**12,
    None,
    help=(
        "Number of people in the data, which determines how small δ must be. The counts show only "
        "that it is at least the largest count, if one user counts once for an item."
    ),
    empty="not given",
)

NEEDED, NOT_NEEDED = "needed", "any"
ORDER = Choice(
    "order",
    "Order needed?",
    {NEEDED: "yes", NOT_NEEDED: "no, a set"},
    NEEDED,
    "Must the order of the items by count be known? If not, mechanisms that give an order are "
    "offered too, since the order can be ignored.",
)
ALLOWED, FORBIDDEN = "allowed", "none"
EXTRA = Choice(
    "extra",
    "δ allowed?",
    {ALLOWED: "yes", FORBIDDEN: "no"},
    ALLOWED,
    "May δ be above 0? It is the extra probability that any set of outcomes may have beyond "
    "e^ε times.",
)
ALL_KNOWN, NOT_KNOWN = "known", "unknown"
LISTED = Choice(
    "listed",
    "Items known?",
    {ALL_KNOWN: "yes", NOT_KNOWN: "no"},
    ALL_KNOWN,
    "Is there a list of all possible items that was fixed without looking at the data, such as a "
    "catalogue? There is none for search terms or addresses that people type.",
)

PRESENT = Number("present", "Figure presented; 0 is the page", 0, 20, 0)

HIDDEN_ANSWER, REVEALED_ANSWER = "hidden", "revealed"
ANSWER = Choice(
    "answer",
    "Answers",
    {
        "shown": "shown",
        HIDDEN_ANSWER: "hidden until revealed",
        REVEALED_ANSWER: "hidden, and this one revealed",
    },
    "shown",
)
PREDICTION = Text("prediction", "Your prediction", "", 200)

DECK = Text("deck", "Deck", "", 6_000)
SLIDE = Number("slide", "Slide of the deck; 0 is none", 0, 40, 0)

METRIC = Choice(
    "metric", "What is measured", {key: metric.title for key, metric in METRICS.items()}, USUAL.key
)

LOGARITHMIC = Flag("log", "Log axis", True)

AGAINST = Choice(
    "against",
    "Against",
    {
        "k": "k to 100",
        "paper": "k as in the paper",
        "k45": "k to 45",
        "epsilon": "ε",
        "k_bar": "items read",
    },
    "k",
    f"The paper is {GILLENWATER_2022.at('Figure 1').link}: k = 5, 15, …, 195; its Figure 7 "
    "ends at 45. Items read: for mechanisms that read only the largest counts.",
)
MAP_KS = Choice(
    "map_ks",
    "k of the map",
    {"k": "to 100", "paper": "as in the paper"},
    "k",
    f"The paper is {GILLENWATER_2022.at('Figure 1').link}: k = 5, 15, …, 195.",
)
MEASURE = Choice(
    "measure",
    "Best by",
    {key: METRICS[key].title if key in METRICS else "exact set" for key in MEASURES},
    USUAL.key,
)
ALL, SEQUENCES, SETS = "all", "sequences", "sets"
RANKED = Choice(
    "ranked",
    "Ranked",
    {ALL: "all together", SEQUENCES: "sequences only", SETS: "sets only"},
    ALL,
    (
        "A set has no errors of order: by a measure that depends on the order, sets are ranked "
        "separately."
    ),
)
RUNS_A_POINT = Number("runs_a_point", "Runs at each point", 1, 1_000, 50)

GOAL = Choice(
    "goal",
    "What must be right",
    {
        "exact_set": "the items",
        "exact_sequence": "the items in order",
        ITEMS_RIGHT.key: "at least this many items",
        "error": "the error: at most this large",
        "error_share": "the error: at most a share of the last count",
        "score": "a score: at least this high",
    },
    "exact_set",
)
LEAST = Number("least", "At least", 1, MAX_K, 9)
MOST = Number("most", "At most", 0, 10**9, 10)
MOST_SHARE = Number(
    "most_share",
    "At most, in % of count k",
    0,
    100,
    5.0,
    integer=False,
    help="Of the smallest count that belongs to the true top k, rounded down to a whole number.",
)
_SCORES = [metric.allowed(MAX_K) for metric in METRICS.values() if metric.is_scored]
LEAST_SCORE = Number(
    "least_score",
    "At least",
    min(low for low, _ in _SCORES),
    max(high for _, high in _SCORES),
    0.9,
    integer=False,
)
CHANCE = Ladder(
    "chance",
    "With probability",
    (0.5, 0.8, 0.9, 0.95, 0.99, 0.999),
    0.95,
    "chance",
    "The probability with which one release must reach the target.",
)

RELEASES = Number(
    "releases",
    "How many such releases?",
    1,
    MOST_RELEASES,
    1,
    help="Releases of the same kind about the same people, such as 52 for one a week. ε is that "
    "of each release; the total is composed from the declared cost of each mechanism, at the "
    "δ of all pages for all releases, and determines which mechanism is cheapest.",
)
OF_EACH, OF_ALL = "each", "all"
TOGETHER = Choice(
    "together",
    "Probability of",
    {OF_EACH: "each release", OF_ALL: "all releases together"},
    OF_EACH,
    "If each of 52 releases is right with probability 95%, all are right with 6.9%; for all to be "
    "right with 95%, each must be right with 99.9%.",
)
TOTAL_EPSILON = Number(
    "total_epsilon",
    "ε of all together, if given",
    1e-3,
    1_000,
    None,
    integer=False,
    help="The reverse: the ε of each release within a given total, and the probability that it is "
    "right. Only for several releases.",
    empty="not given",
)

ALONE, OVER_K, OVER_DELTA = "given", "k", "delta"
ACROSS = Choice(
    "across",
    "Asked at",
    {
        ALONE: "the chosen k and δ",
        OVER_K: "k = 5, 10, 20 and 50",
        OVER_DELTA: "δ from 1e-12 to 1e-3, of the mechanisms that have one",
    },
    ALONE,
)

STAND_IN, NO_STAND_IN, ZIPF_STAND_IN, FILE_STAND_IN = "stand_in", "none", "zipf", "upload"

SMALL_TYPED, SMALL_TOP, SMALL_ALL = "typed", "top", "all"
SMALL = Choice(
    "small",
    "Counts from",
    {SMALL_TYPED: "a small vector", SMALL_TOP: "the top of the data", SMALL_ALL: "all of the data"},
    SMALL_TYPED,
)
VECTOR = Text("vector", "Counts (edit them)", "10, 5, 1, 1", 400)
N_ITEMS = Number("small_items", "Items", 2, 10, 5)
SMALL_K = Number("small_k", "k here", 1, 5, 2)

PLACES, MOST_PLACES = "places", 1_000


def places(k: int = 0) -> Number:
    """Return the setting for the number of places whose gap is shown."""
    default = places_shown(k) if k else None
    empty = "50, or 2 k where that is more"
    return Number(PLACES, "Places shown", 2, MOST_PLACES, default, empty=empty)


def places_shown(k: int) -> int:
    """Return the default number of places shown."""
    return min(MOST_PLACES, max(2 * k, 50))


TUNED_PUBLIC = Flag(
    "tuned_public",
    "Settings chosen on public data",
    False,
    help=(
        "Whether mechanism, k and ε were chosen without these counts. The report, the record and "
        "the checklist state this."
    ),
)

AS_PROMISED = "right"
RUN = Choice(
    "run",
    "What is run",
    {AS_PROMISED: "the mechanisms as promised"} | {key: p.title for key, p in PITFALLS.items()},
    AS_PROMISED,
)

DRAWS = Number("draws", "Draws to compare", 0, 100_000, 10_000)

_SEVERAL = range(2, MOST_RELEASES + 1)
READ_AT: dict[str, tuple[str, Collection[Any]]] = {
    LEAST.key: (GOAL.key, (ITEMS_RIGHT.key,)),
    MOST.key: (GOAL.key, ("error",)),
    MOST_SHARE.key: (GOAL.key, ("error_share",)),
    LEAST_SCORE.key: (GOAL.key, ("score",)),
    METRIC.key: (GOAL.key, ("error", "error_share", "score")),
    TOGETHER.key: (RELEASES.key, _SEVERAL),
    TOTAL_EPSILON.key: (RELEASES.key, _SEVERAL),
    VECTOR.key: (SMALL.key, (SMALL_TYPED,)),
    N_ITEMS.key: (SMALL.key, (SMALL_TOP,)),
}
"""By key of a setting that is read at some values of another alone, where there is that: its key,
and those."""


def named(keys: Collection[str]) -> tuple[Any, ...]:
    """Return the settings of a question by their keys."""
    known = {one.key: one for one in globals().values() if isinstance(one, _KINDS)}
    known |= {STAND_IN: stand_in(), PLACES: places()}
    if unknown := [key for key in keys if key not in known]:
        raise LookupError(
            f"no setting has the key {unknown[0]!r}: declare it in dptopk/questions/settings.py, "
            "or, if a function makes it, enter it in `named` there"
        )
    return tuple(known[key] for key in keys)


def stand_in() -> Choice:
    """Return the setting for public data on which the same is computed."""
    names = {name: dataset_info(name).title for name in dataset_names()}
    made = {
        NO_STAND_IN: "nothing",
        FILE_STAND_IN: "a public file",
        ZIPF_STAND_IN: "a synthetic distribution",
    }
    return Choice(
        STAND_IN,
        "Beside your data",
        made | names,
        NO_STAND_IN,
        "The same question for other counts, so that ε can be chosen without looking at yours: a "
        "public file, a bundled data set, or a synthetic distribution, which uses three numbers "
        "of your data (number of items, largest count, total).",
    )


def mechanism() -> Choice:
    """Return the setting for the mechanism to explain."""
    names = {mechanism.card.key: mechanism.card.name for mechanism in MECHANISMS.values()}
    return Choice("mechanism", "Mechanism", names, next(iter(names)))


def any_mechanism() -> Choice:
    """Return the setting for the mechanism that a page explains; `ALL` is a card of each."""
    one = mechanism()
    return Choice(one.key, one.label, {ALL: "all", **one.options}, one.default)


def of_mechanisms(
    mechanisms: Iterable[Mechanism | type[Mechanism]] | None = None,
) -> dict[str, Parameter]:
    """Return the parameters beyond k, epsilon and neighbors by key, of all registered if None."""
    every = MECHANISMS.values() if mechanisms is None else mechanisms
    return {one.key: one for mechanism in every for one in mechanism.card.parameters}


def mechanisms() -> Several:
    """Return the setting for the mechanisms to run, of all registered now."""
    cards = [mechanism.card for mechanism in MECHANISMS.values()]
    return Several(
        "mechanisms",
        "Mechanisms",
        {card.key: card.name for card in cards},
        tuple(card.key for card in cards if card.featured),
        help="  \n".join(f"**{card.name}**: {card.summary}" for card in cards),
    )


def largest_k(d: int, keys: Sequence[str]) -> int:
    """Return the largest k for d items: d, or any if no chosen mechanism needs a list of items.

    ``keys`` are those of the mechanisms' cards.
    """
    chosen = [mechanism for mechanism in MECHANISMS.values() if mechanism.card.key in keys]
    any_k = bool(chosen) and all(mechanism.open_domain for mechanism in chosen)
    return MAX_K if any_k else min(d, MAX_K)


def fitting(order: str, extra: str, listed: str) -> tuple[str, ...]:
    """Return keys of the mechanisms that fit the answers to ``ORDER``, ``EXTRA`` and ``LISTED``."""
    return tuple(
        mechanism.card.key
        for mechanism in MECHANISMS.values()
        if fits(
            mechanism, ordered=order == NEEDED, delta=extra == ALLOWED, known=listed == ALL_KNOWN
        )
    )


OF_USERS, OF_UNLISTED, OF_SERIES = "bound", "unlisted", "series"
PART = Choice(
    "part",
    "Question",
    {OF_USERS: "Items per user", OF_UNLISTED: "Unlisted items", OF_SERIES: "Repeated lists"},
    OF_USERS,
)
PERIOD = Choice(
    "period",
    "One list per",
    {"day": "day", "week": "week", "month": "month", "quarter": "quarter"},
    "week",
    "Number of releases in a year: 365, 52, 12 or 4. (A year touches 53 weeks, the first and last "
    "of them incomplete. A leap year has 366 days, and some years have 53 Mondays: one more "
    "release.)",
)
ITEMS_PER_USER = Number(
    "items_per_user",
    "Items per user (ℓ0 bound)",
    1,
    10**9,
    None,
    help=(
        "Each user keeps at most this many items, chosen by a hash, before users are counted. A "
        "smaller bound needs less noise and a lower threshold, but removes counts."
    ),
    empty="the best",
)
