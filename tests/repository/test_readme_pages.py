"""Test that the README's table of pages names every page of the app in its order."""

import re
from pathlib import Path

from dptopk.ui.frame.pages import PAGES

README = Path(__file__).resolve().parents[2] / "README.md"


def test_the_readme_says_what_each_page_answers():
    table = README.read_text("utf-8").split("| Page | Question |\n| --- | --- |\n")[1]
    rows = re.findall(r"^\| ([^|]+) \| [^|]+ \|$", table.split("\n\n")[0], re.MULTILINE)
    assert rows == [page.title for page in PAGES]
