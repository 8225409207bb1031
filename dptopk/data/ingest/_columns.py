"""Guess the columns of items, counts, users and times from the header and the cells.

Limits: the guesses look at the first 1,000 rows and at words of a few languages; they are
guesses, the caller can overrule each of them, and what no word names can be chosen as well.
"""

import itertools
import operator
import re
from collections.abc import Iterable, Sequence, Set as AbstractSet
from dataclasses import dataclass, replace
from typing import NamedTuple

from dptopk.data.ingest._error import NoTableError
from dptopk.data.ingest._numbers import is_suppressed
from dptopk.data.ingest._pieces import example_of_lists
from dptopk.data.ingest._plain import shown
from dptopk.data.ingest._tables import like_a_number, numeric_share
from dptopk.data.ingest._text_column import TextColumn
from dptopk.data.ingest._totals import says_total, total_columns
from dptopk.data.ingest._words import WORDS
from dptopk.data.ingest._yes_no import answers_in, says_yes_or_no

_FRACTION = re.compile(r"\d*[.,](?!0+$)(?:\d{1,2}|\d{4,})")  # 1900,0 is whole
_SIMPLE = re.compile(r"\d+(?:[.,]\d+)?")
_POSITIVE = re.compile("[1-9][0-9]*")
_YEAR = re.compile(r"(?:19|20)\d\d")
_TIME = re.compile(r"(?:19|20)\d\d(?:(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01]))?|1[0-9]{9}|1[0-9]{12}")
DATE = re.compile(r"\s*\d{1,4}([-./])\d{1,2}\1\d{1,4}(?!\d)")
_EVENT_TIME = re.compile(  # as `EventLog` reads a time
    r"\s*(?:(?:19|20)\d\d([-/])\d\d?\1\d\d?|\d\d?([-./])\d\d?\2(?:19|20)\d\d)"
    r"(?:[ T]\d\d?:\d\d(?::\d\d(?:\.\d+)?)?(?:Z| UTC| [AP]M| ?[+-]\d\d(?::?\d\d)?)?)?\s*"
)
_CLOCK = re.compile(r"\s*\d\d?:\d\d(?::\d\d(?:\.\d+)?)?\s*")
_EMAIL = re.compile(r"\s*[^\s@]+@[^\s@]+\.[^\s@]+\s*")
_CODE = re.compile(r"[0-9]+|[A-Za-z]{1,4}[-_ ]?[0-9]{3,}")
_FEW = 5  # rows that may be in order by chance
_LONGEST = 18  # digits of the number of a row
_LONG = 4  # characters that identifiers of equal length have at least
_CHOOSE = (
    "choose the column with a count for each item or, in a list of users and items, the column "
    "that names the users"
)


@dataclass(frozen=True)
class Guess:
    """Guessed positions of the columns of a table, None for no column."""

    item_column: int | None  # without one, the items are numbered
    count_column: int | None  # without one, a row says that a user has an item
    user_column: int | None = None
    alike: tuple[int, ...] = ()  # may as well hold the counts as the one that was guessed
    problem: str = ""  # why neither counts nor users were found, and what to choose
    identifiers: tuple[int, ...] = ()  # look like identifiers, so that they may name users
    totals: tuple[int, ...] = ()  # those of ``alike`` that are sums of others of them
    items: tuple[int, ...] = ()  # of a log, where several may hold the items
    yes_no: tuple[int, ...] = ()  # say only yes or no, as in 0 and 1
    time_column: int | None = None  # times of events, such as 2026-01-31T10:00


_ITEM_WORDS, _WEAK_ITEM_WORDS = WORDS["items"], WORDS["weak_items"]
_COUNT_WORDS, _USER_WORDS = WORDS["counts"], WORDS["users"]
_PEOPLE_WORDS = _USER_WORDS - WORDS["no_person"] | WORDS["people"] | WORDS["people_elsewhere"]
_TIME_WORDS, _PERIOD_WORDS = WORDS["times"], WORDS["periods"]
_NUMBERS = ("id", "nr", "nummer", "番号")  # ends of words for numbers of people
_LEVELS = 20  # different numbers that a rating has at most


