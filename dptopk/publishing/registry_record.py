"""Draft records for the OpenDP Deployments Registry of real uses of differential privacy.

https://registry.opendp.org; the schema is that of github.com/opendp/deployments-registry-data.
"""

import datetime
import json
import math
from dataclasses import replace

from dptopk.accounting import Composition
from dptopk.core.application import version
from dptopk.core.numerals import COUNT_UNIT, plural, rounded, rounded_up
from dptopk.core.privacy import NeighborRelation
from dptopk.data.ingest import Contribution
from dptopk.mechanisms import ComparesNoise, Mechanism
from dptopk.tuning.repeated import joint_cost_words

SETTINGS = "Settings: "
"""Text before the settings, as JSON, in the notes of a record."""

_FILL_IN = "TO FILL IN: {}"
_ADJACENT = "Two data sets are adjacent if one is the other with"
_UNIT = {
    NeighborRelation.ADD_REMOVE: f"{_ADJACENT} all records of one user left out.",
    NeighborRelation.SWAP: (f"{_ADJACENT} all records of one user replaced by those of another."),
}
_UNIT_OF_COUNTS = {
    NeighborRelation.ADD_REMOVE: f"{_ADJACENT} at most one {{one}} of each item left out.",
    NeighborRelation.SWAP: (
        f"{_ADJACENT} at most one {{one}} of each item left out and at most one of each added."
    ),
}
_ONCE = "A user counts at most once for an item, so a count differs by at most 1"
_CONTRIBUTES = {
    Contribution.COUNTED: f"{_ONCE}: distinct users were counted.",
    Contribution.STATED: f"{_ONCE}: this was stated of the data, and not checked.",
    Contribution.ASSUMED: f"{_ONCE}: this is assumed of the data, and was not checked.",
    Contribution.SEVERAL: (
        "So a count differs by at most 1. One user may count for more, and is not protected as a "
        "whole."
    ),
}


def registry_record(
    mechanism: Mechanism,
    data: str,
    *,
    n_items: int | None,
    public: bool,
    date: datetime.date,
    unit: str = COUNT_UNIT,
    contribution: Contribution = Contribution.ASSUMED,
    tuned_on: str = "",
    releases: int = 1,
    together: Composition | None = None,
    max_items: int | None = None,
    where: str = "",
    repeats: str = "",
    drawn: str = "",
    paid: str = "",
    released: int | None = None,
    purpose: str = "",
) -> str:
    """Return a draft record as YAML, by the registry's schema and its own checks, with gaps marked.

    Parameters
    ----------
    n_items : int or None
        Number of items there are counts of; none where it would tell of the data.
    public : bool
        Whether the settings were chosen on public data; else how they were is to be filled in.
    unit : str, optional
        What the counts are numbers of, in the plural.
    tuned_on : str, optional
        What stood in for the data when epsilon was chosen, if anything did.
    together : Composition, optional
        What ``releases`` cost together; the parameters are then those of all.
    max_items : int, optional
        How many items of each user were counted at most, where they were cut to so many; what that
        removed is not said, as no noise protects it.
    where : str, optional
        The condition that events of a log had to meet to be counted.
    repeats : str, optional
        What shows that one user counts more than once for an item, where it is known.
    drawn, paid, released, purpose : optional
        Of a release that was drawn: by which code, from which ledger it was paid with what that
        promises, how many items came out, and what it is for.
    """
    guarantee = mechanism.guarantee
    one = contribution.protects(unit)
    adjacent = (_UNIT_OF_COUNTS if one else _UNIT)[guarantee.neighbors].format(one=one)
    details = guarantee.statement_on(one)
    composed = (
        "A single release needs no composition. In a series, this release counts as "
        f"{mechanism.cost.words}. {mechanism.cost.why}"
    )
    if together is not None and together.epsilon < math.inf:
        details = f"Each of {releases:,} releases: {details}"
        guarantee = replace(guarantee, epsilon=rounded_up(together.epsilon), delta=together.delta)
        details = f"All {releases:,} releases: {guarantee.statement_on(one)} {details}"
        composed = (
            f"Each of {releases:,} releases counts as {mechanism.cost.words}. "
            f"{mechanism.cost.why} {joint_cost_words(releases, together)}"
        )
    composed = f"{paid} {composed}".strip()
    cut = "" if max_items is None else f"Of each user at most {plural(max_items, 'item')} counted. "
    if where:
        cut = f"Only events that meet this condition were counted: “{where}”. {cut}"
    contributes = _CONTRIBUTES[contribution]
    if repeats:
        contributes = f"{_ONCE}: this does not hold here, as {repeats}."
    chosen_of = "items" if n_items is None else f"{n_items:,} items"
    parameters: dict[str, float] = {"epsilon": guarantee.epsilon}
    if guarantee.delta:
        parameters["delta"] = guarantee.delta
    settings = {"mechanism": mechanism.card.key} | mechanism.settings
    if n_items is not None:
        settings["items"] = n_items
    record = {
        "url_slug": "to-fill-in",
        "status": "Draft",
        "tier": 3,
        "deployment": {
            "basic": {
                "name": _FILL_IN.format(f"name of the data product (top {mechanism.k} of {data})"),
                "data_curators": [_FILL_IN.format("who publishes it")],
                "intended_use": purpose or _FILL_IN.format("what it is for"),
                "data_product_type": "Summary statistics",
                "data_product_region": _FILL_IN.format("where the people are"),
                "description": (
                    f"Top {mechanism.k} of {chosen_of} by number of {unit}, "
                    f"{'in order' if mechanism.outputs.ordered else 'as a set'}, chosen with noise."
                    f"{_short(mechanism, released)}"
                ),
                "publication_date": date.isoformat(),
            },
            "dp_variant": {
                "variant_name": "Approximate DP" if guarantee.delta else "Pure DP",
                "data_domain": (
                    f"Counts of items, in {unit}; one user may add more than 1 to a count."
                    if one
                    else "Sets of users, each with the set of items counted for them."
                ),
                "unprotected_quantities": (
                    "The list of items, which must be fixed independently of the data."
                    if guarantee.fixed_items
                    else "None."
                ),
            },
            "privacy_loss": {
                "privacy_unit": (
                    f"Event: at most one {one} of each item, and not one user"
                    if one
                    else "User: everything that one user contributed"
                ),
                "privacy_unit_details": f"{adjacent} {contributes}",
                "privacy_parameters": parameters,
                "privacy_parameters_details": details,
            },
            "deployment_model": {
                "model_name": "Central",
                "actors": _FILL_IN.format("who sees the counts before the release"),
                "release_type": "Many releases" if releases > 1 else "One release",
                "data_source_type": "Dynamic" if releases > 1 else "Static",
                "access_type": "Non-interactive",
            },
            "accounting": {
                "post_processing": _FILL_IN.format("what was done to the released items, or none"),
                "composition": composed,
            },
            "implementation": {
                "preprocessing_and_hyperparameter_tuning": cut + _tuning(public, tuned_on),
                "mechanisms": _mechanism_words(mechanism, unit, n_items, drawn),
                "justification": _FILL_IN.format("why this mechanism and this budget"),
            },
            "administrative": {
                "sources": f"{mechanism.card.paper.words}: {mechanism.card.paper.url}",
                "notes": (
                    f"{'Released' if drawn else 'Drafted'} with dptopk {version()}. "
                    f"{SETTINGS}{json.dumps(settings, ensure_ascii=False)}"
                ),
                "registry_authors": [_FILL_IN.format("who wrote this record")],
            },
        },
    }
    import yaml  # here: only who writes a record needs it

    return str(yaml.safe_dump(record, sort_keys=False, allow_unicode=True, width=10**6))


