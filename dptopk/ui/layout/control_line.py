"""Draw the control line that all pages share: k, data, ε, mechanisms, assumptions.

Uploaded counts stay in the session that uploaded them.
"""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from dptopk.accounting.delta_advice import NO_DELTA, advice, advice_of_units
from dptopk.core import application
from dptopk.core.parameters import DELTA, EPSILON, MAX_ITEMS, Ladder, Number
from dptopk.core.privacy import Guarantee, NeighborRelation
from dptopk.data import sources
from dptopk.data.sources import D, NoDataError, Source
from dptopk.mechanisms import MECHANISMS, Card, extensions
from dptopk.questions import settings
from dptopk.questions.view import View
from dptopk.ui import address, formats, show
from dptopk.ui.controls import inputs, mechanism_chooser
from dptopk.ui.formats import plain, stated
from dptopk.ui.layout.pages import ALL_SHARED, JOIN, PAGES, STEPS, Page
from dptopk.ui.sentences import texts
from dptopk.ui.server.lru_cache import LRUCache
from dptopk.ui.uploads import dialog, local_logs, session_uploads
from dptopk.ui.uploads.session_uploads import BYTES_AN_ITEM
from dptopk.ui.widgets import copy_link, links

_SYNTHETIC = LRUCache(256 * 2**20)
_NAME, _WITH_CONDITION = 60, 300  # characters of the name of an upload
_DESCRIBED = 5  # chosen mechanisms, of which a sentence each is read at once
_LOWERED_TO = "_lowered_to"  # the largest k that was last told to take the place of the chosen one


def draw(page: Page) -> View | NoDataError:
    """Draw the line and return what it chooses, or why there are no data.

    It holds the settings that the page reads, and no others, as words of a sentence: "The top 10
    of Games (Steam) at ε = 0.1 by Joint and 3 more", with δ behind ε where any of them has one.
    """
    of_all = address.is_chosen(page.gallery, settings.ALL)
    if of_all and not address.value(settings.PRESENT):  # cards are of no data
        page = replace(page, unread=ALL_SHARED, uses=(), aside="")
    own_vector = page.small and address.value(settings.SMALL) == settings.SMALL_TYPED
    places: dict[str, Any] = {}
    words: dict[str, Any] = {}
    several = len(address.value(settings.mechanisms())) > 1
    folded = st.expander(page.aside, icon=":material/tune:") if page.aside else nullcontext()
    with (
        folded,
        st.container(key="line", horizontal=True, vertical_alignment="center", gap="small"),
    ):
        for word, key, is_read in (
            ("the top", settings.K.key, not page.small),
            ("of", sources.data().key, not own_vector),
            ("at ε =", EPSILON.key, True),
            ("by the best of" if page.place == STEPS and several else "by", "mechanisms", True),
        ):
            if is_read and key not in page.unread:
                group = st.container(horizontal=True, vertical_alignment="center", width="content")
                group.markdown(word if places else word.capitalize(), width="content")
                places[key] = group.container(key=f"word_{key}")
                words[key] = group
            else:
                st.empty()  # takes the place of a word of the page before
        source = _source(page, places.get(sources.data().key))
        known = source if isinstance(source, Source) else None
        k = _k(page, known.counts.d if known else settings.MAX_K, places.get(settings.K.key))
        budget = settings.protecting(EPSILON, known.protects if known else "")
        place = places.get(EPSILON.key)
        epsilon = inputs.ladder(place, budget, bare=True) if place else address.value(budget)
        place = places.get(settings.mechanisms().key)
        chosen = _mechanisms(page, place) if place else ()
        parameters, neighbors, n, seed = _assumptions(page, chosen, epsilon, known)
        delta = parameters[DELTA.key] if DELTA.key in _used_by(page, chosen) else 0.0
        if delta and chosen and EPSILON.key in words and page.place != STEPS:  # no room there
            words[EPSILON.key].markdown(formats.unbroken(f"δ = {stated(delta)}"), width="content")
        with st.popover("Share", icon=":material/link:", width="content", key="share"):
            st.caption(_what_a_link_holds())
            copy_link.show()
    for claim in extensions.claims(chosen):
        st.caption(claim.replace("_", r"\_"))
    if isinstance(source, NoDataError) and _goes_on_without(page, sources.data().key in places):
        source = _loaded(sources.DEFAULT, {})
    if isinstance(source, NoDataError):
        return source
    keys = address.value(settings.mechanisms())
    return View(source, k, epsilon, neighbors, keys, n, seed, parameters)


