"""Configure the app, draw its navigation, and run the code common to all pages.

Until the first call of `st.navigation` in a process, Streamlit runs scripts of pages/ by itself.
The first visitor with a deep link would see that script alone; `view` detects that and routes.
"""

import contextlib
from functools import cache, partial
from typing import Any

import streamlit as st

from dptopk.core import application, validation
from dptopk.core.parameters import EPSILON, Choice
from dptopk.data import sources
from dptopk.data.sources import TYPED_COUNTS, NoDataError
from dptopk.questions import settings
from dptopk.questions.view import View
from dptopk.ui import address, keys, results, show
from dptopk.ui.controls import inputs
from dptopk.ui.formats import joined
from dptopk.ui.layout import control_line, deck_player, presentation
from dptopk.ui.layout.pages import JOIN, PAGES, PLACES, STEPS, Page
from dptopk.ui.server import work
from dptopk.ui.uploads import dialog, session_uploads

_SCRIPTS = application.script().parent / "pages"
_ROOT = "top"  # an address nobody writes: the page at the root needs one of its own
# Where an address without settings leads: one release falls into place, and at ε = 1 privacy looks
# free on the first data.  Every link with a setting means what it meant.
_OPENING = {"picture": "outcomes", EPSILON.key: "0.1"}
# A view of Side by side in links of 0.2; its maps are a page now, with these k.
_FORMER_VIEW = Choice("view", "View", {"here": "", "map": "k", "paper": "paper"}, "here")
# What a page tells its frame, which a run that another one interrupts leaves behind: from then on
# even its `finally` changes no state.
_OF_ONE_RUN = keys.PRESENTATION, keys.COVER, keys.CHAPTERS, keys.FILES, keys.AWAY, keys.UNTITLED


@work.page()
def route() -> None:
    """Draw the navigation and the control line, and run the page asked for."""
    st.set_page_config(page_icon="🏆", layout="wide")
    for of_one_run in _OF_ONE_RUN:
        st.session_state.pop(of_one_run, None)
    address.carry()
    scripts = _scripts()
    script = st.navigation([*scripts], position="hidden")
    page = scripts[script]
    to = {page: script for script, page in scripts.items() if script.visibility == "visible"}
    if page is not JOIN:
        _turn_page(page, to)
    st.set_page_config(page_title=f"{page.title} · dptopk: differentially private top-k")
    slide = deck_player.named()
    unsaid = slide.query if slide and slide.page == page.key else {}
    known = control_line.known()
    address.arrive(page.key, _opening(page), unsaid, known)
    if page.key == "compare" and (ks := _FORMER_VIEW.options[address.value(_FORMER_VIEW)]):
        address.choose(_FORMER_VIEW, _FORMER_VIEW.default)
        address.choose(settings.MAP_KS, ks)
        address.turn("winners")
        _turn_page(page, to)
    above = st.container(key="of_the_link")
    try:
        if page is JOIN:  # 120 phones open it at once: nothing but the class
            st.session_state[keys.ROUTING] = True
            with contextlib.suppress(show.PageEnd):
                script.run()
        else:
            _run_with_line(page, script, to)
    finally:  # also of a run that was broken off
        wrong = address.depart(known, _elsewhere(page))
        if wrong:  # not a toast: it would show the first sentence only
            lines, icon = "\n".join(f"- {sentence}" for sentence in wrong), ":material/link_off:"
            if address.value(settings.PRESENT):
                label = "Some settings of the link were changed"
                above.popover(label, icon=icon, type="tertiary").markdown(lines)
            else:
                above.warning(f"In the link:\n{lines}", icon=icon)
    address.complete()  # a run that was broken off does not come here


def _run_with_line(page: Page, script: Any, to: dict[Page, Any]) -> None:
    # first of all styles, so that the next page's take the place of these
    presentation.style(page) if presentation.is_slide() else st.html("<style></style>")
    with st.container(key="head"):
        _navigation(page, to)
        st.session_state[keys.VIEW] = page, (chosen := control_line.draw(page))
    if isinstance(chosen, View):
        results.share(chosen.source)
    if not address.value(settings.PRESENT):
        session_uploads.pending()
    st.session_state[keys.ROUTING] = True
    with contextlib.suppress(show.PageEnd):
        try:
            presentation.run(script, page)
        except validation.ReturnedError as error:
            show.problem("What you brought does not return what it must", f"{error}.")
    show.entitle()
    if page.place == STEPS and not presentation.is_slide():
        steps = _beside(page)
        if page is not steps[-1]:
            step = steps.index(page) + 1
            label = f"Next step: {step + 1} · {steps[step].title}"
            st.page_link(to[steps[step]], label=label, icon=":material/arrow_forward:")


