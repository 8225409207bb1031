"""Test that long work takes turns with other sessions, and that cached results do not."""

import contextlib
import threading

import pytest
from streamlit.testing.v1 import AppTest

from dptopk import ItemCounts, Joint, NeighborRelation, PNFPeel
from dptopk.questions import budget
from dptopk.questions.errors import exact_laws, exact_shares, trial_tasks
from dptopk.questions.privacy import worst_cases
from dptopk.questions.release import released
from dptopk.simulation.single_releases import consecutive_releases
from dptopk.ui import results
from dptopk.ui.sections.enumeration import enumerated
from dptopk.ui.server import work
from dptopk.ui.server.fair_scheduler import FairScheduler

COUNTS = ItemCounts([9, 5, 4, 1])
ONE = Joint(2, 1.0)
NOISY = PNFPeel(2, 1.0)
LONG = {
    "trials": lambda: runs(),
    "worst cases": lambda: worst_cases(
        COUNTS, [ONE], NeighborRelation.ADD_REMOVE, results.IN_TURNS
    ),
    "release": lambda: results.remembered(released, COUNTS, ONE, 0),
    "noise": lambda: results.noise(COUNTS, NOISY, 0, None),
    "loss": lambda: results.loss_of_release(COUNTS, ONE, 0),
    "played": lambda: results.remembered(consecutive_releases, COUNTS, ONE, 0, 5),
    "laws": lambda: exact_laws(COUNTS, [ONE], "signed_max", results.IN_TURNS),
    "shares": lambda: exact_shares(COUNTS, [ONE], results.IN_TURNS),
    "written out": lambda: enumerated(COUNTS, (ONE,), 100, 0),
    "calibrations": lambda: calibrations(),
}


def runs():
    return results.IN_TURNS.each(trial_tasks(COUNTS, [ONE], 9, 0), "here")


def calibrations():
    curves = results.remembered(budget.spent_deltas, 0.5, 2, (0.5, 1.0), ("cks", "paper"))
    return results.remembered(budget.calibrations, 1.0, 1e-6, 2, 1.0), curves


def page(compute):
    import streamlit as st

    st.session_state["given"] = compute()


def session(compute) -> AppTest:
    return AppTest.from_function(page, args=(compute,), default_timeout=60)


class Counted(FairScheduler):
    """Writes down whose turns there were."""

    def __init__(self):
        super().__init__()
        self.turns = []

    @contextlib.contextmanager
    def turn(self, session, waiting):
        self.turns.append(session)
        with super().turn(session, waiting) as hand_on:
            yield hand_on


@pytest.fixture
def scheduler(monkeypatch):
    scheduler = Counted()
    monkeypatch.setattr(work, "SCHEDULER", scheduler)
    return scheduler


@pytest.mark.parametrize("compute", LONG.values(), ids=LONG)
def test_long_work_takes_a_turn_once_in_every_session(scheduler, compute):
    app = session(compute).run()
    assert [error.message for error in app.exception] == []
    n_turns = len(scheduler.turns)
    assert n_turns >= 1
    app.run()
    assert len(scheduler.turns) == n_turns  # remembered: no turn is needed
    session(compute).run()
    assert len(scheduler.turns) == 2 * n_turns  # and no other session was given it


@pytest.fixture
def held(scheduler, monkeypatch):
    """Somebody else computes until somebody was told to wait; what was told."""
    told, begun, ended = [], threading.Event(), threading.Event()

    def hold():
        with scheduler.turn("somebody else", lambda ahead: None):
            begun.set()
            ended.wait(30)

    def told_to(say):
        def tell(place, words):
            say(place, words)
            told.append(words)
            ended.set()

        return tell

    monkeypatch.setattr(work, "QUIET_SECONDS", 0.2)
    for kind in (work.Progress, work.Waiting):
        monkeypatch.setattr(kind, "_say", told_to(kind._say))
    thread = threading.Thread(target=hold)
    thread.start()
    begun.wait(30)
    yield told
    ended.set()
    thread.join(30)


@pytest.mark.parametrize("name", ["trials", "played"])
def test_who_waits_is_told_how_many_are_ahead_and_then_served(held, name):
    app = session(LONG[name]).run()
    assert [error.message for error in app.exception] == []
    assert held[0] == "Waiting for others: 1 ahead"
    assert app.session_state["given"] is not None
    assert app.caption.values == []  # nothing is left of it
    assert list(app.button) == []


def test_stop_is_there_while_others_are_waited_for(held, monkeypatch):
    buttons = []
    close = work.Progress.close
    monkeypatch.setattr(
        work.Progress, "close", lambda bar: (buttons.append(bar._bar is not None), close(bar))
    )
    session(LONG["trials"]).run()
    assert buttons == [True]


def test_an_error_gives_the_turn_back(scheduler):
    def fails():
        raise ValueError("cannot be computed")

    app = session(lambda: work.run_once(("fails",), fails, 1)).run()
    assert len(app.exception) == 1
    with scheduler.turn("next", lambda ahead: pytest.fail("the turn was kept")):
        scheduler.turns.append("through")
    assert scheduler.turns[-1] == "through"
