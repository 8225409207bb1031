"""Page config, navigation, and what every page begins with.

Streamlit discovers scripts in pages/ by itself until `st.navigation` was called for
the first time in a server's life.  The first visitor who comes by a deep link would
see that script alone; `view` notices and routes properly.
"""

import gc

import streamlit as st

from dptopk.ui import controls, show, sources

PAGES = (
    ("release", "Release", ":material/casino:"),
    ("errors", "Errors", ":material/bar_chart:"),
    ("sweep", "k and ε", ":material/show_chart:"),
    ("gaps", "Gaps", ":material/stairs:"),
    ("exact", "Exact", ":material/functions:"),
    ("privacy", "Privacy", ":material/shield_person:"),
    ("budget", "Budget", ":material/savings:"),
    ("data", "Data", ":material/table:"),
)
_ROUTING = "_routing"
_SPACING = """<style>
.stMainBlockContainer {padding: 4rem 2.5rem 3rem}
@media (max-width: 640px) {.stMainBlockContainer {padding: 4rem 1rem 3rem}}
</style>"""


def route() -> None:
    """Draw the sidebar and run the page asked for."""
    st.set_page_config(page_icon="🏆", layout="wide")
    st.html(_SPACING)
    pages = [
        st.Page(
            f"pages/{name}.py",
            title=title,
            icon=icon,
            url_path=name,
            default=name == PAGES[0][0],
        )
        for name, title, icon in PAGES
    ]
    page = st.navigation(pages, position="top")
    st.set_page_config(page_title=f"{page.title} · dptopk: differentially private top-k")
    st.session_state["_view"] = controls.sidebar()
    st.session_state[_ROUTING] = True
    page.run()
    _freeze_imports()  # last: the first visitor need not wait for it


def view(mechanisms: bool = True) -> controls.View:
    """What the sidebar chooses; a page that cannot go on without it ends here.

    ``mechanisms`` says whether the page needs at least one.
    """
    if not st.session_state.pop(_ROUTING, False):
        route()
        st.stop()
    chosen = st.session_state["_view"]
    if isinstance(chosen, sources.Missing):
        show.problem(chosen.headline, chosen.sentence)
        st.stop()
    if mechanisms and not chosen.names:
        show.problem("No mechanism is chosen", "Choose at least one mechanism in the sidebar.")
        st.stop()
    return chosen


@st.cache_resource(show_spinner=False)
def _freeze_imports() -> None:
    """Take what was imported out of the garbage collector's sight.

    Streamlit collects garbage after every run: 40 ms with all modules in sight, 3 without.
    """
    gc.collect()
    gc.freeze()
