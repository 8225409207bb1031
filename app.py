"""The router: page config, navigation, the shared control line; and the server it runs in."""

if __name__ == "__main__":  # run, for a visitor
    from dptopk.ui.layout import shell

    shell.route()
elif __name__ != "__mp_main__":  # imported, by the server; processes that read a file do, too
    import os

    # before numpy is loaded: threads of one session's small products wait for those of others
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

    import streamlit as st

    from dptopk.mechanisms import extensions

    extensions.load()  # before settings are made of what there is

    from dptopk.ui.layout.pages import PAGES
    from dptopk.ui.server import session_expiry
    from dptopk.ui.server.middleware import at_start

    own_slides = {page.key for page in PAGES if page.own_slides}
    app = st.App(__file__, middleware=at_start(own_slides), lifespan=session_expiry.lifespan)