def shortfall(mechanism: Mechanism, released: int) -> str:
    """Return how to read a list of fewer than k items, in a sentence; empty for a whole one."""
    if released >= mechanism.k:
        return ""
    has = f"only {released:,} of up to {mechanism.k:,} items" if released else "no items"
    return (
        f"The list has {has}: the mechanism releases no item that it cannot tell from the others "
        "within its privacy budget; items with large counts may still exist."
    )


def _short(mechanism: Mechanism, released: int | None) -> str:
    """Return what a record says where fewer than k items may come out, or did."""
    if not mechanism.outputs.short:
        return ""
    if released is None:
        return f" The list may have fewer than {mechanism.k:,} items, or none."
    words = shortfall(mechanism, released)
    return f" {words}" if words else ""


def _tuning(public: bool, tuned_on: str) -> str:
    budget = f"The budget is the smallest that suffices on {tuned_on}. " if tuned_on else ""
    if public:
        return (
            f"{budget}The deployer states that mechanism, k and budget were chosen on public data."
        )
    chosen = "mechanism and k were" if tuned_on else "mechanism, k and budget were"
    how = _FILL_IN.format(f"how {chosen} chosen")
    return (
        f"{budget}{how}; if by looking at the private counts, the privacy loss of that is not "
        "accounted for."
    )


def noise_words(mechanism: Mechanism, unit: str, d: int | None) -> str:
    """Return the noise of a mechanism on its choice and on released counts, in sentences.

    ``unit`` is that of the counts in the plural, ``d`` the number of items, where it is public.
    """
    amount = mechanism.scale if d is None else mechanism.scale_on(d)
    scale = mechanism.card.scale_words(f"{rounded(amount, 4)} {unit}")
    words = f"{mechanism.label}, which {scale}."
    if isinstance(mechanism, ComparesNoise):
        noise = mechanism.count_noise
        deviation = f"{rounded(noise.deviation, 4)} {unit}"
        words += f" Released counts have {noise.noise} noise of standard deviation {deviation}."
    return words


def _mechanism_words(mechanism: Mechanism, unit: str, d: int | None, drawn: str) -> str:
    words = noise_words(mechanism, unit, d)
    if drawn:
        return f"{words} {drawn}"
    if sampler := mechanism.external_sampler:
        how = _FILL_IN.format("its version, and who holds the data")
        return f"{words} By OpenDP, {sampler.constructor} under {sampler.measure}; {how}"
    exactly = "dptopk publish draws it exactly"
    known = "no hardened sampler of it is known" if mechanism.why_not_exact else exactly
    return f"{words} {_FILL_IN.format(f'by which code; {known}')}"
