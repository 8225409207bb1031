"""Texts of the app that are content, in Markdown with their data in TOML.

lessons     what the page Learn says, with the notes for teachers
mechanisms  explanations of mechanisms
texts       reader of these files, which fills in numbers by name
"""