def _goes_on_without(page: Page, shown: bool) -> bool:
    """Return whether a page is drawn although the chosen data do not exist.

    It is where it has no control for data, as it reads none; and where it reads them aside, if an
    upload is gone: it says so there.
    """
    return not shown or (bool(page.aside) and address.value(sources.data()) == sources.UPLOAD)


def _source(page: Page, place: Any) -> Source | NoDataError:
    """Return the chosen data, and draw their controls if they have a place, behind their name."""
    choice = address.value(sources.data())
    values = {one.key: address.value(one) for one in sources.own_settings(choice)}
    if place is None:
        return _loaded(choice, values)
    # beside the popover, which would lie over the dialog
    with place:
        row = st.container(horizontal=True, width="content", gap="small")
    upload_kept = session_uploads.kept() if choice == sources.UPLOAD else None
    name = upload_kept.name if upload_kept else sources.choices()[choice]
    invented = page.of_log and not (upload_kept and upload_kept.of_users)
    label = "an invented log" if invented else name
    may_undo = session_uploads.may_undo()  # once undone it is another popover, which is closed
    named = row.popover(label, width="content", key=f"data-chosen-{may_undo}")
    if row.button(
        "Upload", icon=":material/upload_file:", key="upload", help="Upload counts or a log"
    ):
        dialog.dialog()
    if application.files_folder() is not None and row.button(
        "Open a log of this server", icon=":material/folder_open:"
    ):
        local_logs.dialog()
    with named:
        if invented:
            st.caption(f"This page shows an invented log of users and items, not {name}.")
        data = sources.data()
        file = {sources.UPLOAD: data.options[sources.UPLOAD]}  # first: its menu opens at the top
        choice = inputs.choice(st, replace(data, options=file | {**data.options}), look="select")
        if choice == sources.UPLOAD and (kept := session_uploads.kept()):
            session_uploads.show(kept)
        values = {
            one.key: inputs.number(st, one)
            if isinstance(one, Number)
            else inputs.text(st, one, area=True)
            for one in sources.own_settings(choice)
        }
        source = _loaded(choice, values)
        for note in source.notes if isinstance(source, Source) and choice != sources.UPLOAD else ():
            st.caption(note)
    return source


def _loaded(choice: str, values: dict[str, Any]) -> Source | NoDataError:
    try:
        if choice == sources.UPLOAD:
            return _uploaded()
        if D.key not in values:
            return sources.source_of(choice, values)
        key = choice, *values.items()
        source: Source | None = _SYNTHETIC.find(key)
        if source is None:
            source = sources.source_of(choice, values)
            _SYNTHETIC.keep(key, values[D.key] * BYTES_AN_ITEM, source)
        return source
    except NoDataError as error:
        return NoDataError(error.headline, str(error))  # without the frames of this run


def _uploaded() -> Source:
    upload = session_uploads.kept()
    if upload is None:
        raise NoDataError(
            "The file is not in this session",
            "Uploads are never stored and are not part of a link: they stay in the memory of one "
            "session and are deleted with it. If the file is yours, upload it again: reloading a "
            "page or opening a link starts a new session. If somebody sent you this link, ask "
            "them for the file, or choose other data.",
        )
    counts, report = upload.result.counts, upload.result.report
    return Source(
        counts,
        plain(counts.name, _WITH_CONDITION if report.where else _NAME),
        upload.said,
        (
            *report.sentences,
            f"The counts are numbers of {upload.unit}.",
            report.contribution.sentence,
        ),
        upload.python,
        report.contribution,
        upload.unit,
        report.items_of_users,
        report.max_items,
        report.cut,
        items_of_data=not upload.listed,
        items_listed=bool(upload.listed),
        how=upload.how,
        brought=True,
        by_bound=report.by_bound,
        by_period=upload.by_period,
        python_by_period=upload.python_by_period,
    )


