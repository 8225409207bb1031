"""Configure Sphinx, which makes the site of these pages, cards and docstrings.

NumPy and SciPy use it, too: it reads their form of docstrings, and refuses a reference in text or
docstring that leads nowhere.
"""

import logging
import sys
import tomllib
from pathlib import Path

import docutils.nodes
import latex2mathml.converter

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

import generate  # noqa: E402
import sections  # noqa: E402

from dptopk import __version__  # noqa: E402

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]

project, author, release = PROJECT["name"], PROJECT["authors"][0]["name"], __version__
html_title = f"{project} {release}"
html_baseurl = PROJECT.get("urls", {}).get("Documentation", "")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
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
napoleon_use_ivar = True  # a property that "Attributes" names, too, is no second object
myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 3
myst_links_external_new_tab = False

logging.disable(logging.WARNING)  # Streamlit warns that no browser asks
generate.write(Path(__file__).parent)
logging.disable(logging.NOTSET)

html_theme = "furo"
templates_path = ["templates"]
html_static_path = ["generated/static", "lesson.js", "search.js", "style.css"]
html_css_files = ["components.css", "style.css"]
html_extra_path = ["../.readme"]
html_copy_source = False
html_show_sphinx = html_show_copyright = False


def setup(app):
    """Search sections; write formulas as MathML, which browsers show without another script."""
    app.connect("html-collect-pages", sections.write)

    def formula(self, node):
        self.body.append(latex2mathml.converter.convert(node.astext()))
        raise docutils.nodes.SkipNode

    app.add_html_math_renderer("mathml", (formula, None), (formula, None))


html_math_renderer = "mathml"

linkcheck_ignore = [r"https://doi\.org/"]  # publishers answer programs with 403
