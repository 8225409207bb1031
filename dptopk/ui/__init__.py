"""The only room that imports Streamlit: controls, cached calls, texts.

shell     page config, navigation, what every page begins with
controls  the sidebar -> View: the counts, mechanisms and numbers of runs chosen
sources   the data behind the sidebar's choice; uploads
runs      calls of the package, remembered for the session, with progress and stop
tables    results -> tables as shown and downloaded
findings  results -> sentences
show      figures, tables, downloads, alerts: one way to show each
snippets  the lines of Python that give a page's numbers
texts     words used on more than one page
"""
