"""Texts of the app that are content: lessons, in Markdown with their data in TOML.

texts  reader of these files, which fills in numbers by name
"""
