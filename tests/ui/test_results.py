"""Test results cached in a session: equal to the package's, and bounded in size."""

import dataclasses

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from dptopk import (
    METRICS,
    CDPPeel,
    ItemCounts,
    Joint,
    Mechanism,
    NeighborRelation,
    NoClosedFormError,
    PNFJoint,
    PNFPeel,
    exact_error,
    run_trials,
)
from dptopk.data.sources import Source, source_of
from dptopk.questions import errors
from dptopk.questions.view import View
from dptopk.simulation.summaries import places_from_1
from dptopk.ui import keys, results
from dptopk.ui.server import work

COUNTS = ItemCounts([50, 40, 40, 12, 3, 0])
MECHANISMS = (Joint(2, 0.1), PNFJoint(2, 0.1), PNFPeel(3, 0.1), CDPPeel(2, 0.1, 1e-6))
REQUIRED = {key: {"Joint", "PNFJoint"} for key in ("signed_max", "k_relative")}


def page(counts, mechanisms, n, seed):
    import streamlit as st

    from dptopk.questions.errors import measure_errors
    from dptopk.ui import results

    found = measure_errors(counts, mechanisms, "linf", n, seed, runner=results.IN_TURNS)
    st.session_state["given"] = found


def asked(n=30, seed=0, mechanisms=MECHANISMS, counts=COUNTS) -> AppTest:
    return AppTest.from_function(page, args=(counts, mechanisms, n, seed), default_timeout=60)


def trials_shown(mechanisms=MECHANISMS) -> pd.DataFrame:
    """Trials of the package, with places counted from 1."""
    return places_from_1(run_trials(COUNTS, mechanisms, 30, 0))


def ask_again(app: AppTest, **changes) -> AppTest:
    """Run the same session with other settings."""
    app.args = asked(**changes).args
    return app.run()


@pytest.fixture
def computed(monkeypatch) -> list:
    """Mechanisms in the order in which they were drawn from."""
    done, sample = [], Mechanism.sample

    def counted(mechanism, counts, n, rng):
        if n:  # none are drawn to check the arguments
            done.append(mechanism)
        return sample(mechanism, counts, n, rng)

    monkeypatch.setattr(Mechanism, "sample", counted)
    return done


@pytest.fixture
def interrupted(monkeypatch, computed) -> list:
    """Make the third mechanism fail once, as an interaction would; what was done before it."""
    failed, sample = [], Mechanism.sample

    def failing(mechanism, counts, n, rng):
        if n and mechanism == MECHANISMS[2] and not failed:
            failed.append(mechanism)
            raise KeyError("a control was moved")
        return sample(mechanism, counts, n, rng)

    monkeypatch.setattr(Mechanism, "sample", failing)
    return computed


def test_trials_are_those_of_the_package_and_are_not_run_again(computed):
    app = asked().run()
    assert [element.message for element in app.exception] == []
    first = app.session_state["given"]
    again = ask_again(app).session_state["given"]
    assert computed == list(MECHANISMS)
    for given in (first, again):
        assert given.mechanisms == MECHANISMS
        pd.testing.assert_frame_equal(given.trials, trials_shown())


@pytest.mark.parametrize(
    "changes",
    [{"n": 31}, {"seed": 1}, {"counts": ItemCounts([50, 40, 40, 12, 3, 1])}],
    ids=["n", "seed", "counts"],
)
def test_other_settings_are_run_anew(computed, changes):
    app = asked().run()
    ask_again(app, **changes)
    assert computed == [*MECHANISMS, *MECHANISMS]


def test_an_interrupted_run_keeps_what_was_finished(interrupted):
    app = asked().run()
    assert len(app.exception) == 1
    assert interrupted == list(MECHANISMS[:2])
    interrupted.clear()
    app.run()
    assert [element.message for element in app.exception] == []
    assert interrupted == list(MECHANISMS[2:])
    whole = trials_shown()
    pd.testing.assert_frame_equal(app.session_state["given"].trials, whole)


def test_a_stopped_run_shows_what_is_done_and_can_be_continued(interrupted, monkeypatch):
    monkeypatch.setattr(work, "QUIET_SECONDS", -1.0)  # so that the button is there
    app = asked().run()
    app.button(key="stop-errors").click().run()
    given = app.session_state["given"]
    assert given.mechanisms == MECHANISMS[:2]
    assert app.warning[0].value.startswith("Stopped: 2 of 4 ")
    pd.testing.assert_frame_equal(given.trials, trials_shown(MECHANISMS[:2]))
    app.button(key="continue-errors").click().run()
    given = app.session_state["given"]
    assert (given.mechanisms, len(app.warning)) == (MECHANISMS, 0)
    pd.testing.assert_frame_equal(given.trials, trials_shown())


def test_stopping_one_run_stops_no_other():
    app = asked().run()
    app.session_state[keys.STOPPED.format("errors")] = -1  # of other settings
    ask_again(app, seed=1)
    assert app.session_state["given"].mechanisms == MECHANISMS


