"""The sidebar: one choice of data, mechanisms and budget for all pages, kept in the address."""

from dataclasses import replace
from typing import Any

import streamlit as st

from dptopk import settings, sources
from dptopk.delta_advice import NO_DELTA, advice, advice_of_units
from dptopk.mechanisms import MECHANISMS, Card
from dptopk.parameters import DELTA, EPSILON, Choice, Ladder, Parameter
from dptopk.privacy import NeighborRelation
from dptopk.ui import address, chooser, controls, formats, links, source_choice, texts, uploads
from dptopk.ui.plan import PAGES, Page
from dptopk.view import View


def sidebar(page: Page) -> View | source_choice.Missing:
    """Draw the sidebar and return what it chooses, or what is missing."""
    with st.sidebar:
        source = source_choice.chosen_source(uploads.dialog)
        one = source.protects if isinstance(source, sources.Source) else ""
        k = _k(page, source.counts.d if isinstance(source, sources.Source) else settings.MAX_K)
        epsilon = controls.ladder(st, _protecting(EPSILON, one))
        odds = st.container()
        keys = chooser.by_name(st)
        if not page.asks:
            with st.popover("Which ones fit?", icon=":material/help:", width="stretch"):
                chooser.by_questions(st)
                links.compared()
        if keys and not page.single:
            links.mechanisms((m.card for m in MECHANISMS.values() if m.card.key in keys), "sidebar")
        used_by = _used_by(page, keys)
        parameters = {
            key: _parameter(st, _protecting(parameter, one), used_by, page)
            for key, parameter in settings.of_mechanisms().items()
            if isinstance(parameter, Ladder)
        }
        neighbors = NeighborRelation(controls.choice(st, _neighbors(one), look="select"))
        delta = parameters["delta"] if "delta" in used_by else 0.0
        odds.caption(texts.odds(epsilon, delta, neighbors, one))
        judged = st.container()
        with st.expander("More settings", icon=":material/tune:"):
            parameters |= {
                key: _parameter(st, parameter, used_by, page)
                for key, parameter in settings.of_mechanisms().items()
                if not isinstance(parameter, Ladder)
            }
            n = controls.steps(st, settings.RUNS, settings.RUNS_OFFERED)
            seed = controls.number(st, settings.SEED)
            n_users = controls.number(st, settings.USERS)
            if not n_users and isinstance(source, sources.Source) and source.n_users:
                st.button(
                    f"Take {source.n_users:,}: users in the file",
                    on_click=address.choose,
                    args=(settings.USERS, source.n_users),
                    key="take-users",
                )
        if (n_users or one) and isinstance(source, sources.Source):
            with judged:
                _judge(parameters["delta"] if "delta" in used_by else None, n_users or 0, source)
        st.caption(_what_a_link_holds())
    if isinstance(source, source_choice.Missing):
        return source
    return View(source, k, epsilon, neighbors, keys, n, seed, parameters)


def known() -> frozenset[str]:
    """Keys of all settings, of the sidebar and of every page: what a link may name."""
    own: list[Any] = [
        sources.data(),
        settings.K,
        EPSILON,
        settings.mechanisms(),
        settings.NEIGHBORS,
    ]
    own += [settings.RUNS, settings.SEED, settings.USERS, settings.PRESENT, *chooser.QUESTIONS]
    of_pages = {key for page in PAGES for key in page.settings}
    of_mechanisms, of_data = {*settings.of_mechanisms()}, sources.keys_of_data()
    return frozenset({parameter.key for parameter in own} | of_mechanisms) | of_data | of_pages


def _used_by(page: Page, keys: tuple[str, ...]) -> dict[str, str]:
    """Who uses a parameter, by its key: chosen mechanisms, and the page."""
    if page.single:
        keys = (*keys, address.value(settings.mechanism()))
    cards: list[Card] = [m.card for m in MECHANISMS.values() if m.card.key in keys]
    users: dict[str, list[str]] = {}
    for card in cards:
        for parameter in card.parameters:
            users.setdefault(parameter.key, []).append(card.name)
    for key in page.uses:
        users.setdefault(key, []).append("this page")
    return {
        key: formats.joined(names) if len(names) <= 3 else f"{len(names)} mechanisms"
        for key, names in users.items()
    }


def _parameter(place: Any, parameter: Parameter, used_by: dict[str, str], page: Page) -> Any:
    """Draw the control of a parameter that somebody uses; one that nobody does keeps its value."""
    if parameter.key in used_by and parameter.key not in page.draws:
        return controls.of_mechanism(place, parameter, used_by[parameter.key])
    return address.value(parameter)


def _what_a_link_holds() -> str:
    """What of the view the address of a page holds."""
    if address.value(sources.data()) == sources.UPLOAD:
        return (
            "The address of this page holds all settings but nothing of your file: who opens it "
            "elsewhere is asked for data."
        )
    return "The address of this page holds all settings: share it to share the view."


def _protecting(parameter: Ladder, one: str) -> Ladder:
    """A budget in the words of what it protects on the data."""
    return settings.protecting(parameter, one) if one else parameter


def _neighbors(one: str) -> Choice:
    """What two neighbouring data sets differ in, on these data."""
    options = {key: settings.change(key, one) for key in settings.NEIGHBORS.options}
    return replace(settings.NEIGHBORS, options=options)


def _judge(delta: float | None, n_users: int, source: sources.Source) -> None:
    """Say whether δ is small enough for those who are protected, and offer one that is."""
    if delta is None:
        if n_users:
            st.caption(NO_DELTA)
        return
    counts = source.counts.counts
    judged = (
        advice_of_units(delta, sum(counts.tolist()), source.protects)
        if source.protects
        else advice(delta, n_users, int(counts.max()))
    )
    if not judged.warns:
        st.caption(judged.sentence)
        return
    st.warning(judged.sentence, icon=":material/group:")
    if judged.better is None:
        return
    st.button(
        f"Take δ = {formats.compact(judged.better)}",
        on_click=address.choose,
        args=(DELTA, judged.better),
        key="take-delta",
        width="stretch",
    )


def _k(page: Page, d: int) -> int:
    """Slider for k, never beyond the number of items; a page with a k of its own has none.

    A k lowered for a small data set comes back with a larger one, unless it was moved.
    """
    largest = min(d, settings.MAX_K)
    wanted = address.value(settings.K)
    if page.small:
        return min(int(wanted), largest)
    if largest == 1:
        st.text("k = 1: there is one item.")
        return 1
    if wanted > largest and address.is_news("k", largest):
        st.toast(
            f"k = {wanted} asked, {largest} shown: there are {largest} items.",
            icon=":material/info:",
        )
    k: int = controls.number(st, settings.K, high=largest, slider=True)
    return k
