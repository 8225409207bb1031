"""Declare the pages with their names, settings and shared controls."""

from dataclasses import dataclass

from dptopk.content import texts
from dptopk.questions import QUESTIONS, SMALL


@dataclass(frozen=True)
class Page:
    """One page.

    Parameters
    ----------
    key, title, icon : str
        Its address and script, its name in the navigation, and its icon.
    mechanisms : bool
        It needs at least one chosen mechanism.
    small : bool
        It runs mechanisms on a small case of its own instead of the data and k of the control line.
    uses : tuple of str
        Keys of mechanisms' parameters that it uses for any choice of mechanisms.
    draws : tuple of str
        Keys of those that have their control on the page, not in the control line.
    unread : tuple of str
        Keys of shared settings that it does not read: without a control on this page, they
        keep their values.
    settings : tuple of str
        Keys of the page's own settings, which a link to it may name beside the shared ones.
    single : bool
        It explains one mechanism that is chosen on the page.
    gallery : str
        Key of its setting that chooses what it explains, where it begins with a card of each.
    asks : bool
        The questions that lead to mechanisms are on the page, not in the control line.
    open_domain : bool
        Its mechanisms need no list of items, so that k may exceed the number of items.
    own_answers : bool
        It asks for predictions and reveals its answers itself.
    own_slides : bool
        It lays out its own slide where it is presented.
    aside : str
        Heading of the only part that reads the control line, which is folded away below these
        words; empty if the whole page reads it.
    place : str
        The place of the app that it is a part of.
    """

    key: str
    title: str
    icon: str
    mechanisms: bool = True
    small: bool = False
    uses: tuple[str, ...] = ()
    draws: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    single: bool = False
    gallery: str = ""
    asks: bool = False
    open_domain: bool = False
    own_answers: bool = False
    own_slides: bool = False
    aside: str = ""
    place: str = ""


_ALL_BUT_K = ("epsilon", "mechanisms", "neighbors", "runs", "seed", "users")
ALL_SHARED = ("data", "k", *_ALL_BUT_K)
_LESSONS = range(1, len([*texts.FOLDER.glob("lessons/*.md")]))  # common.md is none
_GOAL = (
    *("goal", "least", "metric", "most", "most_share", "least_score", "chance"),
    *("releases", "together"),
)


PAGES = (
    Page(
        "release",
        "Release",
        ":material/casino:",
        settings=("picture", "shown", "round", "since"),
        place="Try",
    ),
    Page(
        "exact",
        "Exact",
        ":material/functions:",
        small=True,
        settings=QUESTIONS["exact"].own,
        place="Try",
    ),
    Page(
        "errors",
        "Errors",
        ":material/bar_chart:",
        settings=(*QUESTIONS["errors"].own, "shape", "log", "bound", "beyond"),
        place="Compare",
    ),
    Page(
        "compare",
        "Side by side",
        ":material/rule:",
        settings=("view", *QUESTIONS["compare"].own, "log", "measure", "ranked"),
        asks=True,
        place="Compare",
    ),
    Page(
        "sweep",
        "Across k and ε",
        ":material/show_chart:",
        settings=(*QUESTIONS["sweep"].own, "log"),
        place="Compare",
    ),
    Page(
        "gaps",
        "Gaps",
        ":material/stairs:",
        mechanisms=False,
        settings=(*QUESTIONS["gaps"].own, "log"),
        place="Compare",
    ),
    Page(
        "data",
        "Data",
        ":material/table:",
        mechanisms=False,
        unread=_ALL_BUT_K,
        place="Plan a release",
    ),
    Page(
        "users",
        "Users",
        ":material/group:",
        mechanisms=False,
        uses=("delta",),
        settings=("part", "items_per_user", "period"),
        place="Plan a release",
    ),
    Page(
        "choose",
        "Choose ε",
        ":material/target:",
        settings=(*_GOAL, "total_epsilon", "stand_in", "other_k", "against_delta"),
        place="Plan a release",
    ),
    Page(
        "handover",
        "Publish",
        ":material/outbox:",
        settings=("shown", "tuned_public", "named", "stand_in", *_GOAL),
        place="Plan a release",
    ),
    Page(
        "ledger",
        "Ledger",
        ":material/receipt_long:",
        mechanisms=False,
        uses=("delta", "k_bar"),
        unread=("mechanisms",),
        settings=("outcomes", "calls", "releases"),
        open_domain=True,
        place="Plan a release",
    ),
    Page(
        "learn",
        "Lessons",
        ":material/lightbulb:",
        mechanisms=False,
        uses=("delta", "calibration", "k_bar"),
        unread=("mechanisms", "runs"),
        settings=("lesson", "step", "revealed", *(f"guess_{lesson}" for lesson in _LESSONS)),
        own_answers=True,
        own_slides=True,
        gallery="lesson",
        aside="The current data and ε",
        place="Learn",
    ),
    Page(
        "classroom",
        "Class",
        ":material/groups:",
        small=True,
        settings=(*SMALL, "shown", "asked"),
        own_answers=True,
        place="Learn",
    ),
    Page(
        "mechanisms",
        "Mechanisms",
        ":material/school:",
        mechanisms=False,
        uses=("delta", "calibration"),  # of those it is compared with
        unread=("mechanisms",),
        settings=("mechanism", "from_place"),
        single=True,
        gallery="mechanism",
        place="Reference",
    ),
    Page(
        "privacy",
        "Privacy",
        ":material/shield_person:",
        small=True,
        settings=(*QUESTIONS["privacy"].own, "shown", "who", "joins", "held", "goes", "comes"),
        place="Reference",
    ),
    Page(
        "papers",
        "Papers",
        ":material/article:",
        mechanisms=False,
        unread=ALL_SHARED,
        settings=("figure",),
        place="Reference",
    ),
    Page(
        "budget",
        "Accounting",
        ":material/savings:",
        mechanisms=False,
        uses=("delta",),
        draws=("calibration",),
        unread=("mechanisms",),
        settings=("metric", "releases"),
        place="Reference",
    ),
    Page(
        "reader",
        "Read a list",
        ":material/menu_book:",
        mechanisms=False,
        unread=("mechanisms",),
        settings=("mechanism",),
        single=True,
        place="Reference",
    ),
)
"""In the order of the navigation, by places; the first is the one shown at the root."""

PLACES = tuple(dict.fromkeys(page.place for page in PAGES))
STEPS = "Plan a release"  # the place whose pages are steps, one after the other

JOIN = Page("join", "Join a class", ":material/login:", mechanisms=False, settings=("code",))
"""Page of the students of a class: in no navigation, and without the control line."""
