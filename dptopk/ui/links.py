"""What leads on: from names of mechanisms to where they are explained, and to papers."""

from collections.abc import Iterable

import streamlit as st

from dptopk import application
from dptopk.mechanisms import Card
from dptopk.papers import Citation

_EXPLAINED = application.script().parent / "pages" / "mechanisms.py"


def mechanisms(cards: Iterable[Card], name: str = "page") -> None:
    """Lead from names to their explanations, in a line of words; ``name`` tells lines apart."""
    with st.container(key=f"explained_{name}", horizontal=True, gap=None):
        st.markdown("What is", width="content")
        for card in cards:
            st.page_link(
                _EXPLAINED,
                label=f"{card.name}?",
                icon="",
                help=f"What is {card.name}? {card.summary}",
                query_params={"mechanism": card.key},
            )


def sources(citations: Iterable[Citation]) -> None:
    """Name the papers that stand behind a page."""
    st.caption(f"Sources: {' · '.join(citation.link for citation in citations)}")
