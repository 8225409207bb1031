"""Test that the checklist states the properties of each mechanism correctly."""

import pytest

from dptopk import CDPPeel, EMPeel, Gamma, Joint, Laplace, LimitedDomain, StableSet
from dptopk.data.ingest import Contribution
from dptopk.export.handover import checklist
from dptopk.export.handover.checklist import chosen_how


def points(
    mechanism, contribution=Contribution.COUNTED, public=True, items_of_data=True, tuned_on=""
):
    given = {"contribution": contribution, "unit": "orders", "public": public}
    given |= {"items_of_data": items_of_data, "tuned_on": tuned_on}
    return {answer.topic: answer for answer in checklist(mechanism, **given)}


@pytest.mark.parametrize("mechanism", [CDPPeel(3, 1.0, 1e-6), Joint(3, 1.0)], ids=str)
def test_parameters_and_unit_are_those_of_the_guarantee(mechanism):
    found = points(mechanism)
    assert "ε = 1" in found["Privacy parameters"].ours
    assert ("δ = 1e-6" in found["Privacy parameters"].ours) is bool(mechanism.guarantee.delta)
    assert mechanism.guarantee.statement in found["Unit of privacy"].ours
    assert all(answer.yours for answer in found.values())


def test_one_number_is_stated_alike_at_every_point_and_never_below_its_value():
    found = points(StableSet(3, 1.2345612, 1e-6 / 12))
    assert "ε = 1.23457 and δ = 8.33334e-8," in found["Privacy parameters"].ours
    assert "an extra 8.33334e-8 of" in found["Unit of privacy"].ours
    assert "(1.23457, 8.33334e-8)" in found["Composition"].ours


def test_the_unit_of_privacy_follows_from_how_counts_were_made():
    def unit(contribution):
        return points(Joint(3, 1.0), contribution)["Unit of privacy"].ours

    counted = "made by counting distinct users"
    assert [c for c in Contribution if counted in unit(c)] == [Contribution.COUNTED]
    assert "was stated to be of distinct users; this was not checked" in unit(Contribution.STATED)
    assert "not checked" in unit(Contribution.ASSUMED)
    several = unit(Contribution.SEVERAL)
    assert several.startswith("Adding at most one order to each item, or taking at most one")
    assert "does not hold for a whole user" in several
    assert "distinct users were not counted" in several


@pytest.mark.parametrize("public", [True, False])
@pytest.mark.parametrize("tuned_on", ["", "the public data (Books)"])
def test_how_settings_were_chosen_is_said_in_the_words_of_the_report(public, tuned_on):
    found = points(Joint(3, 1.0), public=public, tuned_on=tuned_on)["Choice of the settings"].ours
    assert found == chosen_how(public, tuned_on)
    assert found.startswith("ε is the smallest that suffices on the public data") is bool(tuned_on)
    assert ("Mechanism, k and ε were, or may have been, chosen by looking" in found) is (
        not public and not tuned_on
    )


def test_hardened_samplers_are_named_where_there_are_some():
    def drawn(mechanism):
        return points(mechanism)["Randomness and arithmetic"].yours

    assert "dptopk publish, on a machine of your own, or with the OpenDP" in drawn(EMPeel(3, 1.0))
    assert drawn(Joint(3, 1.0)) == "Draw the release with dptopk publish, on a machine of your own."
    assert "OpenDP script" in drawn(Laplace(3, 1.0, max_items=1))
    assert "none is known for this mechanism" in drawn(Gamma(3, 1.0))


def test_tuning_on_private_counts_is_said():
    assert "no guarantee here" in points(Joint(3, 1.0), public=False)["Choice of the settings"].ours
    assert "no guarantee" not in points(Joint(3, 1.0))["Choice of the settings"].ours


def test_only_fixed_items_must_be_fixed():
    assert "Fix the list" in points(Joint(3, 1.0))["List of items"].yours
    assert "Fix the list" not in points(LimitedDomain(3, 1.0, 1e-6))["List of items"].yours


def test_a_list_read_off_the_data_is_said_to_be_one():
    assert "from the data themselves" in points(Joint(3, 1.0))["List of items"].ours
    assert points(Joint(3, 1.0), items_of_data=False)["List of items"].ours == ""
    assert "takes the items from" in points(LimitedDomain(3, 1.0, 1e-6))["List of items"].ours
