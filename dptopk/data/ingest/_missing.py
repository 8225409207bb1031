r"""Detect missing names of items and users: blank cells, and words such as NULL or N/A.

DuckDB and PostgreSQL write NULL, pandas nan, NaT and <NA>, Python None, MySQL \N, Excel #N/A, R NA,
and people write a dash.  Each of these may also be a real name, so what is left out is said and
can be kept.  A blank name beside a count may be a total or a row out of place, and words for none
in other languages may be answers: these are asked about.
"""

import re
from collections import Counter
from collections.abc import Container, Sequence

from dptopk.core.numerals import plural
from dptopk.data.ingest._error import Question
from dptopk.data.ingest._plain import shown
from dptopk.data.ingest._totals import KEEP, LEAVE_OUT

SPELLED = frozenset(
    [
        *("null", "(null)", "#null!", "\\n", "nan", "nat", "<na>", "none", "nil"),
        *("na", "n/a", "#n/a", "#nv", "-", "–", "—"),
    ]
)
"""Words for a missing value, in small letters."""

_NONE = frozenset(
    [
        *("なし", "無し", "無", "无", "没有", "無い", "없음", "нет", "keine", "keiner", "kein"),
        *("ninguno", "ninguna", "nada", "aucun", "aucune", "nessuno", "nessuna", "nenhum"),
        *("nenhuma", "geen", "brak", "ingen", "(leer)", "(vide)", "(vacío)", "(空白)"),
    ]
)
"""Words for none in other languages, which may as well be an answer: they are asked about."""

MISSING_WORDS = SPELLED | _NONE
"""All words for a missing value, in small letters."""

BLANK = "(blank)"
"""Name of a blank item that is kept."""

_OPTIONS = {
    LEAVE_OUT: "missing values: leave these rows out",
    KEEP: f"names like the others: keep them, a blank one as {BLANK}",
}
_COUNTRY = re.compile("[A-Z]{2}")
_LONGEST = 8  # characters of such a word
_N_SHOWN = 4  # words that are quoted


def missing(cells: Sequence[str], known: Container[str] = ()) -> Counter[str]:
    """Count the rows of each missing name; blank names are under the empty text."""
    odd = {cell for cell in set(cells) if is_missing(cell, known)}
    return Counter(cell.strip() for cell in cells if cell in odd) if odd else Counter()


def is_missing(cell: str, known: Container[str] = ()) -> bool:
    """Return whether a name is blank or a word for a missing value, and none of known names."""
    text = cell.strip()
    if not text or len(text) > _LONGEST:
        return not text
    return text.casefold() in MISSING_WORDS and text not in known


def ask_missing(
    found: Sequence[tuple[str, Counter[str]]], names: Sequence[str], answer: str | None, log: bool
) -> Question:
    """Ask how to treat missing names; by default they are left out, unless blank beside counts.

    ``found`` holds the label of each column with what is missing there, the items first, and
    ``log`` says whether users are counted.
    """
    (_, of_items), *_ = found
    default: str | None = LEAVE_OUT
    if of_items[""] and not log:
        default = None
    elif set(of_items) == {"NA"} and all(map(_COUNTRY.fullmatch, map(str.strip, set(names)))):
        default = KEEP  # the code of Namibia among those of countries
    if any(word.casefold() in _NONE for _, words in found for word in words):
        default = None  # it may be an answer
    sentence = " ".join(
        f'Column "{label}" has missing names: {_listed(words)}.' for label, words in found if words
    )
    return Question(
        "nulls",
        "Missing names",
        sentence,
        _OPTIONS,
        answer or default,
        needed=answer is None and default is None,
    )


def missing_notes(questions: Sequence[Question], without: int) -> list[str]:
    """Return sentences on what became of missing names, and of so many rows without a user."""
    notes = []
    for asked in questions:
        left_out = asked.answer == LEAVE_OUT
        done = "These rows were left out." if left_out else "They were kept as names."
        notes.append(f"{asked.sentence} {done}")
    if without:
        some = plural(without, "row without a user was", "rows without a user were")
        notes.append(f"{some} left out.")
    return notes


def _listed(words: Counter[str]) -> str:
    quoted = [
        (f'"{shown(word)}"' if word else "blank") + f" in {plural(n, 'row')}"
        for word, n in words.most_common(_N_SHOWN)
    ]
    return ", ".join(quoted) + (" and more" if len(words) > _N_SHOWN else "")
