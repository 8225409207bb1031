"""Clean item names, and find repeated ones and those that only look alike.

Names are kept as they are, markup, formulas and links included; pages must show them as plain
text.  Only what could garble or hide in a line is changed, and reported: spaces around a name are
trimmed, line breaks and tabs become spaces, control characters are removed, invisible characters
become marks.

Blank names were left out or named before (see `_missing`); one of which nothing is left after
cleaning is refused, and so is a name over `MAX_NAME` characters: cutting could make two items one.
Names that differ only in case, spaces, accents' encoding, invisible characters or
look-alike letters stay apart unless they are to be merged.
"""

import operator
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

import numpy as np

from dptopk.core.array_types import IntArray
from dptopk.core.cancellation import STEP
from dptopk.core.numerals import plural
from dptopk.core.packed_names import ItemNames
from dptopk.core.validation import MAX_COUNT
from dptopk.data.ingest._error import (
    LIST_MARKS,
    Ambiguity,
    Dialogue,
    IngestError,
    NothingLeftError,
    Reply,
    UnclearError,
)
from dptopk.data.ingest._plain import hides_something, in_latin, is_plain, plain, shown, spelled
from dptopk.data.ingest._text_column import TextColumn

MAX_NAME = 500  # largest number of characters in an item name

MAX_KEPT = 128 * 2**20
"""Most memory for the distinct names of one table, in bytes: an upload is kept while it is used.

Names of a file of `MAX_BYTES` stay below it, unless many of their characters are marked: the mark
of an invisible one takes four to six times its bytes.
"""

_TWINS = {
    Reply.APART: "keep them apart",
    Reply.MERGE: "merge them under the listed or the shortest name; a user who is in both counts "
    "{}",
}
_N_GROUPS, _N_TWINS = 50, 6  # groups of names that look alike, and names of each, that are told
NO_DECIMALS = "([.]0+|,0)$"
"""Pattern of what some programs write behind a whole number, as in 7.0; 7,000 may be thousands."""
POINTED = f"-?[0-9]+{NO_DECIMALS}"
"""Pattern of whole numbers that are written so, in Python and in SQL."""

_UNSEEN = re.compile(
    r"‹U\+[0-9A-F]+›"  # our mark of what cannot be seen
    "|[\u034f\ufe00-\ufe0f\U000e0100-\U000e01ef]"  # a joiner, and selectors of how it looks
)


def clean_names(names: Sequence[str], known: Collection[str] = ()) -> tuple[list[str], list[str]]:
    """Trim and clean different names, with sentences on it; one of which nothing is left is empty.

    Whole numbers are read by `numbers_as_listed`.  Each name is read by itself: what one user has
    renames nothing of the others.
    """
    texts = list(map(str.strip, names))
    n_trimmed = sum(map(operator.ne, texts, names))
    n_cleaned = n_hidden = 0
    for start in range(0, len(texts), STEP):
        trimmed = texts[start : start + STEP]
        if is_plain("".join(trimmed)):
            continue
        cleaned = texts[start : start + STEP] = list(map(plain, trimmed))
        hidden = sum(map(hides_something, trimmed))
        n_hidden += hidden
        n_cleaned += sum(map(operator.ne, cleaned, trimmed)) - hidden
    read = numbers_as_listed(texts, known)
    whole = [text for text in texts if text in read] if read else []
    for_example = "for example " if len(whole) > 1 else ""
    now = "".join(f'{for_example}"{shown(it)}" is now read as "{read[it]}"' for it in whole[:1])
    texts = [read.get(text, text) for text in texts] if whole else texts
    notes = {
        "had spaces around, now removed": n_trimmed,
        "had line breaks or control characters, now spaces or removed": n_cleaned,
        "had invisible characters, now shown as marks such as ‹U+200B›": n_hidden,
        f"had another form of a whole number: {now}": len(whole),
    }
    return texts, [f"{plural(n, 'name')} {what}." for what, n in notes.items() if n]


