"""Count each day, week, month or quarter of a log by itself, under every bound.

As `dptopk users --time` does: a release is of one period, so that the bound on the items of a user
is that of the period with the median number of pairs of a user and an item.
"""

from __future__ import annotations

import datetime
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dptopk.core.cancellation import Progress, part_of
from dptopk.core.numerals import plural
from dptopk.data.event_logs import restricted_connection
from dptopk.data.events import (
    counts_by_period,
    counts_from_events,
    periods_of_users,
    within_period,
)
from dptopk.data.ingest import Columns, CountsByBound, IngestError, ItemsOfUsers, RawTable

if TYPE_CHECKING:
    from dptopk.core.counts import ItemCounts

_MOST_CELLS = 2**21  # counts of all periods under all bounds
_ENGINE: dict[str, Any] = {
    "threads": 2,  # each takes address space, which is limited where strangers' files are read
    "memory_limit": "1GB",
}
"""Settings of DuckDB for an uploaded table, of which it reads columns in memory only."""


@dataclass(frozen=True, eq=False)
class CountsByPeriod:
    """Counts of each period of a log by itself, under every bound on the items of a user in it.

    Attributes
    ----------
    period : str
        Length of a period, such as "week".
    series : mapping of datetime.date to CountsByBound
        By the first day of each period, in order, all of the same items; under the bounds of
        ``by_bound``.
    day : datetime.date
        First day of the period with the median number of pairs of a user and an item.
    by_bound : CountsByBound
        Of that period and its own items.
    stays : ItemsOfUsers
        Users by the number of periods in which they have events.
    """

    period: str
    series: Mapping[datetime.date, CountsByBound]
    day: datetime.date
    by_bound: CountsByBound
    stays: ItemsOfUsers


def median_period(series: Mapping[datetime.date, ItemCounts]) -> datetime.date:
    """Return the first day of the period with the median number of pairs."""
    by_size = sorted(series, key=lambda day: int(series[day].counts.sum()))
    return by_size[len(by_size) // 2]


def counts_of_periods(
    source: Any,
    user: str,
    item: str,
    time: str,
    period: str = "week",
    where: str | None = None,
    engine: Any = None,
    *,
    table: str | None = None,
    memory_limit: str | None = None,
    progress: Progress | None = None,
    within: str | os.PathLike[str] | None = None,
) -> CountsByPeriod:
    """Count the users of each item in each period of a log, under every bound.

    Parameters
    ----------
    source, user, item, time, period, where, engine, table, memory_limit, progress, within
        As of `counts_by_period`.

    Returns
    -------
    CountsByPeriod

    Raises
    ------
    IngestError
        As of `counts_by_period`; if there are more than 2 million counts under all bounds.
    TypeError, ValueError, ModuleNotFoundError
        As of `counts_by_period`.

    Examples
    --------
    >>> from dptopk.data import counts_of_periods
    >>> import pandas as pd
    >>> days = pd.to_datetime(["2026-01-05", "2026-01-11", "2026-01-12"])
    >>> log = pd.DataFrame({"who": ["ann", "ann", "bob"], "what": ["tea", "jam", "tea"]})
    >>> found = counts_of_periods(log.assign(at=days), user="who", item="what", time="at")
    >>> str(found.day), dict(found.by_bound.counts), found.stays.users
    ('2026-01-05', {'jam': 1, 'tea': 1}, (2,))
    """
    more: dict[str, Any] = {
        "engine": engine,
        "table": table,
        "memory_limit": memory_limit,
        "within": within,
    }
    counts = counts_by_period(
        *(source, user, item, time, period, where), **more, progress=part_of(progress, 0.0, 0.3)
    )
    day = median_period(counts)
    alone = counts_from_events(
        *(source, user, item, within_period(time, period, day, where)),
        **more,
        progress=part_of(progress, 0.3, 0.4),
        by_bound=True,
    ).report.by_bound
    assert alone is not None  # asked for
    if len(counts) * len(alone.bounds) * counts[day].d > _MOST_CELLS:
        raise IngestError(
            f"{plural(len(counts), period)} of {plural(counts[day].d, 'item')} are more counts "
            "than are kept here: choose a longer period, or use `dptopk users EVENTS --user … "
            "--item … --time …`."
        )
    bounded = counts_by_period(
        *(source, user, item, time, period, where),
        **more,
        progress=part_of(progress, 0.4, 0.9),
        by_bound=alone.bounds,
    )
    series = {}
    for of_day, one in bounded.items():
        assert one.report.by_bound is not None  # asked for
        series[of_day] = one.report.by_bound
    stays = periods_of_users(
        *(source, user, time, period, where), **more, progress=part_of(progress, 0.9, 1.0)
    )
    return CountsByPeriod(period, series, day, alone, stays)


def periods_of_table(
    table: RawTable, columns: Columns, time: int, period: str, progress: Progress | None = None
) -> CountsByPeriod:
    """Count the users of each item in each period of an uploaded log, under every bound.

    Parameters
    ----------
    table : RawTable
        From `read_table`.
    columns : tuple of int or None
        Positions of the columns of items, of counts, which are not used, and of users.
    time : int
        Position of the column of dates or times, written as 2026-01-31.
    period, progress
        As of `counts_of_periods`, and so are the errors raised.

    Returns
    -------
    CountsByPeriod
    """
    import pandas as pd

    item, _, user = columns
    if item is None or user is None:
        raise ValueError(f"columns must have one of items and one of users, got {columns}")
    places = (user, item, time)
    cells: list[list[str | None]] = [[] for _ in places]
    for _, row in table.rows(part_of(progress, 0.0, 0.3)):
        if row:
            for column, place in zip(cells, places, strict=True):
                column.append(row[place].strip() or None)
    names = [table.columns[place] for place in places]
    log = pd.DataFrame(dict(zip(names, cells, strict=True)))
    with restricted_connection(**_ENGINE) as engine:
        return counts_of_periods(
            *(log, names[0], names[1], names[2], period),
            engine=engine,
            progress=part_of(progress, 0.3, 1.0),
        )