def _assumptions(
    page: Page, chosen: tuple[str, ...], epsilon: float, source: Source | None
) -> tuple[dict[str, Any], NeighborRelation, int, int]:
    """Draw the settings beside the words of the line, behind a button that says if any was changed.

    Return the parameters of mechanisms, the neighboring relation, the number of runs and the seed.
    """
    one = source.protects if source else ""
    used_by = _used_by(page, chosen)
    cards = [m.card for m in MECHANISMS.values() if m.card.key in chosen]
    no_delta = bool(cards) and address.value(settings.EXTRA) == settings.FORBIDDEN
    no_delta &= not any(card.takes(DELTA.key) for card in cards)
    if no_delta:
        used_by.pop(DELTA.key, None)
    drawn = {key: each for key, each in settings.of_mechanisms().items() if key in used_by}
    usual = [*drawn.values(), settings.NEIGHBORS, settings.RUNS, settings.SEED, settings.USERS]
    read = [parameter for parameter in usual if parameter.key not in page.unread]
    changed = [each for each in read if address.value(each) != each.default]
    label = f"Assumptions ({len(changed)} changed)" if changed else "Assumptions"
    look: Any = {"icon": ":material/tune:", "width": "content", "key": "assumptions"}
    with st.popover(label, **look) if read else st.empty():
        parameters: dict[str, Any] = {}
        for key, own in settings.of_mechanisms().items():
            parameter = settings.protecting(own, one) if isinstance(own, Ladder) else own
            if key in used_by and key not in page.draws:
                parameters[key] = inputs.of_mechanism(st, parameter, used_by[key])
            else:
                parameters[key] = address.value(parameter)
        parameters |= {DELTA.key: 0.0} if no_delta else {}
        judged = st.container() if read else None  # in the line it would be laid out as a word
        changes = {key: settings.change(key, one) for key in settings.NEIGHBORS.options}
        relation = replace(settings.NEIGHBORS, options=changes)
        neighbors = NeighborRelation(_read(page, relation, partial(inputs.choice, look="select")))
        most = parameters[MAX_ITEMS.key] if MAX_ITEMS.key in used_by else None
        if source and most is not None:
            show.caption(source.rests_on_bound(most))
        of_runs = partial(inputs.steps, offered=settings.RUNS_OFFERED)
        n = _read(page, settings.RUNS, of_runs)
        seed = _read(page, settings.SEED, inputs.number)
        n_users = _read(page, settings.USERS, inputs.number)
        if settings.USERS.key in page.unread:
            n_users = 0
        elif not n_users and source and source.n_users:
            st.button(
                f"Use {source.n_users:,}: users in the file",
                on_click=address.choose,
                args=(settings.USERS, source.n_users),
                key="take-users",
            )
        has_delta = DELTA.key in used_by
        if EPSILON.key not in page.unread:
            delta = parameters[DELTA.key] if has_delta else 0.0
            st.caption(texts.odds(Guarantee(epsilon, delta, neighbors), one))
            st.caption(f"ε: {settings.protecting(EPSILON, one).help}")
        if judged and source and (n_users or one) and settings.USERS.key not in page.unread:
            with judged:
                _judge(parameters[DELTA.key] if has_delta else None, n_users or 0, source)
    return parameters, neighbors, n, seed


def _read(page: Page, parameter: Any, draw: Callable[[Any, Any], Any]) -> Any:
    """Draw the control of a setting that the page reads; return the value of any other as it is."""
    return address.value(parameter) if parameter.key in page.unread else draw(st, parameter)