def has_header(rows: list[list[str]]) -> bool:
    """Return whether the first row is a header: it has no number, or a word such as "item".

    Words that stand below in the same column again are no header, unless one of them is such a
    word as headers use, or nothing else but blanks stands there: a survey may say yes so.
    """
    if any(map(names_a_column, rows[0])) or any(_names_users(_words(cell)) for cell in rows[0]):
        return not any(map(like_a_number, rows[0])) or any(
            _words(cell) and _words(cell) <= _ITEM_WORDS for cell in rows[0]
        )
    if any(map(like_a_number, rows[0])):
        return _counts_of_pandas(rows)
    return not any(
        first.strip() and first in below and {*below} != {first, ""}
        for first, *below in zip(*rows, strict=True)
    )


def _counts_of_pandas(rows: list[list[str]]) -> bool:
    """Return whether 0 heads positive counts, as pandas calls them where they have no name.

    Not where they ascend: 0 may then be the first of them.
    """
    *names, first = rows[0]
    counts = [cells[-1] for cells in rows[1:]]
    unnamed = first == "0" and bool(names) and not any(map(like_a_number, names))
    return unnamed and all(map(_POSITIVE.fullmatch, counts)) and not _ascends(counts)


def names_a_column(cell: str) -> bool:
    """Return whether a cell consists of words that headers use for items or counts."""
    words = _words(cell)
    known = _ITEM_WORDS | _WEAK_ITEM_WORDS
    return bool(words) and (words <= known or counts_people(cell))


def counts_people(header: str) -> bool:
    """Return whether a header says that users are counted, each once, or only that it counts.

    Any other word may name what one user has several of: orders, cases, money.
    """
    words = _words(header)
    counted = words & (_COUNT_WORDS | WORDS["once"]) | {*filter(_are_people, words)}
    return bool(counted) and all(
        word in WORDS["counting"] or word.isdecimal() for word in words - counted
    )


def names_no_unit(header: str) -> bool:
    """Return whether a header says only that it counts, as count, n and frequency do."""
    words = _words(header)
    return bool(words) and words <= _COUNT_WORDS - {"users"}


def _are_people(word: str) -> bool:
    """Return whether a word names users, in the singular or in a plural of one or two letters."""
    return any(
        one[:end] in _PEOPLE_WORDS for one in _with_ids({word}) for end in (len(one), -1, -2)
    )


def may_name_users(header: str, names: Sequence[str], cells: Sequence[str]) -> bool:
    """Return whether numbers beside items that never repeat may be identifiers of users.

    Not in the order in which tables of counts are written: by count or by name.
    """
    numbers = [cell.strip() for cell in cells if cell.strip()]
    if not all(map(str.isdecimal, numbers)):
        return False
    alike = not counts_people(header) and _like_identifiers(tuple(numbers))
    if not alike and not _names_users(_words(header)):
        return False
    ordered = _ascends(numbers[::-1]) or all(map(operator.le, names, names[1:]))
    return not ordered or len(numbers) < _FEW


def is_time(cell: str) -> bool:
    """Return whether a cell is a date, a time of a day, or both."""
    return bool(_EVENT_TIME.fullmatch(cell) or _CLOCK.fullmatch(cell))


def _ascends(numbers: Sequence[str]) -> bool:
    """Return whether whole numbers, written in digits, never decrease."""
    by_size = [(len(number), number) for number in numbers]
    return all(map(operator.le, by_size, by_size[1:]))


