"""The router: page config, the shared sidebar, navigation; and the server it runs in."""

import streamlit as st

from dptopk.ui.frame import shell
from dptopk.ui.frame.pages import PAGES
from dptopk.ui.server import session_expiry
from dptopk.ui.server.middleware import at_start

if __name__ == "__main__":  # run, for a visitor
    shell.route()
else:  # imported, by the server
    own_slides = {page.key for page in PAGES if page.own_slides}
    app = st.App(__file__, middleware=at_start(own_slides), lifespan=session_expiry.lifespan)