@pytest.fixture
def stopped(monkeypatch):
    """Make every run from now on one that was stopped."""

    def stop():
        always = property(lambda bar: True, lambda bar, value: None)
        monkeypatch.setattr(work.Progress, "stopped", always, raising=False)

    return stop


def test_a_run_stopped_at_once_shows_nothing_and_can_be_continued(stopped):
    stopped()
    app = asked().run()
    assert app.session_state["given"].mechanisms == ()
    assert app.session_state["given"].trials.empty
    assert app.button(key="continue-errors").label == "Continue"


def test_what_is_remembered_is_bounded_and_the_oldest_goes_first(monkeypatch, computed):
    monkeypatch.setattr(work, "MOST_KEPT", 300)
    app = asked().run()
    for seed in range(1, 6):
        ask_again(app, seed=seed)
        assert 0 < app.session_state[keys.RESULTS].size <= 300
    computed.clear()
    ask_again(app, seed=4)  # recent enough
    assert computed == []
    ask_again(app, seed=0)
    assert computed == list(MECHANISMS)


def test_the_progress_appears_in_long_work_only_and_goes_away(monkeypatch):
    monkeypatch.setattr(work, "QUIET_SECONDS", -1.0)
    shown = []
    show = work.Progress.show
    monkeypatch.setattr(
        work.Progress, "show", lambda bar, done: (show(bar, done), shown.append(done))
    )
    app = asked(n=300).run()
    assert [element.message for element in app.exception] == []
    assert shown == sorted(shown)
    assert shown[-1] == pytest.approx(sum(mechanism.k for mechanism in MECHANISMS))
    assert len(app.button) == 0


def worst_page(counts, mechanisms, neighbors):
    import streamlit as st

    from dptopk.questions.privacy import worst_cases
    from dptopk.ui import results

    st.session_state["given"] = worst_cases(counts, mechanisms, neighbors, results.IN_TURNS)


def test_worst_cases_of_a_stopped_run_keep_their_own_names(stopped):
    counts, relation = ItemCounts([4, 1, 0]), NeighborRelation.ADD_REMOVE
    app = AppTest.from_function(worst_page, args=(counts, MECHANISMS[1:2], relation)).run()
    finished = app.session_state["given"]["PNFJoint"]
    stopped()  # another mechanism is chosen too, and Stop pressed before it is done
    app.args = (counts, MECHANISMS[:2], relation)
    assert app.run().session_state["given"] == {"PNFJoint": finished}


@pytest.mark.parametrize("metric", METRICS)
def test_exact_laws_are_given_where_they_are_known_and_belong_to_their_mechanism(metric):
    known = {m.label: m for m in MECHANISMS if metric in m.exact_metrics}
    assert set(known) >= REQUIRED.get(metric, set())
    for _ in range(2):  # computed, then remembered
        laws = errors.exact_laws(COUNTS, MECHANISMS, metric, results.IN_TURNS)
        assert set(laws) == set(known)
        for label, mechanism in known.items():
            law = exact_error(COUNTS, mechanism, metric)
            assert (laws[label].values == law.values).all()
            assert (laws[label].log_probabilities == law.log_probabilities).all()


def test_a_law_too_large_to_write_out_is_left_to_the_simulation(monkeypatch):
    def too_large(*arguments):
        raise NoClosedFormError("too many levels")

    monkeypatch.setattr(errors, "exact_error", too_large)
    counts = ItemCounts([51, 40, 40, 12, 3, 0])
    assert errors.exact_laws(counts, MECHANISMS, "signed_max", results.IN_TURNS) == {}


BUNDLED = source_of("games", {})
VIEW = View(BUNDLED, 2, 1.0, NeighborRelation.SWAP, ("Joint",), 50, 7, {"delta": 1e-6})
CHANGED = {"keys": ("PNFJoint",), "neighbors": NeighborRelation.ADD_REMOVE}
CHANGED |= {"parameters": {"delta": 1e-5}, "source.counts": ItemCounts([50, 40])}


@pytest.mark.parametrize(
    "changed",
    [f.name for f in dataclasses.fields(View) if f.name != "source"]
    + [f"source.{f.name}" for f in dataclasses.fields(Source) if f.name != "bundled"],
)
def test_what_is_shared_is_told_apart_by_every_field_of_a_view_and_its_source(changed, monkeypatch):
    tokens = []
    monkeypatch.setattr(work, "shared", lambda token, size, make: tokens.append(token))
    of, name = (BUNDLED, changed[7:]) if changed.startswith("source.") else (VIEW, changed)
    other = dataclasses.replace(of, **{name: CHANGED.get(changed, 99)})
    for view in (VIEW, other if of is VIEW else dataclasses.replace(VIEW, source=other)):
        results.shown("a page", view, (), list)
    assert len(set(tokens)) == 2


def test_digests_tell_counts_and_names_apart():
    one = ItemCounts([2, 1], ["a", "b"])
    for other in (ItemCounts([2, 1], ["a", "c"]), ItemCounts([2, 0], ["a", "b"])):
        assert one.identity != other.identity
        assert one.digest != other.digest