def guess_columns(header: list[str] | None, rows: list[list[str]]) -> Guess:
    """Guess the columns of items, counts, users and times.

    One column alone, of words that do not repeat, is a `NoTableError`.
    """
    cells_of = list(zip(*rows, strict=True))
    labels: Sequence[str | None] = header or [None] * len(cells_of)
    columns = [_Column.of(label, cells) for label, cells in zip(labels, cells_of, strict=True)]
    user = next((c for c, column in enumerate(columns) if _names_users(column.words)), None)
    guess = None
    if user is not None and _are_counted(user, columns):
        columns[user] = columns[user]._replace(words=frozenset())
    elif user is not None and len(columns) > 1:
        guess = _guess_of_log(user, columns)
    if guess is None and header is None:
        guess = _guess_of_numbers(columns)
    if guess is None:
        guess = _guess_of_counts(columns)
    identifiers = tuple(
        c
        for c, column in enumerate(columns)
        if not column.words & (_TIME_WORDS | _COUNT_WORDS) and _like_identifiers(column.cells)
    )
    items = _possible_items(replace(guess, identifiers=identifiers), columns)
    in_total = len(rows) > 1 and any(map(says_total, rows[-1]))  # below the answers of a survey
    answers = [cells[:-1] if in_total else cells for cells in cells_of]
    yes_no = (*answers_in(dict(enumerate(map(TextColumn.of, answers))), labels),)
    if not any(says_yes_or_no(answers[c]) or len({*answers[c]}) > 1 for c in yes_no):
        yes_no = ()  # such as counts that are all 1
    others = [c for c in range(len(columns)) if c not in (guess.item_column, user)]
    time = _guess_of_time(others, columns)
    return replace(guess, identifiers=identifiers, items=items, yes_no=yes_no, time_column=time)


class _Column(NamedTuple):
    """Label of a column, if there is a header, its words, the cells, and their share of numbers."""

    label: str | None
    words: frozenset[str]
    cells: tuple[str, ...]
    share: float

    @classmethod
    def of(cls, label: str | None, cells: tuple[str, ...]) -> "_Column":
        """Return the column of a label and cells."""
        words = frozenset[str]() if label is None else _words(label)
        return cls(label, words, cells, numeric_share(c for c in cells if not is_suppressed(c)))


def _guess_of_numbers(columns: Sequence[_Column]) -> Guess | None:
    """Guess that numbers without a header are a log, where some recur: users first, then items."""
    if len(columns) < 3 or min(column.share for column in columns) < 0.5:
        return None
    different = [len(set(column.cells)) for column in columns]
    recurring = [c for c, n in enumerate(different) if 1 < n < 0.9 * len(columns[0].cells)]
    if 0 not in recurring or len(recurring) < 2:
        return None
    return Guess(max(recurring[1:], key=lambda c: (different[c], -c)), None, 0)


def _guess_of_time(candidates: Sequence[int], columns: Sequence[_Column]) -> int | None:
    """Guess the column with the times of events: dates that differ, best with a word for them."""
    scores = {}
    for c in candidates:
        words, filled = columns[c].words, [cell for cell in columns[c].cells if cell.strip()]
        if words & WORDS["no_events"] or len(set(filled)) < 2:
            continue
        if all(map(_EVENT_TIME.fullmatch, filled)):
            named = words & (_TIME_WORDS | _PERIOD_WORDS)
            scores[c] = 2 * bool(named) + bool(words & WORDS["events"])
    return max(scores, key=lambda c: (scores[c], -c), default=None)


def _possible_items(guess: Guess, columns: Sequence[_Column]) -> tuple[int, ...]:
    """Return the columns of a log that may hold the items; none where one is certain."""
    item, count, user = guess.item_column, guess.count_column, guess.user_column
    if item is None or not _recurs(columns[item].cells):
        return ()
    others = {user, *guess.alike}
    if count is not None and (user is None or _word_score(columns[count].words) > 0):
        others.add(count)
    if user is None:
        others |= {*guess.identifiers}
        if count is None:
            return ()  # who the users are is asked first
    places = [
        c
        for c, column in enumerate(columns)
        if c == item or (c not in others and _like_items(column, columns[item].share))
    ]
    certain = [c for c in places if _with_ids(columns[c].words) & (_ITEM_WORDS - WORDS["names"])]
    return () if len(places) < 2 or certain == [item] else tuple(places)


