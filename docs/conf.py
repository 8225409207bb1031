"""Configure Sphinx, which makes the site of these pages, cards and docstrings."""

import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

import generate  # noqa: E402

from dptopk import __version__  # noqa: E402

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]

project, author, release = PROJECT["name"], PROJECT["authors"][0]["name"], __version__
html_title = f"{project} {release}"
html_baseurl = PROJECT.get("urls", {}).get("Documentation", "")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.mathjax",
    "sphinx.ext.napoleon",  # docstrings as NumPy writes them
]
exclude_patterns = ["generated/readme.md"]
default_role = "py:obj"  # `name` in a docstring leads to its page, where there is one
suppress_warnings = ["ref.python"]  # `d` is a parameter of many
autodoc_default_options = {"members": True}
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # docstrings give shapes and units beside them
napoleon_google_docstring = False
napoleon_use_rtype = False
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
myst_links_external_new_tab = False

generate.write(Path(__file__).parent)

html_theme = "furo"
html_static_path = ["generated/static", "style.css"]
html_css_files = ["style.css"]
html_extra_path = ["../.readme"]
html_copy_source = False
html_show_sphinx = html_show_copyright = False
