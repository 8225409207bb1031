"""The only room that imports Streamlit: from the address to the page.

plan        the pages, and what of the sidebar each of them uses
shell       page config, navigation, what every page begins and ends with
sidebar     the controls of all pages -> View
view        what the sidebar chose: the counts, the mechanisms, the numbers of runs
sources     the data behind the sidebar's choice
uploads     the dialog for a stranger's file
address     the settings of a session, and the address that holds them
settings    settings of more than one page: keys, words, limits
controls    one way to draw each kind of setting
presenters/ one a page: from the View to what the page shows
winner_map  the map of who is best, a view of the page Compare
small_cases, neighbours    choices that presenters of small cases share
work        long work in pieces: progress, stop, memory
sketch      a figure of what is done so far
results, target_results    calls of the package, remembered
tables, findings    results -> tables, sentences and tiles
snippets    the lines of Python that give a page's numbers
widgets     figures, tables, tiles, downloads, alerts: one way to show each
formats     how numbers and strangers' text are written
texts       words used on more than one page
keys        names under which a session keeps things
"""