def _like_items(column: _Column, share_of_item: float) -> bool:
    """Return whether a column of a log may hold items beside one that does."""
    _, words, cells, share = column
    filled = [cell for cell in cells if cell.strip()]
    known = _with_ids(words) & (_ITEM_WORDS | _WEAK_ITEM_WORDS)
    other = words & (_TIME_WORDS | _PERIOD_WORDS | _COUNT_WORDS | WORDS["unlikely_counts"])
    if not known and other and not example_of_lists(cells):  # "What do you do in your free time?"
        return False
    if not _recurs(cells) or _names_users(words) or _has_fractions(cells):
        return False
    if all(map(DATE.match, filled)) or says_yes_or_no(cells):
        return False
    different = len(set(filled))
    return different > 1 and (
        share < 0.5
        or bool(known)
        or _like_identifiers(cells)
        or (share_of_item >= 0.5 and different > _LEVELS)
    )


def _recurs(cells: tuple[str, ...]) -> bool:
    """Return whether some cells recur, as items of a log do, more than by chance."""
    filled = [cell for cell in cells if cell.strip()]
    return len(set(filled)) < 0.9 * len(filled)


def _with_ids(words: AbstractSet[str]) -> frozenset[str]:
    """Return words with those that end in id also without it: item for itemid."""
    return frozenset(
        {*words, *(word[:-2] for word in words if word[-2:] == "id" and len(word) > 4)}
    )


def _guess_of_counts(columns: Sequence[_Column]) -> Guess:
    first, everything = columns[0], range(len(columns))
    alone = len(columns) == 1 and first.share < 0.5
    if alone and 2 * len(set(first.cells)) > len(first.cells) and not example_of_lists(first.cells):
        raise NoTableError(
            "There is only one column and it does not hold numbers: items and counts need a column "
            "each; in a text file separate them by a comma, semicolon, tab or vertical bar."
        )
    candidates = _may_count(columns)
    candidates = [c for c in candidates if not _numbers_rows(columns[c])] or candidates
    if not candidates:
        item = _best_item(everything, columns)
        return Guess(item, None, problem=f"No column holds numbers: {_CHOOSE}.")
    count = _best_count(candidates, columns)
    label = columns[count].label
    if label is not None and len(columns) > 1 and _word_score(columns[count].words) < 0:
        problem = f'No column looks like counts (numbers are in "{shown(label)}"): {_CHOOSE}.'
        return Guess(_best_item(everything, columns), None, problem=problem)
    item = _best_item([c for c in everything if c != count], columns)
    equal = tuple(
        c
        for c in _equal_words(candidates, columns)
        if c != item and not (c < (item or 0) and _like_identifiers(columns[c].cells))
    )
    if label is not None and len(equal) == 1 and says_total(label):  # of others, or only called so
        equal = tuple(c for c in candidates if c != item and not _has_fractions(columns[c].cells))
    labels = [column.label for column in columns if column.label is not None]
    totals, grand = total_columns([column.cells for column in columns], equal, labels or None)
    if label is not None and count == grand and says_total(label):
        return Guess(item, count)
    return Guess(item, count if grand is None else grand, alike=equal, totals=totals)


def _are_counted(user: int, columns: Sequence[_Column]) -> bool:
    """Return whether a column whose header names users holds their number for each item.

    Aggregates keep the name of what they count.  Items then never repeat, and stand before their
    counts, unless they are text beside numbers that do not ascend as identifiers do.
    """
    _, _, cells, share = columns[user]
    item = _best_item([c for c in range(len(columns)) if c != user], columns)
    if item is None or share < 1 or _has_fractions(cells) or _numbers_the_rows(cells):
        return False
    names = [name for name in columns[item].cells if name.strip() and not says_total(name)]
    if len(set(names)) < len(names):
        return False
    ascends = _ascends([cell.strip() for cell in cells])
    return item < user or (columns[item].share < 0.5 and not ascends)


