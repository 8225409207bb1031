"""The Streamlit app; the only package that imports Streamlit.

frame       pages, navigation, sidebar and presentation
address     settings of a session, and the query parameters that hold them
controls    controls of settings, one function for each type of parameter
presenters  contents of each page, computed from the sidebar's choices
exhibits    parts of a page (tiles, figures, tables) and the files made of them
findings    sentences and tiles that describe results
widgets     figures, tables, downloads and links drawn by Streamlit
results     runner of the app: cached calls of the package, in turns
uploads     dialog that reads uploaded files
server      scheduling, caching, limits and access control
formats     formats of numbers and of untrusted text
keys        keys of the session state
"""
