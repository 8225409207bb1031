"""Describe what a page shows (figures, tables, tiles) and the files made of it."""
