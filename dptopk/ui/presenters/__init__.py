"""Presenters, one per page: compute the page's contents from the sidebar's choices.

A presenter reads the page's own settings through `inputs`, calls the package through `results`,
and returns charts, tables, tiles and sentences.  The script in pages/ arranges them.
"""
