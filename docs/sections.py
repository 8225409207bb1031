"""Write the sections of the site where its search page reads them.

Sphinx's own search finds pages, and only those that have every word that is typed.
"""

import json
from pathlib import Path

from docutils import nodes
from sphinx.addnodes import desc
from sphinx.application import Sphinx

_NOT_TEXT = (nodes.document, nodes.title, nodes.raw, nodes.math, nodes.math_block)


def write(app: Sphinx) -> list[tuple]:
    """Write page, anchor, heading and text of each section and documented object."""
    found = [one for page in sorted(app.env.found_docs) for one in _sections(app, page)]
    told = json.dumps(found, ensure_ascii=False, separators=(",", ":"))
    Path(app.outdir, "_static", "sections.js").write_text(f"const SECTIONS = {told};", "utf-8")
    return []  # pages of the site beside those of documents


def _sections(app: Sphinx, page: str) -> list[list[str]]:
    texts: dict[nodes.Element, list[str]] = {}
    tree = app.env.get_doctree(page)
    for section in tree.findall(nodes.section):
        texts[section] = []
    for text in tree.findall(nodes.Text):
        place = text.parent
        while not isinstance(place, (nodes.section, *_NOT_TEXT)) and not _is_object(place):
            place = place.parent
        if not isinstance(place, _NOT_TEXT):
            texts.setdefault(place, []).append(text.astext())
    title = app.env.titles[page].astext()
    return [_told(place, page, title, " ".join(parts)) for place, parts in texts.items()]


def _is_object(node: nodes.Element) -> bool:
    return isinstance(node, desc) and bool(node[0]["ids"])


def _told(place: nodes.Element, page: str, title: str, text: str) -> list[str]:
    head = place[0]["ids"][0] if isinstance(place, desc) else place.next_node(nodes.title).astext()
    anchor = head if isinstance(place, desc) else place["ids"][0]
    top = head == title
    return [page, "" if top else f"#{anchor}", title, "" if top else head, " ".join(text.split())]
