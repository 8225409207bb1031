"""Long parts of pages, and what several pages show: functions, imported once.

Streamlit runs a page's script anew at every change, so nothing in it can be remembered or tested
by itself.
"""
