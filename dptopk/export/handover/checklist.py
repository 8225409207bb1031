"""Checklist for deploying a release: what this package guarantees, and what remains to do.

The points follow NIST SP 800-226, Guidelines for Evaluating Differential Privacy Guarantees
(2025): a promise is worth what everything below it is worth.
"""

from dataclasses import dataclass

from dptopk.accounting import Composition
from dptopk.core import papers
from dptopk.core.numerals import COUNT_UNIT, stated
from dptopk.data.ingest import Contribution
from dptopk.mechanisms import Mechanism
from dptopk.tuning.repeated import joint_cost_words

SOURCE = papers.NEAR_2025


@dataclass(frozen=True)
class ChecklistItem:
    """Point of the guidelines: what dptopk can say of it, and what is left to do.

    ``ours`` is empty where nothing can be said from here.
    """

    topic: str
    ours: str
    yours: str


def checklist(
    mechanism: Mechanism,
    *,
    contribution: Contribution,
    unit: str = COUNT_UNIT,
    public: bool,
    items_of_data: bool,
    tuned_on: str = "",
    releases: int = 1,
    together: Composition | None = None,
    cut: str = "",
    repeats: str = "",
) -> tuple[ChecklistItem, ...]:
    """Return the checklist for a release of this mechanism.

    ``public`` says that the settings were chosen on public data, ``items_of_data`` that the list of
    items was read off the data, as far as is known; ``tuned_on`` what stood in for the data when
    epsilon was chosen, ``cut`` what was removed where items of a user were cut to so many before
    they were counted, ``together`` what several releases cost, and ``repeats`` what shows that a
    user counts more than once for an item.  ``unit`` is in the plural.
    """
    guarantee = mechanism.guarantee
    of_items = "The mechanism takes the items from the data, and its guarantee covers this."
    if guarantee.fixed_items:
        of_items = _OF_DATA if items_of_data else ""
    extra = f" and δ = {stated(guarantee.delta)}" if guarantee.delta else ", without δ"
    return (
        ChecklistItem(
            "Privacy parameters",
            f"ε = {stated(guarantee.epsilon)}{extra}, of the whole release of {mechanism.label} "
            f"with k = {mechanism.k}, after {mechanism.card.paper.words}; the page Mechanisms "
            "explains why this holds, and dptopk checks it on all neighbours of small cases.",
            "Decide whether that is small enough for these people and this use"
            + (", and that δ is far below 1 / number of users." if guarantee.delta else "."),
        ),
        ChecklistItem(
            "Unit of privacy",
            f"{guarantee.statement_on(contribution.protects(unit))} "
            + (_NOT_ONCE.format(repeats) if repeats else _COUNTED_HOW[contribution])
            + (f" {cut}" if cut else ""),
            "Make sure that a user is a person, not an account or a device, and limit how often a "
            "user counts before the counts are made."
            + (" Apply the same limit when users are counted for the release." if cut else ""),
        ),
        ChecklistItem(
            "List of items",
            of_items,
            "Fix the list of items without the data (a catalogue, a published list), including "
            "items without users."
            if guarantee.fixed_items
            else "Make sure that nothing but the mechanism's own limits removes rows.",
        ),
        ChecklistItem(
            "Composition",
            f"One release counts as {mechanism.cost.words}. {mechanism.cost.why}"
            + (f" {joint_cost_words(releases, together)}" if together else ""),
            "Keep a ledger of everything ever released about these people, by anyone, and compare "
            "its total with the budget: dptopk ledger records what dptopk publishes."
            + (
                f" Make no more than {releases:,} such releases, with settings fixed before the "
                "first."
                if together
                else ""
            ),
        ),
        ChecklistItem(
            "Choice of the settings",
            chosen_how(public, tuned_on),
            "Keep the settings chosen on public data."
            if public
            else "Choose them on public data of the same kind, or state that they were not.",
        ),
        ChecklistItem(
            "Usefulness",
            "Errors on the data shown are computed exactly, or simulated with an interval."
            + (" They are relative to the counts after the limit." if cut else ""),
            "Decide which error matters, and tell readers how large it may be."
            + (" The error due to the limit itself is additional." if cut else ""),
        ),
        ChecklistItem(
            "Bias",
            "Every item is treated by its count alone. Items of small groups have small counts, so "
            "even the true list of the largest counts has none of them.",
            "Consider whom a list of the most frequent items leaves out, and state this with the "
            "list.",
        ),
        ChecklistItem(
            "Who is trusted",
            "Central model: whoever runs the mechanism sees the true counts.",
            "State who that is, and keep true counts, and errors computed from them, from everyone "
            "else: dptopk shows both.",
        ),
        ChecklistItem(
            "Randomness and arithmetic",
            "The samplers behind pages and reports are for study: they use ordinary random numbers "
            "with a seed, and floating-point numbers of 53 bits. With a known seed, a release is a "
            "function of the data."
            + (
                ""
                if mechanism.why_not_exact
                else " The command dptopk publish draws this mechanism exactly, from random bits "
                "of the operating system."
            ),
            _draw_by(mechanism),
        ),
        ChecklistItem(
            "Side channels",
            "The running time of a draw and the length of an output are not protected.",
            "Do not let outsiders see when, or for how long, the release runs.",
        ),
        ChecklistItem(
            "Access and collection",
            "",
            "Protect the counts and the records behind them like any private data, collect no more "
            "than is needed, and delete it after use.",
        ),
    )


_OF_DATA = (
    "The list was taken from the data themselves: as it stands, the guarantee does not cover a "
    "user who adds a new item."
)
_NOT_ONCE = "On these data it does not hold as stated: {}."
_COUNTED_HOW = {
    Contribution.COUNTED: "Each count was made by counting distinct users.",
    Contribution.STATED: (
        "Each count was stated to be of distinct users; this was not checked here."
    ),
    Contribution.ASSUMED: "Whether each count is of distinct users was not checked here.",
    Contribution.SEVERAL: (
        "Each count is a sum of rows, several of which may be of one user; distinct users were not "
        "counted."
    ),
}


def chosen_how(public: bool, tuned_on: str) -> str:
    """Return sentences on how the settings were chosen.

    ``tuned_on`` is what stood in for the data when epsilon was.
    """
    budget = f"ε is the smallest that suffices on {tuned_on}. " if tuned_on else ""
    if public:
        return f"{budget}The author states that mechanism, k and ε were chosen on public data."
    looked = "Mechanism and k" if tuned_on else "Mechanism, k and ε"
    return (
        f"{budget}{looked} were, or may have been, chosen by looking at these counts: no guarantee "
        "here covers that use of them."
    )


def _draw_by(mechanism: Mechanism) -> str:
    """Return how to draw a release that is published."""
    if not mechanism.why_not_exact:
        also = ", or with the OpenDP script beside this list" if mechanism.external_sampler else ""
        return f"Draw the release with dptopk publish, on a machine of your own{also}."
    if mechanism.external_sampler:
        return "Draw the release with a hardened library: the OpenDP script beside this list."
    return "Have a hardened sampler written and reviewed: none is known for this mechanism."
