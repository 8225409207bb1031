"""Write Python code as a Jupyter notebook (JSON, format 4.5).

Source: the notebook file format, https://nbformat.readthedocs.io/en/latest/format_description.html
"""

import ast
import hashlib
import json
import re
from collections.abc import Iterable
from typing import Any


def notebook(title: str, lines: Iterable[str], code: str) -> str:
    """Return a notebook of the title, the origin, and the code in cells that have not run.

    Title and lines may hold strangers' text: they are shown as they stand.  What the code has up to
    its last import gets a cell of its own.
    """
    words = [f"# {_plain(title)}", *map(_plain, lines)]
    imports = (one for one in ast.parse(code).body if isinstance(one, ast.Import | ast.ImportFrom))
    end = max((statement.end_lineno or 0 for statement in imports), default=0)
    lines_of_code = code.splitlines()
    parts = ("\n".join(part).strip() for part in (lines_of_code[:end], lines_of_code[end:]))
    cells = [_cell("markdown", "\n\n".join(words)), *(_cell("code", part) for part in parts)]
    kept = [cell for cell in cells if cell["source"]]
    for position, cell in enumerate(kept):  # ids are to be distinct, also of equal cells
        whole = f"{position} {cell['source']}"
        cell["id"] = hashlib.sha256(whole.encode()).hexdigest()[:8]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    content = {
        "cells": kept,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _cell(kind: str, source: str) -> dict[str, Any]:
    cell: dict[str, Any] = {"cell_type": kind, "metadata": {}, "source": source}
    return cell | ({"execution_count": None, "outputs": []} if kind == "code" else {})


def _plain(text: str) -> str:
    line = " ".join(text.split())
    return re.sub(r"([\\`*_{}\[\]()#+!|<>~$&^:/@-])", r"\\\1", line)
