"""Draw links to explanations, examples, comparisons and papers."""

from collections.abc import Iterable

import streamlit as st

from dptopk.core import application
from dptopk.core.papers import Citation
from dptopk.mechanisms import Card, Example

_PAGES = application.script().parent / "pages"


def mechanisms(cards: Iterable[Card], name: str = "page") -> None:
    """Draw a row of links to the explanations of mechanisms; ``name`` distinguishes rows."""
    with st.container(key=f"explained_{name}", horizontal=True, gap=None):
        st.markdown("What is", width="content")
        for card in cards:
            st.page_link(
                _PAGES / "mechanisms.py",
                label=f"{card.name}?",
                icon="",
                help=f"What is {card.name}? {card.summary}",
                query_params={"mechanism": card.key},
            )


def example(case: Example) -> None:
    """Draw a link to a small case with all its outputs."""
    vector = ", ".join(map(str, case.counts))
    st.page_link(
        _PAGES / "exact.py",
        label=f"See it on counts {vector} with k = {case.k}",
        icon=":material/arrow_forward:",
        help=case.shows,
        query_params={"epsilon": "1", "vector": vector, "small_k": str(case.k)},
    )


def tour() -> None:
    """Draw a sentence on the app and a link to the first lesson, at an ε with visible noise."""
    with st.container(key="explained_tour", horizontal=True, gap=None):
        st.markdown(
            "**dptopk** shows what differentially private top-k selection releases.",
            width="content",
        )
        st.page_link(
            _PAGES / "learn.py",
            label="Start with lesson 1",
            icon="",
            help="Learn: ten short lessons, from an attack to open lists, on the data at ε = 0.1.",
            query_params={"lesson": "1", "epsilon": "0.1"},
        )


def onward(k: int, words: str) -> None:
    """Draw links to the ε that makes such a release right, and to what publishes one.

    ``words`` on the release come before them, so that all stay in place at the end of a row.
    """
    with st.container(key="explained_onward", horizontal=True, gap=None):
        st.caption(words, width="content")
        st.page_link(_PAGES / "choose.py", label=f"Which ε for the right {k}?", icon="")
        st.page_link(_PAGES / "handover.py", label="Publish such a list", icon="")


def compared() -> None:
    """Draw a link to the comparison of the chosen mechanisms on the data."""
    st.page_link(
        _PAGES / "compare.py",
        label="Which is best?",
        icon=":material/arrow_forward:",
        help="Compare: the chosen mechanisms side by side, with the best marked.",
    )


def sources(citations: Iterable[Citation]) -> None:
    """Cite the papers behind a page."""
    st.caption(f"Sources: {' · '.join(citation.link for citation in citations)}")