def numbers_as_listed(names: Iterable[str], known: Collection[str]) -> dict[str, str]:
    """Return as what whole numbers are read: 7.0 and 7,0 as 7, unless they are ``known`` names.

    If 7 is none but 7.0 is, that is what 7 is read as.
    """
    whole = {
        name: re.split("[.,]", name)[0]
        for name in chain(names, known)
        if name[-1:] == "0" and re.fullmatch(POINTED, name)
    }
    of_known = {it: name for name, it in sorted(whole.items()) if name in known and it not in known}
    return of_known | {
        name: of_known.get(it, it) for name, it in whole.items() if name not in known
    }


def refuse_unusable(names: Sequence[str], where: Callable[[int], str]) -> None:
    """Raise for a name without any character, and for one that is too long."""
    if "" in names:
        raise IngestError(
            f"{where(names.index(''))}: the item has no name; name it, or delete the row."
        )
    if len(longest := max(names, key=len, default="")) > MAX_NAME:
        raise IngestError(
            f"{where(names.index(longest))}: the item name has {len(longest):,} "
            f"characters, more than the limit of {MAX_NAME}; shorten it, or check the quotation "
            "marks."
        )


def packed_names(names: Iterable[str]) -> ItemNames:
    """Pack names; raise if they take too much memory."""
    kept = names if isinstance(names, ItemNames) else ItemNames(names)
    if kept.n_bytes > MAX_KEPT:
        raise IngestError(
            f"The names of the {len(kept):,} items take {kept.n_bytes / 2**20:,.0f} MB of memory, "
            f"more than the limit of {MAX_KEPT // 2**20} MB: shorten them, and remove invisible "
            "characters."
        )
    return kept


class Spelling(NamedTuple):
    """Names of items under one spelling each."""

    renamed: dict[str, str]  # names that change, to empty ones where they are left out
    sizes: Counter[str]  # of names before look-alikes are merged into their heirs
    heirs: dict[str, str]
    n_before: int  # number of names before they were normalized
    listed: list[str] | None  # the public list, spelled likewise
    alike: str  # what became of look-alikes


def spell(
    sizes: Mapping[str, int],
    renamed: Mapping[str, str],
    dialogue: Dialogue,
    once: bool = True,
    where: Callable[[str], str] | None = None,
    alike_of: Callable[[list[str]], dict[str, str]] | None = None,
) -> Spelling:
    """Put names of items under one spelling: trimmed, cleaned, normalized, look-alikes merged.

    ``sizes`` are rows or counts of each name, ``renamed`` what missing ones become, ``once`` tells
    whether a user who is in two of them counts once.  With ``where``, which says where a name is,
    names that cannot be used are refused; ``alike_of`` normalizes names.
    """
    raw = [name for name in sizes if renamed.get(name, name)]
    texts, notes = clean_names([renamed.get(name, name) for name in raw], dialogue.known)
    dialogue.notes += notes
    if where is not None:
        refuse_unusable(texts, lambda place: where(raw[place]))
    elif nameless := texts.count(""):
        had = plural(nameless, "item")
        dialogue.notes.append(f"{had} had no visible character in the name: left out.")
    listed = None if dialogue.listed is None else [*map(plain, dialogue.listed)]
    n_before = len({*texts} - {""})
    if alike_of is not None:
        alike = alike_of(sorted({*texts, *(listed or ())} - {""})) | {"": ""}
        texts = [alike[text] for text in texts]
        listed = None if listed is None else [alike[name] for name in listed]
    made = dict.fromkeys(sizes, "") | dict(zip(raw, texts, strict=True))
    size_of: Counter[str] = Counter()
    for name, size in sizes.items():
        size_of[made[name]] += size
    del size_of[""]
    heirs, of_twins = _merge_twins(size_of, dialogue, "once" if once else "twice", listed)
    made |= {name: heirs[text] for name, text in made.items() if text in heirs}
    return Spelling(
        {name: text for name, text in made.items() if text != name or not text},
        size_of,
        heirs,
        n_before,
        listed,
        of_twins,
    )


