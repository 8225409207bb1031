"""One presenter a page: from what the sidebar chooses to what the page shows.

A presenter reads the page's own settings through `inputs`, calls the package through
`results`, and returns charts, tables, tiles and sentences; it decides what is said.  The page
decides where it stands.
"""
