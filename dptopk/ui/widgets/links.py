"""Draw links to explanations, examples, comparisons and papers."""

from collections.abc import Iterable

import streamlit as st

from dptopk.core import application
from dptopk.core.papers import Citation
from dptopk.mechanisms import Card, Example

_PAGES = application.script().parent / "pages"
_ONWARD = ":material/arrow_forward:"


def _to(page: str, label: str, help: str | None = None, icon: str = "", **query: str) -> None:
    to = _PAGES / f"{page}.py"
    st.page_link(to, label=label, icon=icon, help=help, query_params=query or None)


def mechanisms(cards: Iterable[Card], name: str = "page") -> None:
    """Draw a row of links to the explanations of mechanisms; ``name`` distinguishes rows."""
    with st.container(key=f"explained_{name}", horizontal=True, gap=None):
        st.markdown("What is", width="content")
        for card in cards:
            what = f"What is {card.name}? {card.summary}"
            _to("mechanisms", f"{card.name}?", what, mechanism=card.key)


def example(case: Example) -> None:
    """Draw a link to a small case with all its outputs."""
    vector = ", ".join(map(str, case.counts))
    words, k = f"See it on counts {vector} with k = {case.k}", str(case.k)
    _to("exact", words, case.shows, _ONWARD, epsilon="1", vector=vector, small_k=k)


def tour() -> None:
    """Draw a sentence on the app and a link to the first lesson, at an ε with visible noise."""
    with st.container(key="explained_tour", horizontal=True, gap=None):
        st.markdown(
            "**dptopk** shows what differentially private top-k selection releases.",
            width="content",
        )
        about = "Learn: ten short lessons, from an attack to open lists, on the data at ε = 0.1."
        _to("learn", "Start with lesson 1", about, lesson="1", epsilon="0.1")


def onward(k: int, words: str) -> None:
    """Draw links to the ε that makes such a release right, and to what publishes one.

    ``words`` on the release come before them, so that all stay in place at the end of a row.
    """
    with st.container(key="explained_onward", horizontal=True, gap=None):
        st.caption(words, width="content")
        _to("choose", f"Which ε for the right {k}?")
        _to("handover", "Publish such a list")


def compared() -> None:
    """Draw a link to the comparison of the chosen mechanisms on the data."""
    about = "Compare: the chosen mechanisms side by side, with the best marked."
    _to("compare", "Which is best?", about, _ONWARD)


def sources(citations: Iterable[Citation]) -> None:
    """Cite the papers behind a page."""
    st.caption(f"Sources: {' · '.join(citation.link for citation in citations)}")
