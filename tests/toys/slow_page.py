"""Streamlit script that takes a second, and tells how many of its runs there were at once."""

import time

import streamlit as st

from dptopk.ui.server import work


class Runs:
    now = most = 0


@st.cache_resource
def runs() -> Runs:
    return Runs()


with work.page():
    runs().now += 1
    runs().most = max(runs().most, runs().now)
    time.sleep(1.0)
    runs().now -= 1
    st.text(f"at once: {runs().most}")
