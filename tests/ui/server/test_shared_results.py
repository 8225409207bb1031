"""Test that results of bundled data are shared among sessions, and those of uploads never."""

import contextlib
import functools
import re
import threading
from types import SimpleNamespace

import pytest
from crowd import until

from dptopk import ItemCounts, Joint
from dptopk.questions.errors import measure_errors
from dptopk.questions.runner import Task
from dptopk.ui import results
from dptopk.ui.server import work
from dptopk.ui.server.lru_cache import LRUCache

COUNTS = ItemCounts([9, 5, 4, 1])
OTHERS = ItemCounts([9, 5, 4, 2])


class Visitor:
    """A session in a thread of its own, and what it was given."""

    def __init__(self, compute):
        self._found: list = []
        self._thread = threading.Thread(target=self._run, args=(compute,), daemon=True)
        self._thread.start()

    def _run(self, compute):
        with contextlib.suppress(ZeroDivisionError):
            self._found.append(compute())

    @property
    def given(self):
        """What it was given; nothing if that could not be computed."""
        self._thread.join(30)
        assert not self._thread.is_alive()
        return next(iter(self._found), None)


@pytest.fixture(autouse=True)
def sessions(monkeypatch):
    """Every thread is a session: AppTest runs one at a time."""
    own = threading.local()

    def store():
        if not hasattr(own, "results"):
            own.results = LRUCache(work.MOST_KEPT)
        return own.results

    monkeypatch.setattr(work, "_store", store)


class Computed:
    """Counts how often it is computed; may be held up."""

    def __init__(self):
        self.n = 0
        self.may_end = threading.Event()
        self.fails = False

    def __call__(self, progress=None):
        self.n += 1
        self.may_end.wait(30)
        if self.fails:
            raise ZeroDivisionError
        return f"result {self.n}"


@pytest.fixture
def computed():
    return Computed()


def as_one(computed, data):
    return lambda: work.run_once(("it", data), computed, 1)


def as_pieces(computed, data):
    pieces = {(part, data): Task(computed, ()) for part in ("one", "other")}
    return lambda: list(work.run_pieces(pieces, "here").values())


@pytest.mark.parametrize(("way", "n"), [(as_one, 1), (as_pieces, 2)])
def test_a_crowd_that_asks_for_the_same_waits_for_one_computation(computed, way, n):
    work.share(["games"])
    crowd = [Visitor(way(computed, "games")) for _ in range(4)]
    until(lambda: computed.n == 1)
    computed.may_end.set()
    assert all(visitor.given == crowd[0].given for visitor in crowd)
    assert computed.n == n
    assert Visitor(way(computed, "games")).given == crowd[0].given
    Visitor(way(computed, "mine")).given  # noqa: B018
    Visitor(way(computed, "mine")).given  # noqa: B018
    assert computed.n == 3 * n  # what is not bundled stays in its session


def test_one_run_is_remembered_whole_however_large_it_is(computed, monkeypatch):
    monkeypatch.setattr(work, "MOST_KEPT", 1)
    computed.may_end.set()
    make = as_pieces(computed, "mine")
    assert Visitor(lambda: (make(), make())).given == (["result 1", "result 2"],) * 2


def test_where_one_fails_the_next_computes(computed):
    work.share(["games"])
    computed.fails = True
    crowd = [Visitor(as_one(computed, "games")) for _ in range(2)]
    until(lambda: computed.n == 1)
    computed.may_end.set()
    assert [visitor.given for visitor in crowd] == [None, None]
    assert computed.n == 2
    computed.fails = False
    assert Visitor(as_one(computed, "games")).given == "result 3"


def test_what_was_made_of_a_stopped_run_is_not_shared(computed, monkeypatch):
    class Stopped(work.Progress):
        def __init__(self, *given, **named):
            super().__init__(*given, **named)
            self.stopped = True

    work.share(["games"])
    computed.may_end.set()
    make = as_pieces(computed, "games")

    def page():  # its chart is drawn of what it was given before
        given = work.shared(("page", "games"), 1, make)
        return given, work.shared(("chart", "games"), 1, lambda: f"chart of {given}")

    with monkeypatch.context() as stopping:
        stopping.setattr(work, "Progress", Stopped)
        assert Visitor(page).given == ([], "chart of []")
    whole = ["result 1", "result 2"]
    for _ in range(2):
        assert Visitor(page).given == (whole, f"chart of {whole}")
    assert computed.n == 2


def test_results_of_bundled_counts_alone_are_shared():
    work.share([COUNTS.identity])
    for counts, kept in ((OTHERS, 0), (COUNTS, 9 + 1)):
        asked = (counts, [Joint(2, 1.0)], "linf", 9, 0)
        run = functools.partial(measure_errors, *asked, runner=results.IN_TURNS)
        assert len(Visitor(run).given.trials) == 9
        assert work._SHARED.size == kept  # trials, and the exact shares


@pytest.mark.parametrize(("untimed", "words"), [("", "about 2 s left"), ("Two", "Two: 50% left")])
def test_what_is_said_to_be_left_never_grows(untimed, words, monkeypatch):
    said, now = [], [0.0]
    monkeypatch.setattr(work, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(work.Progress, "_say", lambda _, sentence: said.append(sentence))
    bar = work.Progress("here", 0, 4.0, untimed=untimed)
    for now[0], done in ((2.0, 2.0), (60.0, 2.1), (61.0, 3.9)):  # the second part is slow
        bar.show(done)
    assert words in said[0]
    left = [int(re.search(r"(\d+)(?:%| s) left", one)[1]) for one in said]
    assert left == sorted(left, reverse=True)