def _mechanisms(page: Page, place: Any) -> tuple[str, ...]:
    """Draw the choice of mechanisms, with links to what each does; return their keys."""
    names = settings.mechanisms().options
    chosen = [names[key] for key in address.value(settings.mechanisms())]
    more = f" and {len(chosen) - 1} more" if len(chosen) > 1 else ""
    label = f"{chosen[0]}{more}" if chosen else "no mechanism"
    with place.popover(label, width="content", key="mechanisms-chosen"):
        keys = mechanism_chooser.by_name(st)
        if not page.asks:
            with st.expander("Which ones fit?", icon=":material/help:"):
                mechanism_chooser.by_questions(st)
                links.compared()
        cards = [m.card for m in MECHANISMS.values() if m.card.key in keys]
        if cards and not page.single:
            links.mechanisms(cards, "line")
            if len(cards) <= _DESCRIBED:
                st.caption("\n\n".join(card.summary for card in cards))
    return keys


def known() -> frozenset[str]:
    """Return the keys of all settings of the control line and the pages, which a link may name."""
    of_frame = (settings.PRESENT, settings.ANSWER, settings.PREDICTION, settings.DECK)
    own = (*of_frame, settings.SLIDE, *mechanism_chooser.QUESTIONS)
    of_pages = {key for page in (*PAGES, JOIN) for key in page.settings}
    of_mechanisms, of_data = {*settings.of_mechanisms()}, sources.keys_of_data()
    return frozenset({*ALL_SHARED, *(one.key for one in own)} | of_mechanisms | of_data | of_pages)


def _used_by(page: Page, keys: tuple[str, ...]) -> dict[str, str]:
    """Name the users of each parameter by its key: chosen mechanisms and the page."""
    if page.single:
        keys = (*keys, address.value(settings.any_mechanism()))
    cards: list[Card] = [m.card for m in MECHANISMS.values() if m.card.key in keys]
    users: dict[str, list[str]] = {}
    for card in cards:
        for parameter in card.parameters:
            users.setdefault(parameter.key, []).append(card.name)
    # what several releases cost together is at a δ, whoever is chosen
    several = settings.RELEASES.key in page.settings and address.value(settings.RELEASES) > 1
    for key in dict.fromkeys((*page.uses, *([DELTA.key] if several else []))):
        users.setdefault(key, []).append("this page")
    return {
        key: formats.joined(names) if len(names) <= 3 else f"{len(names)} mechanisms"
        for key, names in users.items()
    }


def _what_a_link_holds() -> str:
    holds = "The address of this page holds all settings"
    if address.value(sources.data()) == sources.UPLOAD:
        return f"{holds} but not your file: anyone else who opens it is asked for the data."
    return (
        f"{holds}: share it to share the view, with the same draws. With new draws "
        f"({settings.SEED.key}={address.OWN_SEED}), everyone who opens it draws with a seed of "
        "their own."
    )


def _judge(delta: float | None, n_users: int, source: Source) -> None:
    """Say whether δ is small enough for the protected users, and offer a smaller one if not."""
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
        f"Use δ = {formats.compact(judged.better)}",
        on_click=address.choose,
        args=(DELTA, judged.better),
        key="take-delta",
        width="stretch",
    )


def _k(page: Page, d: int, place: Any) -> int:
    """Draw the slider for k, up to the largest that the mechanisms can release, if it has a place.

    A k lowered for a small data set returns with a larger one, unless it was moved.
    """
    keys = address.value(settings.mechanisms()) if page.mechanisms else ()
    largest = settings.MAX_K if page.open_domain else settings.largest_k(d, keys)
    wanted = address.value(settings.K)
    if place is None:
        return min(int(wanted), largest)
    if largest == 1:
        place.markdown("1 (there is one item)", width="content")
        return 1
    if wanted > largest and st.session_state.get(_LOWERED_TO) != largest:
        st.session_state[_LOWERED_TO] = largest
        st.toast(
            f"k = {wanted} requested, {largest} shown: there are {largest} items.",
            icon=":material/info:",
        )
    return inputs.scale(place, settings.K, largest)
