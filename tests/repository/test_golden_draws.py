"""Test that seeded draws equal the recorded ones, since links and scripts repeat them.

`golden_draws.json` holds what each call gave when its mechanism was first published.  A change
here breaks every shared link and every published figure: it needs a reason and a line in CHANGELOG.
Running this file as a script writes the record anew, with the mechanisms that are new.
"""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from dptopk import (
    MECHANISMS as REGISTERED,
    AdaptiveK,
    CDPPeel,
    Gamma,
    ItemCounts,
    Laplace,
    LimitedDomain,
    LimitedDomainLaplace,
    Mechanism,
    NeighborRelation,
    OneShotCounts,
    PrivateCountRelease,
    StableSet,
    ThresholdedLaplace,
    load_dataset,
    release,
    run_trials,
    sweep,
)
from dptopk.simulation.trials import generator_for

RECORD = Path(__file__).with_name("golden_draws.json")
SWAP = NeighborRelation.SWAP
SMALL = ItemCounts([40, 3, 25, 17, 17, 8, 0, 2, 25, 9])

SETTINGS = {  # of their own; the others are recorded at k = 4 and epsilon = 0.7
    "CDPPeel": CDPPeel(4, 0.7, 1e-2),
    "CDPPeel swap": CDPPeel(4, 0.7, 1e-2, SWAP),
    "CDPPeel optimal": CDPPeel(4, 0.7, 1e-3, calibration="optimal"),
    "CDPPeel pure": CDPPeel(4, 0.7, 0),
    "StableSet": StableSet(4, 0.7, 0.5),
    "StableSet swap": StableSet(4, 0.7, 0.5, SWAP),
    "AdaptiveK": AdaptiveK(4, 0.7, 0.4),
    "AdaptiveK swap": AdaptiveK(4, 0.7, 0.8, SWAP),
    "Laplace few items": Laplace(4, 0.7, max_items=2),
    "Gamma optimal": Gamma(4, 0.7, calibration="optimal"),
    "LimitedDomain": LimitedDomain(4, 2.0, 0.1),
    "LimitedDomain swap": LimitedDomain(4, 4.0, 0.1, SWAP, k_bar=5),
    "LimitedDomain few items": LimitedDomain(4, 2.0, 0.1, max_items=1),
    "LimitedDomainLaplace": LimitedDomainLaplace(4, 2.0, 0.1, 1),
    "LimitedDomainLaplace swap": LimitedDomainLaplace(4, 4.0, 0.1, 1, SWAP, 5),
    "ThresholdedLaplace": ThresholdedLaplace(4, 2.0, 0.1),
    "ThresholdedLaplace swap": ThresholdedLaplace(4, 4.0, 0.1, 2, SWAP),
    "PrivateCountRelease": PrivateCountRelease(4, 3.0, 0.1),
    "PrivateCountRelease swap": PrivateCountRelease(4, 6.0, 0.1, SWAP, k_bar=5),
    "OneShotCounts": OneShotCounts(4, 0.7, 1e-2),
    "OneShotCounts swap": OneShotCounts(4, 0.7, 1e-2, SWAP),
}


def settings_of_every_mechanism() -> dict[str, Mechanism]:
    """Return each mechanism under each relation, and what else `SETTINGS` asks for, by name."""
    made = dict(SETTINGS)
    for kind in REGISTERED.values():
        own = {"delta": 0.1} if kind.card.takes("delta") else {}
        for suffix, relation in (("", NeighborRelation.ADD_REMOVE), (" swap", SWAP)):
            made.setdefault(kind.__name__ + suffix, kind(4, 0.7, neighbors=relation, **own))
    return made


MECHANISMS = settings_of_every_mechanism()


def digest(frame) -> str:
    """Hash of the settings and whole numbers of a table of trials, column by column."""
    setting = frame[["mechanism", "k", "epsilon", "delta", "neighbors"]].to_csv(index=False)
    numbers = frame[["trial", "linf", "l1", "k_relative", "signed_max", "linf_index"]]
    right = frame[["exact_sequence", "exact_set"]]
    content = setting.encode() + np.ascontiguousarray(numbers, dtype="<i8").tobytes()
    return hashlib.sha256(content + np.ascontiguousarray(right, dtype="u1").tobytes()).hexdigest()


def stream_of(name: str):
    return generator_for(MECHANISMS[name], seed=11, batch=2).integers(2**53, size=2).tolist()


def draws_of(name: str):
    rng = np.random.default_rng(5)
    return MECHANISMS[name].sample(SMALL, 20, rng).tolist()


def large_draws_of(name: str):
    rng = np.random.default_rng(6)
    mechanism = type(MECHANISMS[name])(**vars(MECHANISMS[name]) | {"k": 60})
    samples = mechanism.sample(load_dataset("games"), 40, rng)
    return hashlib.sha256(samples.astype("<i8").tobytes()).hexdigest()


def releases_of(name: str):
    return [release(SMALL, MECHANISMS[name], seed).tolist() for seed in range(4)]


def trials_of(name: str):
    return digest(run_trials(load_dataset("games"), [MECHANISMS[name]], 300, seed=7))


def sweep_of(name: str):
    return [
        digest(sweep(SMALL, [MECHANISMS[name]], "k", [1, 3, 10], 20, seed=8)),
        digest(sweep(SMALL, [MECHANISMS[name]], "epsilon", [0.1, 3.0], 20, seed=8)),
    ]


CALLS = {"stream": stream_of, "draws": draws_of, "large": large_draws_of}
CALLS |= {"release": releases_of, "trials": trials_of, "sweep": sweep_of}


@pytest.mark.parametrize("name", MECHANISMS)
def test_what_was_drawn_once_is_drawn_again(name):
    record = json.loads(RECORD.read_text())
    assert {call: f(name) for call, f in CALLS.items()} == {
        call: record[call][name] for call in CALLS
    }


def test_every_mechanism_has_its_draws_recorded_for_both_relations(toys):
    recorded = {(type(each), each.neighbors) for each in settings_of_every_mechanism().values()}
    assert recorded == {(kind, one) for kind in REGISTERED.values() for one in NeighborRelation}
    assert "ToyCounts swap" in settings_of_every_mechanism()


def test_another_seed_would_be_noticed():
    """The record tells streams apart; what is drawn from them may be one law under two names."""
    record = json.loads(RECORD.read_text())
    streams = [json.dumps(entry) for entry in record["stream"].values()]
    assert len(set(streams)) == len(streams)
    for name, entry in record["release"].items():
        assert len({tuple(sequence) for sequence in entry}) > 1, name


def written(record: dict) -> str:
    """Return the record as JSON with a line for what each call gave, sorted."""
    calls = (
        f"{json.dumps(call)}: {{\n"
        + ",\n".join(f"{json.dumps(name)}: {json.dumps(found[name])}" for name in sorted(found))
        + "\n}"
        for call, found in sorted(record.items())
    )
    return "{\n" + ",\n".join(calls) + "\n}\n"


if __name__ == "__main__":
    RECORD.write_text(
        written({call: {name: f(name) for name in MECHANISMS} for call, f in CALLS.items()})
    )
