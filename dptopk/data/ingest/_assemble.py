"""Make `ItemCounts` of cells: names under one spelling, then users counted or counts summed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from dptopk.core.array_types import BoolArray, IntArray
from dptopk.core.cancellation import Progress, part_of, with_progress
from dptopk.core.counts import ItemCounts
from dptopk.core.numerals import plural
from dptopk.core.packed_names import ItemNames
from dptopk.data.ingest._error import Dialogue, IngestError, NothingLeftError, UnclearError
from dptopk.data.ingest._missing import answer_missing, is_missing, missing
from dptopk.data.ingest._names import packed_names, refuse_unusable, spell, summed
from dptopk.data.ingest._numbers import whole_numbers
from dptopk.data.ingest._public_list import on_public_list
from dptopk.data.ingest._report import Contribution, IngestReport, IngestResult
from dptopk.data.ingest._text_column import TextColumn, arrow_numbers, arrow_text
from dptopk.data.ingest._totals import says_total
from dptopk.data.ingest.queries import in_memory
from dptopk.data.ingest.user_counts import Rows, count_users


@dataclass(frozen=True)
class Cells:
    """Cells of the columns that are read."""

    row_numbers: IntArray  # the same for several items of one row
    place: Callable[[int, str], str]  # says where a row's cell of the part "item" or "count" is
    names: TextColumn | None = None  # without them, the items are numbered
    counts: TextColumn | None = None  # without them, every row counts 1
    users: TextColumn | None = None  # who is in each row
    summed: tuple[TextColumn, ...] = ()  # columns of counts to add up

    def where(self, i: int, part: str) -> str:
        """Return in words where a cell is."""
        return self.place(int(self.row_numbers[i]), part)

    def at(self, rows: IntArray | BoolArray) -> "Cells":
        """Return some rows, by their positions or marked ones."""
        names, counts, users = (
            column and column.at(rows) for column in (self.names, self.counts, self.users)
        )
        added = tuple(column.at(rows) for column in self.summed)
        return Cells(self.row_numbers[rows], self.place, names, counts, users, added)


def assemble(
    cells: Cells,
    name: str,
    reading: str,
    n_read: int,
    dialogue: Dialogue,
    *,
    n_blank: int = 0,
    columns: tuple[str, str] | None = None,
    contribution: Contribution = Contribution.ASSUMED,
    max_items: int | None = None,
    only_column: bool = False,
    keep_unused: bool = False,
    progress: Progress | None = None,
) -> IngestResult:
    """Count the distinct users of each item, or sum the counts of each name, with a report.

    ``n_read`` counts rows with those left out; ``columns`` are what those of items and users are
    called: None where no name can be missing.  Beside an ``only_column`` there is no other.  With
    ``keep_unused``, names that no user has count 0; else they are left out.
    """
    progress = part_of(progress, 0.0, 1.0)
    if n_blank:
        dialogue.notes.append(f"Left out: {plural(n_blank, 'blank row')}.")
    counted = contribution is Contribution.COUNTED and None not in (cells.names, cells.users)
    if counted:
        assert columns is not None
        result = _users(cells, name, columns, dialogue, max_items, keep_unused, progress)
    else:
        result = _sums(cells, name, columns, dialogue, contribution, only_column, progress)
    items = None if cells.names is None else result.counts.items
    changes = (*result.report.changes, *_odd_counts(items, result.counts.counts))
    report = replace(
        result.report,
        rows_read=n_read,
        blank_rows=n_blank,
        reading=(reading,),
        changes=changes,
        questions=tuple(dialogue.questions),
    )
    return replace(result, report=report)


def _users(
    cells: Cells,
    name: str,
    columns: tuple[str, str],
    dialogue: Dialogue,
    max_items: int | None,
    keep_unused: bool,
    progress: Progress,
) -> IngestResult:
    """Count the distinct users of each item, in the order in which the items appear."""
    import pyarrow  # here: only who has users needs it

    names, users = cells.names, cells.users
    assert names is not None
    assert users is not None
    filled = [place for place, name in enumerate(names.texts) if name.strip()]
    refuse_unusable(
        [names.texts[place] for place in filled],
        lambda place: cells.where(names.first[filled[place]], "item"),
    )
    of_rows = np.diff(cells.row_numbers, prepend=0) != 0  # the first piece of each cell
    pairs = np.sort((users.codes * len(names.texts) + names.codes) * 2 + of_rows)
    first = np.flatnonzero(np.diff(pairs // 2, prepend=-1))
    n = arrow_numbers(np.add.reduceat(pairs % 2, first).astype(np.int32))
    u, i = (
        pyarrow.DictionaryArray.from_arrays(
            arrow_numbers(codes.astype(np.int32)), arrow_text(one.texts)
        )
        for codes, one in zip(
            divmod(pairs[first] // 2, len(names.texts)), (users, names), strict=True
        )
    )
    table = pyarrow.table({"u": u, "i": i, "n": n})
    del pairs, first
    item, user = columns
    rows = Rows("FROM dptopk_rows", user, item, True, "the file", name)
    rows = rows._replace(counted=True, order=names.texts)
    try:
        with in_memory(table, progress) as run:
            result = count_users(
                run, rows, dialogue, max_items, by_bound=None, keep_unused=keep_unused
            )
    except NothingLeftError as error:
        empty = "users" if all(map(is_missing, users.texts)) else "items"
        if dialogue.listed is not None and empty == "items":
            raise
        raise IngestError(f"The column of {empty} is empty: choose another column.") from error
    packed_names(result.counts.items)
    return result


def _sums(
    cells: Cells,
    name: str,
    columns: tuple[str, str] | None,
    dialogue: Dialogue,
    contribution: Contribution,
    only_column: bool,
    progress: Progress,
) -> IngestResult:
    """Sum the counts of each name, in the order in which the names appear."""
    if cells.names is not None and columns is not None:
        cells = _without_missing(cells, columns, dialogue)
    names, users = cells.names, cells.users
    values, number_notes = np.ones(cells.row_numbers.size, dtype=np.int64), list[str]()
    if cells.counts is not None:
        half = part_of(progress, 0.0, 0.5)
        values, number_notes = whole_numbers(cells.counts, cells.where, dialogue, half, only_column)
    n_repeated, against, alike = 0, "", ""
    items: ItemNames | None = None
    listed, n_rows, rows_kept = dialogue.listed, None, cells.row_numbers
    if names is not None:
        sums = np.bincount(names.codes, weights=values, minlength=len(names.texts)).tolist()
        size_of = dict(zip(names.texts, sums, strict=True))
        first = dict(zip(names.texts, names.first, strict=True))
        spelling = spell(
            size_of, {}, dialogue, False, lambda name: cells.where(first[name], "item")
        )
        part_of(progress, 0.5, 0.9)(0.6)
        alike = spelling.alike
        distinct = names.renamed([spelling.renamed.get(name, name) for name in names.texts])
        n_repeated = sum(n > 1 for n in distinct.times)
        if contribution is Contribution.STATED:
            against = _against(distinct, values, users)
        if against or (spelling.heirs and (users is None or not all(map(str.strip, users.texts)))):
            contribution = Contribution.SEVERAL
        if len(distinct.texts) < values.size:
            values = summed(distinct, values)
        items = packed_names(with_progress(distinct.texts, part_of(progress, 0.9, 1.0)))
        listed, n_rows = spelling.listed, distinct.n_rows
        if listed is not None:
            rows_kept = rows_kept[distinct.rows_where({*listed}.__contains__)]
    if against:
        dialogue.questions = [
            replace(one, sentence=f"{one.sentence} {against}") if one.key == "rows" else one
            for one in dialogue.questions
        ]
    summing = _summing(cells.counts is None, n_repeated, values.size)
    counts, on_list = ItemCounts(values, items, name), ""
    if listed is not None:
        counts, on_list = on_public_list(counts, listed, n_rows, dialogue)
    report = IngestReport(
        rows_kept=len(np.unique(rows_kept)),
        duplicate_names=n_repeated,
        changes=tuple(
            filter(None, [*dialogue.notes, summing, *number_notes, alike, against, on_list])
        ),
        contribution=contribution,
        summing=summing,
        on_list=on_list,
    )
    return IngestResult(counts, report)


def _without_missing(cells: Cells, columns: tuple[str, str], dialogue: Dialogue) -> Cells:
    """Leave out rows without an item, or keep them, and note or ask about them."""
    names, users = cells.names, cells.users
    assert names is not None
    of_users = missing({} if users is None else users.n_rows)
    of_users[""] = 0  # a row counts whoever is named in it
    n_rows = names.n_rows
    sizes = None if cells.counts is not None else lambda: n_rows
    try:
        leave_out, renamed = answer_missing(columns, n_rows, of_users, sizes, dialogue)
    except UnclearError as error:
        blank = np.flatnonzero(~names.rows_where(str.strip))
        at = "".join(f"{cells.where(row, 'item')}: the item has no name; " for row in blank[:1])
        raise UnclearError(f"{at}{error}", error.questions) from error
    if users is not None:
        nobody = is_missing if leave_out else lambda user: not user.strip()
        people = ["" if nobody(user) else user for user in users.texts]
        cells = replace(cells, users=users.renamed(people))
    if not renamed:
        return cells
    names = names.renamed([renamed.get(name, name) for name in names.texts])
    if not any(names.texts):
        raise IngestError("The column of items is empty: choose another column.")
    return replace(cells, names=names).at(np.flatnonzero(names.rows_where(bool)))


def _against(distinct: TextColumn, in_rows: IntArray, users: TextColumn | None) -> str:
    """Describe evidence that the rows do not count distinct users; empty if there is none."""
    if users is None or not any(map(str.strip, users.texts)):
        return ""
    people = users.renamed([*map(str.strip, users.texts)])
    named = people.rows_where(bool)
    pairs = np.unique(distinct.codes[named] * len(people.texts) + people.codes[named])
    repeated = int(named.sum()) - pairs.size
    many = int(np.count_nonzero(in_rows[named] > 1))
    seen = {
        "with a user and an item of another row": repeated,
        "where one user counts more than 1": many,
    }
    if not (parts := [f"{plural(n, 'row')} {what}" for what, n in seen.items() if n]):
        return ""
    return (
        "The file itself contradicts the statement that its rows already count users: it has "
        f"{' and '.join(parts)}. No guarantee holds for a user unless distinct users are counted."
    )


def _summing(rows: bool, n_repeated: int, n_items: int) -> str:
    if not n_repeated:
        return ""
    left = plural(n_items, "item")
    if rows:
        return f"The rows of each item were counted, which makes {left}."
    return (
        f"{plural(n_repeated, 'name')} occurred more than once: the counts of each were summed, "
        f"which leaves {left}; a user in two rows of a name counts twice."
    )


def _odd_counts(names: Sequence[str] | None, values: IntArray) -> list[str]:
    """Return sentences on data that are valid but may not be what was meant."""
    if values.size == 1:
        return ["There is only one item, so there is nothing to select."]
    if values.min() == values.max():
        return [f"All {values.size:,} counts are equal: every selection is a true top k."]
    top = int(np.argmax(values))
    if (
        names is not None
        and says_total(names[top])
        and 2 * int(values[top]) == sum(values.tolist())
    ):
        return [
            f'The item "{names[top]}" has the same count as all others together: if it is '
            "their total, delete its row."
        ]
    return []
