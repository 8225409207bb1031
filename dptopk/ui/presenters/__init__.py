"""Presenters, one per page, which compute the contents of the page from its settings.

A presenter reads the page's own settings through `inputs`, calls the package through `results`,
and returns charts, tables, tiles and sentences.  The script in pages/ arranges them.
"""
