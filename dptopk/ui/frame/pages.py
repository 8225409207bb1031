"""Declare the pages with their names, settings and sidebar controls."""

from dataclasses import dataclass

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
        It runs mechanisms on a small case of its own instead of the sidebar's data and k.
    uses : tuple of str
        Keys of mechanisms' parameters that it uses for any choice of mechanisms.
    draws : tuple of str
        Keys of those that have their control on the page, not in the sidebar.
    unread : tuple of str
        Keys of the sidebar's settings that it does not read: without a control on this page, they
        keep their values.
    settings : tuple of str
        Keys of the page's own settings, which a link to it may name beside the sidebar's.
    single : bool
        It explains one mechanism that is chosen on the page.
    asks : bool
        The questions that lead to mechanisms are on the page, not in the sidebar.
    open_domain : bool
        Its mechanisms need no list of items, so that k may exceed the number of items.
    own_answers : bool
        It asks for predictions and reveals its answers itself.
    own_slides : bool
        It lays out its own slide where it is presented.
    section : str
        The menu of the navigation that names it; empty if it is named beside the menus.
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
    asks: bool = False
    open_domain: bool = False
    own_answers: bool = False
    own_slides: bool = False
    section: str = ""


_ALL_BUT_K = ("epsilon", "mechanisms", "neighbors", "runs", "seed", "users")
_GOAL = (
    *("goal", "least", "metric", "most", "most_share", "least_score", "chance"),
    *("releases", "together"),
)


PAGES = (
    Page(
        "release", "Release", ":material/casino:", settings=("picture", "shown", "round", "since")
    ),
    Page(
        "errors",
        "Errors",
        ":material/bar_chart:",
        settings=(*QUESTIONS["errors"].own, "shape", "log", "bound", "beyond"),
        section="Explore",
    ),
    Page(
        "compare",
        "Compare",
        ":material/rule:",
        settings=("view", *QUESTIONS["compare"].own, "log", "measure", "ranked"),
        asks=True,
        section="Explore",
    ),
    Page(
        "sweep",
        "k and ε",
        ":material/show_chart:",
        settings=(*QUESTIONS["sweep"].own, "log"),
        section="Explore",
    ),
    Page(
        "gaps",
        "Gaps",
        ":material/stairs:",
        mechanisms=False,
        settings=(*QUESTIONS["gaps"].own, "log"),
        section="Explore",
    ),
    Page(
        "exact",
        "Exact",
        ":material/functions:",
        small=True,
        settings=QUESTIONS["exact"].own,
        section="Explore",
    ),
    Page(
        "data",
        "Data",
        ":material/table:",
        mechanisms=False,
        unread=_ALL_BUT_K,
        section="Explore",
    ),
    Page(
        "choose",
        "Choose ε",
        ":material/target:",
        settings=(*_GOAL, "total_epsilon", "stand_in", "other_k", "against_delta"),
        section="Decide",
    ),
    Page(
        "budget",
        "Budget",
        ":material/savings:",
        mechanisms=False,
        uses=("delta",),
        draws=("calibration",),
        unread=("mechanisms",),
        settings=("metric", "releases"),
        section="Decide",
    ),
    Page(
        "users",
        "Users",
        ":material/group:",
        mechanisms=False,
        uses=("delta",),
        settings=("part", "items_per_user", "period"),
        section="Decide",
    ),
    Page(
        "handover",
        "Hand over",
        ":material/outbox:",
        settings=("shown", "tuned_public", "named", "stand_in", *_GOAL),
        section="Publish",
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
        section="Publish",
    ),
    Page(
        "reader",
        "Read a list",
        ":material/menu_book:",
        mechanisms=False,
        unread=("mechanisms",),
        settings=("mechanism",),
        single=True,
        section="Publish",
    ),
    Page(
        "privacy",
        "Privacy",
        ":material/shield_person:",
        small=True,
        settings=(*QUESTIONS["privacy"].own, "shown", "who", "joins", "held", "goes", "comes"),
        section="Understand",
    ),
    Page(
        "mechanisms",
        "Mechanisms",
        ":material/school:",
        mechanisms=False,
        settings=("mechanism", "from_place"),
        single=True,
        section="Understand",
    ),
    Page(
        "papers",
        "Papers",
        ":material/article:",
        mechanisms=False,
        unread=("k", *_ALL_BUT_K),
        settings=("figure",),
        section="Understand",
    ),
    Page(
        "learn",
        "Learn",
        ":material/lightbulb:",
        mechanisms=False,
        uses=("delta", "calibration", "k_bar"),
        unread=("mechanisms", "runs"),
        settings=("lesson", "step", "revealed", *(f"guess_{lesson}" for lesson in range(1, 11))),
        own_answers=True,
        own_slides=True,
        section="Teach",
    ),
    Page(
        "classroom",
        "Class",
        ":material/groups:",
        small=True,
        settings=(*SMALL, "shown", "asked"),
        own_answers=True,
        section="Teach",
    ),
)
"""In the order of the navigation, by sections; the first is the one shown at the root."""

JOIN = Page("join", "Join a class", ":material/login:", mechanisms=False, settings=("code",))
"""Page of the students of a class: in no navigation, and without the sidebar."""