def _merge_twins(
    size_of: Mapping[str, int], dialogue: Dialogue, times: str, listed: Sequence[str] | None
) -> tuple[dict[str, str], str]:
    """Return the name that takes the place of each look-alike, if merged, and a sentence.

    Of twins the first one on the list gives its name, whatever the data; without a list, the first
    `by_spelling`, whatever their sizes.  A user who is in both counts so many ``times``.
    """
    likeness: dict[str, list[str]] = {}
    on_list = {name: place for place, name in enumerate(listed or ())}
    kept = {*map(_likeness, on_list)}
    for name in size_of:
        like = _likeness(name)
        if listed is None or like in kept:
            likeness.setdefault(like, []).append(name)
    # else it would count 0 beside one that it looks like
    for name in sorted(on_list.keys() - size_of.keys()):
        if (like := _likeness(name)) in likeness:
            likeness[like].append(name)
    twins = [names for names in likeness.values() if len(names) > 1]
    if not twins:
        return {}, ""
    groups = plural(len(twins), "group of names looks", "groups of names look")
    question = Ambiguity(
        "twins",
        f"{groups} alike, such as {' and '.join(_told_apart(twins[0][:2]))}.",
        {key: words.format(times) for key, words in _TWINS.items()},
        Reply.APART,
        needed=False,
        found=_twin_lines(twins) if len(twins) > 1 or len(twins[0]) > 2 else (),
    )
    if dialogue.ask(question) == Reply.APART:
        return {}, f"{question.sentence} They were kept apart."
    heirs: dict[str, str] = {}
    for names in twins:
        heir = min(names, key=lambda name: (on_list.get(name, len(on_list)), by_spelling(name)))
        heirs |= {name: heir for name in names if name != heir}
    done = f"They were merged; a user who is in both counts {times}."
    return heirs, f"{question.sentence} {done}"


def by_spelling(name: str) -> tuple[int, str]:
    """Return a key of names that look alike: the plainest first, however many have it.

    Only one user may have that one, whose removal then renames the item: no promise covers names
    that were merged without a public list.
    """
    return len(name), name.swapcase()


def _refuse_alike(
    absent: Collection[str], others: Collection[str], dialogue: Dialogue | None
) -> None:
    """Raise if names of a list that the data lack only look like names that the list lacks.

    The ones would count 0 and the others be left out; where names are read, they can be merged.
    """
    lacking = {_likeness(name): name for name in sorted(absent)}
    like_them = {_likeness(name): name for name in sorted(others)} if lacking else {}
    pairs = [(name, like_them[like]) for like, name in lacking.items() if like in like_them]
    if not pairs:
        return
    listed, of_data = _told_apart([*pairs[0]])
    more = f", and so do {plural(len(pairs) - 1, 'other name')}" if len(pairs) > 1 else ""
    twins = [one for one in ([] if dialogue is None else dialogue.questions) if one.key == "twins"]
    merge = ', or merge them: twins="merge"' if twins else ""
    words = (
        f"The list of items has {listed} and the data have {of_data}, which differ only in case, "
        f"spaces, the encoding of accents or look-alike letters{more}: the listed item would count "
        f"0. Write them the same way in both{merge}; if they are two items, leave the rows of "
        f"{of_data} out of the data."
    )
    questions = tuple(replace(one, sentence=words, answer=None, needed=True) for one in twins)
    raise UnclearError(words, questions) if questions else IngestError(words)


def _twin_lines(twins: list[list[str]]) -> tuple[str, ...]:
    """Return a line for each group of look-alike names, with the number of groups left out."""
    lines = []
    for group in twins[:_N_GROUPS]:
        names = _told_apart(group[:_N_TWINS])
        more = f", and {len(group) - _N_TWINS:,} more" if len(group) > _N_TWINS else ""
        lines.append(", ".join(names) + more)
    if len(twins) > _N_GROUPS:
        lines.append(f"and {len(twins) - _N_GROUPS:,} more groups")
    return tuple(lines)


def _told_apart(names: list[str]) -> list[str]:
    """Return names in quotation marks, with hidden differences marked."""
    texts = [shown(name, 30) for name in names]
    if len({text.casefold() for text in texts}) > 1 and not "".join(texts).isascii():
        texts = [spelled(text) for text in texts]
    return [f'"{text}"' for text in texts]


