"""Test records against the schema of the registry, with gaps for the deployer's statements."""

import datetime
import math

import pytest
import yaml

from dptopk import (
    CDPPeel,
    LimitedDomain,
    NeighborRelation,
    OneShotCounts,
    PNFPeel,
    PrivateCountRelease,
)
from dptopk.data.ingest import Contribution
from dptopk.publishing.registry_record import registry_record

DATE = datetime.date(2026, 3, 1)


def record_of(mechanism, **options) -> tuple[str, dict]:
    options = {"n_items": 1_234, "public": True, "date": DATE} | options
    text = registry_record(mechanism, "Clicks: *who* & 'what'?", **options)
    return text, yaml.safe_load(text)


@pytest.mark.parametrize(
    "mechanism",
    [PNFPeel(10, 1.0), CDPPeel(10, 0.7, 1e-9, NeighborRelation.SWAP), LimitedDomain(5, 1.0, 1e-6)],
    ids=str,
)
@pytest.mark.parametrize("public", [True, False])
def test_a_record_is_valid_and_holds_the_guarantee(mechanism, public, faults):
    text, record = record_of(mechanism, public=public)
    assert faults(record) == []
    deployment = record["deployment"]
    parameters = deployment["privacy_loss"]["privacy_parameters"]
    assert parameters["epsilon"] == mechanism.epsilon
    assert parameters.get("delta", 0.0) == mechanism.guarantee.delta
    pure = not mechanism.guarantee.delta
    assert deployment["dp_variant"]["variant_name"] == ("Pure DP" if pure else "Approximate DP")
    tuned = deployment["implementation"]["preprocessing_and_hyperparameter_tuning"]
    assert ("not accounted for" in tuned) is not public
    how = "TO FILL IN: how mechanism, k and budget were chosen; if by looking at the private"
    assert (how in tuned) is not public  # nobody knows that they were
    styles = {token.style for token in yaml.scan(text) if isinstance(token, yaml.ScalarToken)}
    assert styles <= {None, "", "'", '"', "|"}  # the registry wants no folded text


@pytest.mark.parametrize("neighbors", NeighborRelation)
def test_the_unit_of_privacy_is_what_the_promise_holds_for(neighbors, faults):
    mechanism = PNFPeel(10, 1.0, neighbors)
    _, record = record_of(mechanism, unit="units of qty", contribution=Contribution.SEVERAL)
    assert faults(record) == []
    deployment = record["deployment"]
    loss = deployment["privacy_loss"]
    assert loss["privacy_unit"] == "Event: at most one unit of qty of each item, and not one user"
    assert "one unit of qty of each item left out" in loss["privacy_unit_details"]
    assert "at most one unit of qty" in loss["privacy_parameters_details"]
    assert "at most once" not in str(deployment)
    assert "Sets of users" not in str(deployment)
    for contribution, how in [
        (Contribution.COUNTED, "distinct users were counted"),
        (Contribution.STATED, "stated of the data, and not checked"),
        (Contribution.ASSUMED, "assumed of the data"),
    ]:
        loss = record_of(mechanism, contribution=contribution)[1]["deployment"]["privacy_loss"]
        assert loss["privacy_unit"].startswith("User: ")
        assert how in loss["privacy_unit_details"]


def test_what_only_the_deployer_knows_is_to_be_filled_in():
    _, record = record_of(PNFPeel(10, 1.0))
    basic = record["deployment"]["basic"]
    assert basic["data_curators"] == ["TO FILL IN: who publishes it"]
    assert basic["publication_date"] == "2026-03-01"
    assert "Clicks: *who* & 'what'?" in basic["name"]


def test_a_list_of_fewer_items_has_a_sentence_for_its_readers():
    def description(mechanism, **options):
        return record_of(mechanism, **options)[1]["deployment"]["basic"]["description"]

    short = LimitedDomain(5, 1.0, 1e-6)
    assert description(short).endswith(" The list may have fewer than 5 items, or none.")
    assert "The list has only 2 of up to 5 items: the" in description(short, released=2)
    assert "The list has no items: the mechanism" in description(short, released=0)
    assert description(short, released=5).endswith("chosen with noise.")
    assert description(PNFPeel(5, 1.0)).endswith("chosen with noise.")


@pytest.mark.parametrize("cls", [OneShotCounts, PrivateCountRelease])
def test_the_noise_on_released_counts_is_told(cls):
    mechanism = cls(5, 1.0, 1e-6)
    words = str(record_of(mechanism)[1])
    noise, deviation = {
        OneShotCounts: ("Laplace", math.sqrt(2) * mechanism.count_scale),
        PrivateCountRelease: ("Gaussian", mechanism.count_scale),
    }[cls]
    assert f"have {noise} noise of standard deviation {deviation:.4g} users. " in words
    assert "Released counts" not in str(record_of(LimitedDomain(5, 1.0, 1e-6)))


def test_the_list_of_items_is_no_secret_only_where_it_was_fixed():
    def unprotected(mechanism):
        return record_of(mechanism)[1]["deployment"]["dp_variant"]["unprotected_quantities"]

    assert unprotected(PNFPeel(2, 1.0)).startswith("The list of items")
    assert unprotected(LimitedDomain(2, 1.0, 1e-6)) == "None."
