"""The Streamlit app; the only package that imports Streamlit.

layout      pages, navigation, control line and presentation
address     settings of a session, and the query parameters that hold them
controls    controls of settings, one function for each type of parameter
show        functions that draw what pages draw alike: figures, tables, tiles, code
sections    long parts of pages, and what several pages show
tables      tables of results; ranking_table shows rankings side by side
exports     files made of figures and tables
snippets    lines of Python that give the numbers of a page
sentences   sentences and tiles that describe results
widgets     links and custom components
results     runner of the app: cached calls of the package, in turns
uploads     dialog that reads uploaded files
server      scheduling, caching, limits and access control
formats     formats of numbers and of untrusted text
keys        keys of the session state
"""