def _opening(page: Page) -> dict[str, str]:
    """Return the settings that an address without any asks for."""
    usual = {EPSILON.key: EPSILON.text(EPSILON.default)}
    small = usual if page.small else {}  # its counts show something at any ε
    presented = settings.PRESENT.key in st.query_params  # no slide is of cards
    first = {} if presented and page.first == settings.ALL else _first(page)
    return _OPENING | small | first


def _first(page: Page) -> dict[str, str]:
    """Return the setting with which a page begins, such as a card of all that it explains."""
    return {page.gallery: page.first} if page.gallery else {}


def _link(page: Page, script: Any, label: str) -> None:
    """Draw a link of the navigation; to what is shown first until something else was chosen."""
    first = {} if address.is_chosen(page.gallery) else _first(page)
    st.page_link(script, label=label, icon="", query_params=first or None)


def _beside(page: Page) -> list[Page]:
    """Return the pages of the place that a page is a part of."""
    return [other for other in PAGES if other.place == page.place]


def _turn_page(page: Page, to: dict[Page, Any]) -> None:
    """Switch to the page that a button, or a link that names a slide of a deck, asked for."""
    key, query = address.bound_for(), None
    if not address.has_arrived() and (slide := deck_player.named()):
        key, query = slide.page, st.query_params.to_dict()
    if key not in ("", page.key):
        wanted = next(known for known in PAGES if known.key == key)
        st.switch_page(to[wanted], query_params=query)


@cache
def _elsewhere(page: Page) -> dict[str, str]:
    """Return the titles of the pages that have a setting, by its key, if this page has not."""
    titles: dict[str, list[str]] = {}
    for other in (*PAGES, JOIN):
        for key in {*other.settings} - {*page.settings}:
            titles.setdefault(key, []).append(other.title)
    return {key: joined(named) for key, named in titles.items()}


def _navigation(page: Page, to: dict[Page, Any]) -> None:
    with st.container(key="nav_places", horizontal=True, gap="small"):
        for place in PLACES:
            first = next(other for other in PAGES if other.place == place)
            is_here = place == page.place
            label = f"**{place}**" if is_here else place
            target = page if is_here else first
            _link(target, to[target], label)
    with st.container(key="nav_pages", horizontal=True, gap="small"):
        for step, other in enumerate(_beside(page), 1):
            name = f"{step} · {other.title}" if page.place == STEPS else other.title
            label = f"**{name}**" if other is page else name
            _link(other, to[other], label)


def _scripts() -> dict[Any, Page]:
    """Return the script of every page; the first page has two addresses, the root and its own.

    Only the one that the visitor opened is visible, and linked.
    """
    address_of_first = f"/{PAGES[0].key}"
    by_its_name = (st.context.url or "").rstrip("/").endswith(address_of_first)

    def script(page: Page, *, root: bool = False) -> Any:
        return st.Page(
            _SCRIPTS / f"{page.key}.py",
            title=page.title,
            icon=f":material/{page.icon}:",
            url_path=_ROOT if root else page.key,
            default=root,
            visibility="hidden" if page is PAGES[0] and root is by_its_name else "visible",
        )

    return {
        script(PAGES[0], root=True): PAGES[0],
        **{script(page): page for page in (*PAGES, JOIN)},
    }


def begin() -> None:
    """Begin a page; route first where Streamlit runs its script by itself."""
    if not st.session_state.pop(keys.ROUTING, False):
        route()
        st.stop()


def view() -> View:
    """Begin a page; return the control line's choices, or end it if it cannot run with them."""
    begin()
    page, chosen = st.session_state[keys.VIEW]
    if isinstance(chosen, NoDataError):
        show.problem(chosen.headline, str(chosen))
        with show.uncovered():
            pressed = address.value(sources.data()) == sources.UPLOAD and st.button(
                "Upload it again", "upload-again", icon=":material/upload_file:"
            )
        if pressed:
            dialog.dialog()
        show.end()
    if page.mechanisms and not chosen.keys:
        every = settings.mechanisms()
        act = partial(address.choose, every, every.default)
        usual = show.Button("Use the usual four", "take-usual", act)
        words = "Choose a mechanism to see its answer."
        with show.uncovered():
            show.offer(show.Offer(words, usual, ":material/check:"))
        show.end()
    assert isinstance(chosen, View)
    if not chosen.source.contribution.holds:
        show.note(chosen.caveat)
    if chosen.source.summing:
        show.offer(inputs.names_apart(TYPED_COUNTS, chosen.source.summing))
    if page.mechanisms and not page.small:
        show.require(chosen.mechanisms, chosen.refusals(chosen.k, chosen.counts))
    return chosen
