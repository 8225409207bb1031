"""Records pass the registry's own schema, and say what only the deployer knows."""

import datetime
from pathlib import Path

import jsonschema
import pytest
import yaml

from dptopk import CDPPeel, LimitedDomain, NeighborRelation, PNFPeel
from dptopk.handover import registry_record

SCHEMA = yaml.safe_load((Path(__file__).parent / "data/deployments-schema.yaml").read_text("utf-8"))
DATE = datetime.date(2026, 3, 1)


def record_of(mechanism, **options) -> tuple[str, dict]:
    options = {"n_items": 1_234, "public": True, "date": DATE} | options
    text = registry_record(mechanism, "Clicks: *who* & 'what'?", **options)
    return text, yaml.safe_load(text)


@pytest.mark.parametrize(
    "mechanism",
    [
        PNFPeel(10, 1.0),
        CDPPeel(10, 0.7, 1e-9, NeighborRelation.SWAP),
        LimitedDomain(5, 1.0, 1e-6),
    ],
    ids=str,
)
@pytest.mark.parametrize("public", [True, False])
def test_a_record_is_valid_and_holds_the_guarantee(mechanism, public):
    text, record = record_of(mechanism, public=public)
    checker = jsonschema.Draft7Validator(SCHEMA, format_checker=jsonschema.FormatChecker())
    assert list(checker.iter_errors(record)) == []
    deployment = record["deployment"]
    parameters = deployment["privacy_loss"]["privacy_parameters"]
    assert parameters["epsilon"] == mechanism.epsilon
    assert parameters.get("delta", 0.0) == mechanism.guarantee.delta
    pure = not mechanism.guarantee.delta
    assert deployment["dp_variant"]["variant_name"] == ("Pure DP" if pure else "Approximate DP")
    tuned = deployment["implementation"]["preprocessing_and_hyperparameter_tuning"]
    assert ("not accounted for" in tuned) is not public
    styles = {token.style for token in yaml.scan(text) if isinstance(token, yaml.ScalarToken)}
    assert styles <= {None, "", "'", '"', "|"}  # the registry wants no folded text


def test_what_only_the_deployer_knows_is_to_be_filled_in():
    _, record = record_of(PNFPeel(10, 1.0))
    basic = record["deployment"]["basic"]
    assert basic["data_curators"] == ["TO FILL IN: who publishes it"]
    assert basic["publication_date"] == "2026-03-01"
    assert "Clicks: *who* & 'what'?" in basic["name"]


def test_the_list_of_items_is_no_secret_only_where_it_was_fixed():
    def unprotected(mechanism):
        return record_of(mechanism)[1]["deployment"]["dp_variant"]["unprotected_quantities"]

    assert unprotected(PNFPeel(2, 1.0)).startswith("The list of items")
    assert unprotected(LimitedDomain(2, 1.0, 1e-6)) == "None."