def _guess_of_log(user: int, columns: Sequence[_Column]) -> Guess | None:
    """Guess the columns of a list of users and items; None if the users are the items."""
    others = [c for c in range(len(columns)) if c != user]
    candidates = [
        c
        for c in _may_count(columns)
        if c != user and _word_score(columns[c].words) > -2 and not _numbers_rows(columns[c])
    ]
    if len(others) == 1:
        (other,) = others
        repeated = len(set(columns[user].cells)) < len(columns[user].cells)
        named = columns[user].share < 0.5 or _word_score(columns[other].words) > 0
        counts = bool(candidates) and (named or not repeated)
        return None if counts else Guess(other, None, user)
    count = _best_count(candidates, columns) if candidates else None
    if count is not None and _word_score(columns[count].words) < 0:
        count = None
    item = _best_item([c for c in others if c != count], columns)
    unlikely = item is not None and _item_score(columns[item]) < 0  # such as dates
    if count is not None and unlikely and not _word_score(columns[count].words):
        item, count = count, None  # numbers that name items, such as codes
    return Guess(item, count, user)


def _may_count(columns: Sequence[_Column]) -> list[int]:
    return [
        c
        for c, column in enumerate(columns)
        if column.share >= 0.5 or (column.share > 0 and column.words & _COUNT_WORDS)
    ]


def _numbers_rows(column: _Column) -> bool:
    """Return whether a column numbers the rows, from whatever number, as receipts are."""
    counts = column.words & _COUNT_WORDS
    return len(column.cells) >= _FEW and not counts and _counts_up(column.cells)


def _best_count(candidates: Sequence[int], columns: Sequence[_Column]) -> int:
    """Return the column most likely to hold counts, of several alike that of people.

    Of years it is the latest, and the last where no column holds names: the first may be numbers
    of the items.
    """
    best = _equals(candidates, columns)
    names = next((c for c, column in enumerate(columns) if column.share < 0.5), len(columns))
    years = {c: (columns[c].label or "").strip() for c in best}
    if all(map(_YEAR.fullmatch, years.values())):
        return max(best, key=years.__getitem__)
    people = next((c for c in best if counts_people(columns[c].label or "")), None)
    return next((c for c in best if c > names), best[-1]) if people is None else people


def _equals(candidates: Sequence[int], columns: Sequence[_Column]) -> list[int]:
    """Return the columns most like counts by their header, then by their cells."""
    scores = {}
    for c in candidates:
        cells = columns[c].cells
        odd = _has_fractions(cells) or _adds_up_to_100(cells)  # shares
        scores[c] = 3 * _word_score(columns[c].words) - odd - _numbers_the_rows(cells)
    return [c for c in candidates if scores[c] == max(scores.values())]


def _equal_words(candidates: Sequence[int], columns: Sequence[_Column]) -> list[int]:
    """Return the columns whose header is as likely to name counts as the best one's."""
    best = columns[_equals(candidates, columns)[0]]
    return [
        c
        for c in candidates
        if _word_score(columns[c].words) == _word_score(best.words)
        and not _numbers_the_rows(columns[c].cells)
        and (_has_fractions(best.cells) or not _has_fractions(columns[c].cells))
    ]


def _best_item(candidates: Iterable[int], columns: Sequence[_Column]) -> int | None:
    return max(candidates, key=lambda c: (_item_score(columns[c]), -c), default=None)


def _names_users(words: frozenset[str]) -> bool:
    """Return whether the words of a header name one user per row, or number people: Kunden-Nr."""
    bare = {word.removesuffix(end) for word in words for end in _NUMBERS if word.endswith(end)}
    numbered = bool(bare) and any(map(_are_people, words | bare))
    return (numbered or bool(_with_ids(words) & _USER_WORDS)) and not words & _COUNT_WORDS