def summed(distinct: TextColumn, values: IntArray) -> IntArray:
    """Sum the counts of equal names; refuse sums above `MAX_COUNT`."""
    sums = np.zeros(len(distinct.texts), np.int64)
    np.add.at(sums, distinct.codes, values)
    about = np.bincount(distinct.codes, weights=values)  # where those of int64 would overflow
    too_large = (sums > MAX_COUNT) | (about > 2**62)
    if too_large.any():
        first = int(np.argmax(too_large))
        total = sum(values[distinct.codes == first].tolist())
        raise IngestError(
            f'The counts of "{shown(distinct.texts[first])}", which occurs more than once, add up '
            f"to {total:,}, above the largest count accepted, {MAX_COUNT:,}: correct its rows."
        )
    return sums


def _likeness(name: str) -> str:
    """Return a cleaned name without differences that are hard to see."""
    if name.isascii():
        is_plain_already = name.islower() and "  " not in f" {name} "
        return name if is_plain_already else " ".join(name.casefold().split())
    text = unicodedata.normalize("NFKC", _UNSEEN.sub("", name))
    seen = "".join(char for char in text if unicodedata.category(char) != "Cf")
    return " ".join(in_latin(seen).casefold().split())


def _refuse_lists(
    listed: Collection[str], n_rows_of: Mapping[str, int], dialogue: Dialogue | None
) -> None:
    """Raise where more rows hold items of the list within longer cells than alone.

    Where it was asked whether to split cells, only most rows count, and cells of nothing else.
    """
    named, n_rows = {*listed, ""}, sum(n_rows_of.values())
    asks = dialogue is not None and (
        any(one.key == "split" for one in dialogue.questions) or "split" in dialogue.answers
    )
    how = "split the cells" if asks else "read the file as a table (--data)"
    n_alone = sum(n_rows_of.get(name, 0) for name in listed)
    for answer, mark in LIST_MARKS.items():
        lists = {}
        for name in n_rows_of.keys() - named:
            pieces = {*map(str.strip, name.split(mark))} - {""} if mark in name else set()
            if pieces and (pieces <= named if asks else pieces & named):
                lists[name] = n_rows_of[name]
        if sum(lists.values()) > (n_rows / 2 if asks else n_alone):
            raise IngestError(
                f"{plural(sum(lists.values()), 'row')} of {n_rows:,} hold several items in one "
                f'cell, some of them of the list, such as "{shown(min(lists), 40)}", and '
                f"{n_alone:,} hold one of it alone: write a row for each, or {how} with the answer "
                f"split={answer}."
            )


def list_said(
    listed: Sequence[str], n_rows: Mapping[str, int], dialogue: Dialogue | None = None
) -> str:
    """Check a public list against the names of the data; return sentences on the difference.

    ``n_rows`` are rows by name, 0 where none are known; ``dialogue`` has the questions on these
    names, where they are being read.  Where none of the items is there, it is a `NothingLeftError`;
    names that only look like some of them are an `UnclearError`, where they can be merged.
    """
    if not listed or len(set(listed)) < len(listed):
        twice = [name for name, n in Counter(listed).most_common(1) if n > 1]
        raise ValueError(
            f"items must name each item once, got {twice[0][:80]!r} twice"
            if twice
            else "items must name at least one item, got none"
        )
    absent, others = {*listed} - n_rows.keys(), n_rows.keys() - {*listed}
    _refuse_alike(absent, others, dialogue)
    _refuse_lists(listed, n_rows, dialogue)
    if dialogue is not None and others and len(absent) == len(listed):
        raise NothingLeftError(
            f'The data have none of the items of the list, such as "{shown(min(absent))}": write '
            f'names as the data do, such as "{shown(min(others))}".'
        )
    sentences = [f"The public list has {plural(len(listed), 'item')}."]
    if absent:
        lack = "is not in the data and counts 0:"
        lack = lack if len(absent) == 1 else "are not in the data and count 0, such as"
        sentences.append(f'{len(absent):,} of them {lack} "{shown(min(absent))}".')
    if others:
        rows = sum(n_rows[name] for name in others)
        in_rows = f", in {plural(rows, 'row')}" if rows else ""
        sentences.append(f"Dropped: {plural(len(others), 'other item')} of the data{in_rows}.")
    return " ".join(sentences)
