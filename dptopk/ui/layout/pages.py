"""Declare the pages with their names, settings and shared controls."""

from dataclasses import dataclass

from dptopk.content import texts
from dptopk.questions import QUESTIONS, SMALL


@dataclass(frozen=True)
class Page:
    """One page."""

    key: str  # its address and script
    title: str  # its name in the navigation
    icon: str  # of the Material symbols
    place: str  # the place of the app that it is a part of
    mechanisms: bool = True  # it needs at least one chosen mechanism
    small: bool = False  # it runs mechanisms on a small case of its own, not the line's data and k
    uses: tuple[str, ...] = ()  # keys of mechanisms' parameters that it uses for any choice of them
    draws: tuple[str, ...] = ()  # those that have their control on the page, not in the line
    unread: tuple[str, ...] = ()  # keys of settings, shared or its question's, not read but kept
    own: tuple[str, ...] = ()  # keys of settings that are neither shared nor its question's
    single: bool = False  # it explains one mechanism that is chosen on the page
    gallery: str = ""  # key of the setting of what it shows, which begins otherwise than in links
    first: str = "all"  # the value with which it begins: of all, a card of each
    asks: bool = False  # the questions that lead to mechanisms are on the page, not in the line
    of_log: bool = False  # it shows a log of users, an invented one where none was uploaded
    open_domain: bool = False  # its mechanisms need no list of items: k may exceed their number
    own_answers: bool = False  # it asks for predictions and reveals its answers itself
    own_slides: bool = False  # it lays out its own slide where it is presented
    aside: str = ""  # heading of what alone reads the line, folded away; empty if the whole does

    @property
    def settings(self) -> tuple[str, ...]:
        """Keys of the settings that a link to it may name beside the shared ones."""
        question = QUESTIONS[self.key].settings if self.key in QUESTIONS else ()
        return (*(key for key in question if key not in self.unread), *self.own)


_ALL_BUT_K = ("epsilon", "mechanisms", "neighbors", "runs", "seed", "users")
ALL_SHARED = ("data", "k", *_ALL_BUT_K)
_LESSONS = range(1, len([*texts.FOLDER.glob("lessons/*.md")]))  # common.md is none

PAGES = (
    Page("release", "Release", "casino", "Try", own=("picture", "shown", "round", "since")),
    Page("exact", "Exact", "functions", "Try", small=True),
    Page("errors", "Errors", "bar_chart", "Compare", own=("shape", "log", "bound", "beyond")),
    Page("compare", "Side by side", "rule", "Compare", own=("log", "view"), asks=True),
    Page("sweep", "Across k and ε", "show_chart", "Compare", own=("log",)),
    Page("winners", "Map", "grid_on", "Compare", own=("metric",), asks=True),
    Page("gaps", "Gaps", "stairs", "Compare", mechanisms=False, own=("log",)),
    Page("data", "Data", "table", "Plan a release", mechanisms=False, unread=_ALL_BUT_K),
    Page(
        "users",
        "Users",
        "group",
        "Plan a release",
        mechanisms=False,
        uses=("delta",),
        own=("part", "items_per_user", "period"),
        of_log=True,
    ),
    Page(
        "choose",
        "Choose ε",
        "target",
        "Plan a release",
        unread=("across",),
        own=("other_k", "against_delta"),
    ),
    Page(
        "handover",
        "Publish",
        "outbox",
        "Plan a release",
        own=(
            *("shown", "named", "stand_in", "goal", "least", "metric", "most", "most_share"),
            *("least_score", "chance", "together"),
        ),
    ),
    Page(
        "ledger",
        "Ledger",
        "receipt_long",
        "Plan a release",
        mechanisms=False,
        uses=("delta", "k_bar"),
        unread=("mechanisms",),
        own=("example", "outcomes", "calls", "releases"),
        gallery="example",
        first="ledger",
        open_domain=True,
    ),
    Page(
        "learn",
        "Lessons",
        "lightbulb",
        "Learn",
        mechanisms=False,
        uses=("delta", "calibration", "k_bar"),
        unread=("mechanisms", "runs"),
        own=("lesson", "step", "revealed", *(f"guess_{lesson}" for lesson in _LESSONS)),
        own_answers=True,
        own_slides=True,
        gallery="lesson",
        aside="The current data and ε",
    ),
    Page(
        "classroom",
        "Class",
        "groups",
        "Learn",
        small=True,
        own=(*SMALL, "shown", "asked"),
        own_answers=True,
    ),
    Page(
        "mechanisms",
        "Mechanisms",
        "school",
        "Reference",
        mechanisms=False,
        uses=("delta", "calibration"),  # of those it is compared with
        unread=("mechanisms",),
        own=("mechanism", "from_place"),
        single=True,
        gallery="mechanism",
    ),
    Page(
        "privacy",
        "Privacy",
        "shield_person",
        "Reference",
        small=True,
        own=("shown", "who", "joins", "held", "goes", "comes"),
    ),
    Page(
        "papers",
        "Papers",
        "article",
        "Reference",
        mechanisms=False,
        unread=ALL_SHARED,
        own=("figure",),
    ),
    Page(
        "budget",
        "Accounting",
        "savings",
        "Reference",
        mechanisms=False,
        uses=("delta",),
        draws=("calibration",),
        unread=("mechanisms",),
        own=("metric", "releases"),
    ),
    Page(
        "reader",
        "Read a list",
        "menu_book",
        "Reference",
        mechanisms=False,
        unread=("mechanisms",),
        own=("mechanism",),
        single=True,
    ),
)
"""In the order of the navigation, by places; the first is the one shown at the root."""

PLACES = tuple(dict.fromkeys(page.place for page in PAGES))
STEPS = "Plan a release"  # the place whose pages are steps, one after the other

JOIN = Page("join", "Join a class", "login", "", mechanisms=False, own=("code",))
"""Page of the students of a class: in no navigation, and without the control line."""