def _word_score(words: frozenset[str]) -> int:
    """Score the words of a header from 2, surely counts, to -2, surely something else."""
    if words & WORDS["shares"]:
        return -1
    if words & _COUNT_WORDS:
        return 2
    ids = _with_ids(words) - words
    if words & WORDS["never_counts"] or ids & (_ITEM_WORDS | _WEAK_ITEM_WORDS | _USER_WORDS):
        return -2
    if words & (WORDS["unlikely_counts"] | _PERIOD_WORDS):
        return -1
    return int("total" in words)


def _item_score(column: _Column) -> float:
    """Score a column as items, by its header, its text, and the share of distinct cells."""
    _, words, cells, share = column
    words = _with_ids(words)
    score = 3.0 * bool(words & _ITEM_WORDS) + 2.0 * bool(words & _WEAK_ITEM_WORDS)
    score -= 4.0 * _names_users(words) + 3.0 * bool(words & _TIME_WORDS)
    filled = [cell for cell in cells if cell.strip()]
    score -= 3.0 * (bool(filled) and all(map(DATE.match, filled)))
    score -= 2.0 * (bool(filled) and all(map(_EMAIL.fullmatch, filled)))
    return score + 2.5 * (share < 0.5 and bool(filled)) + len(set(filled)) / len(cells)


def _like_identifiers(cells: tuple[str, ...]) -> bool:
    """Return whether cells look like identifiers: codes or numbers of equal length.

    Likewise addresses of mail, and numbers that are nearly all different and large.
    """
    texts = [cell.strip() for cell in cells if cell.strip()]
    if len(set(texts)) > 1 and all(map(_EMAIL.fullmatch, texts)):
        return True
    if len(texts) < 2 or not all(map(_CODE.fullmatch, texts)) or all(map(_TIME.fullmatch, texts)):
        return False
    lengths = [len(text) for text in texts]
    longest = max(lengths)
    equal = lengths.count(longest) >= 0.95 * len(lengths)
    if longest >= _LONG and equal and len(set(texts)) > 1:
        return True
    if not all(map(str.isdecimal, texts)):
        return False
    different = len(set(texts)) >= 0.9 * len(texts)
    return different and sorted(lengths)[len(lengths) // 2] >= _LONG


def _has_fractions(cells: tuple[str, ...]) -> bool:
    return any(_FRACTION.fullmatch(cell.strip()) for cell in cells)


def _adds_up_to_100(cells: tuple[str, ...]) -> bool:
    texts = [cell.strip() for cell in cells]
    if not all(map(_SIMPLE.fullmatch, texts)):
        return False
    return abs(sum(float(text.replace(",", ".")) for text in texts) - 100) <= 1


def _numbers_the_rows(cells: tuple[str, ...]) -> bool:
    """Return whether the cells number the rows from 0 or from 1."""
    return len(cells) > 1 and cells[0].strip() in ("0", "1") and _counts_up(cells)


def _counts_up(cells: tuple[str, ...]) -> bool:
    """Return whether each cell is by one more than that before."""
    texts = [cell.strip() for cell in cells]
    if not all(text.isdecimal() and len(text) <= _LONGEST for text in texts):
        return False
    return all(int(after) == int(before) + 1 for before, after in itertools.pairwise(texts))


def _words(cell: str) -> frozenset[str]:
    """Return the words of a header cell: {"ratings", "count"} for "ratingsCount"."""
    spaced = re.sub(r"([a-z]|[\u3040-\u9fff])([A-Z])", r"\1 \2", cell.replace("%", " percent "))
    spaced = re.sub(r"\be-mail", "email", spaced, flags=re.IGNORECASE)
    return frozenset(re.findall(r"[^\W_]+", spaced.replace("°", "º").lower()))
