r"""Detect missing names of items and users: blank cells, and words such as NULL or N/A.

DuckDB and PostgreSQL write NULL, pandas nan, NaT and <NA>, Python None, MySQL \N, Excel #N/A, R NA,
and people write a dash.  Most of these may also be a real name, as NA is the code of Namibia, so
what is left out is said and can be kept; that others look like codes keeps nothing, as one more
name would end it.  It is asked about where it matters and is not certain: a word that people write,
among the largest items or in a row of its own in a table of counts; a blank name beside a count,
which may be a total or a row out of place; words for none in other languages, which may be answers.
"""

from collections import Counter
from collections.abc import Callable, Collection, Container, Mapping
from heapq import nlargest

from dptopk.core.numerals import plural
from dptopk.data.ingest._error import Ambiguity, Dialogue, Reply
from dptopk.data.ingest._plain import shown, some_of
from dptopk.data.ingest._words import WORDS

N_LARGEST = 10
"""A name is among the largest items if fewer than so many others are larger: no k is known yet."""

SPELLED = WORDS["no_names"] | WORDS["missing"]  # words for a missing value, in small letters
MISSING_WORDS = SPELLED | WORDS["none"]  # all words for a missing value, in small letters
BLANK = "(blank)"  # name of a blank item that is kept

_OPTIONS = {
    Reply.LEAVE_OUT: "missing values: leave these rows out",
    Reply.KEEP: f"names like the others: keep them, a blank one as {BLANK}",
}
_LONGEST = 8  # characters of such a word
_N_SHOWN = 4  # words that are quoted


def answer_missing(
    columns: tuple[str, str],
    n_rows: Mapping[str, int],
    of_users: Counter[str],
    sizes: Callable[[], Mapping[str, int]] | None,
    dialogue: Dialogue,
) -> tuple[bool, dict[str, str]]:
    """Find missing names of items, and leave them out or keep them, or raise `UnclearError`.

    ``columns`` are what those of items and users are called, ``n_rows`` rows of each item,
    ``of_users`` rows of each missing user (blank ones under the empty text).  ``sizes`` returns by
    how much items are compared; without it each row is a count of its own.  Names on a public list
    are not missing, and beside it others do not matter.

    Returns whether rows with them are left out, as those without any user always are, and names of
    items that change: empty for those that are left out.
    """
    of_items = missing(n_rows, dialogue.known)
    without = of_users[""]
    of_users = Counter({word: n for word, n in of_users.items() if word})
    leave_out = True
    if of_items or of_users:
        missing_in = dict(zip(columns, (of_items, of_users), strict=True))
        question = _question(missing_in, n_rows, sizes, dialogue)
        leave_out = dialogue.ask(question) == Reply.LEAVE_OUT
        done = "These rows were left out." if leave_out else "They were kept as names."
        dialogue.notes.append(f"{question.sentence} {done}")
    if without:
        some = plural(without, "row without a user was", "rows without a user were")
        dialogue.notes.append(f"{some} left out.")
    odd = (name for name in n_rows if of_items and is_missing(name, dialogue.known))
    kept = {name: name if name.strip() else BLANK for name in odd}
    return leave_out, dict.fromkeys(kept, "") if leave_out else kept


def _question(
    missing_in: Mapping[str, Counter[str]],
    names: Collection[str],
    sizes: Callable[[], Mapping[str, int]] | None,
    dialogue: Dialogue,
) -> Ambiguity:
    """Ask how to treat missing names, or say so where it is plain that they are left out.

    ``missing_in`` are those of each column by its label, the items first.
    """
    of_items, *_ = missing_in.values()
    capitals = set(of_items) == {"NA"} and all(name.isupper() for name in names if name.strip())
    default: str | None = Reply.LEAVE_OUT
    doubtful = any(word.casefold() in ("na", "none", "nil") for word in of_items)
    suggested: str | None = Reply.KEEP if capitals else None if doubtful else Reply.LEAVE_OUT
    if _matters(of_items, sizes, dialogue.known):
        default = None
    words = {word for some in missing_in.values() for word in some}
    if (of_items[""] and sizes is None) or any(word.casefold() in WORDS["none"] for word in words):
        default = suggested = None  # a total, perhaps, or an answer
    sentence = " ".join(
        f'Column "{shown(label)}" has missing names: {_listed(some)}.'
        for label, some in missing_in.items()
        if some
    )
    return Ambiguity("nulls", sentence, _OPTIONS, default, suggested, needed=default is None)


def _matters(
    of_items: Counter[str], sizes: Callable[[], Mapping[str, int]] | None, known: Container[str]
) -> bool:
    """Return whether a word that may be a name is among the largest items, or a row with a count.

    Beside a public list it is not: names that are not listed are dropped.
    """
    doubtful = [word for word in of_items if word and word.casefold() not in WORDS["no_names"]]
    if known or not doubtful or sizes is None:
        return bool(doubtful) and not known
    size_of = sizes()
    others = (size for name, size in size_of.items() if not is_missing(name))
    largest = nlargest(N_LARGEST, others)
    there = missing(size_of)
    return len(largest) < N_LARGEST or max(there[word] for word in doubtful) >= largest[-1]


def missing(sizes: Mapping[str, int], known: Container[str] = ()) -> Counter[str]:
    """Return the size of each missing name; blank names are under the empty text."""
    spellings: Counter[str] = Counter()
    for name, size in sizes.items():
        if is_missing(name, known):
            spellings[name.strip()] += size
    return spellings


def is_missing(cell: str, known: Container[str] = ()) -> bool:
    """Return whether a name is blank or a word for a missing value, and none of known names."""
    text = cell.strip()
    if not text or len(text) > _LONGEST:
        return not text
    return text.casefold() in MISSING_WORDS and text not in known


def _listed(words: Counter[str]) -> str:
    quoted = (
        (f'"{shown(word)}"' if word else "blank") + f" in {plural(n, 'row')}"
        for word, n in words.most_common()
    )
    return some_of(quoted, _N_SHOWN)
