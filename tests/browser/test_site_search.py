"""Test that the search of the site finds the sections that answer what people type."""

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [*(ROOT / "docs").glob("*/*.md"), *ROOT.glob("*.md"), ROOT / "docs" / "start.md"]
WORDS = """
const stopwords = new Set(
  "a be can do does for how i in is it my of on or should the this to what".split(" "));
class Stemmer { stemWord(word) { return word.replace(/(ing|s|e)$/, ""); } }
"""


def sections():
    """Page, anchor, title, heading and text of the sections of hand-written pages."""
    for page in PAGES:
        title, *parts = re.split(r"^#+ ", page.read_text("utf-8"), flags=re.MULTILINE)[1:]
        for part in (title, *parts):
            heading, _, text = part.partition("\n")
            top = "" if part is title else heading
            yield [f"{page.parent.name}/{page.stem}", "", title.split("\n")[0], top, text]


@pytest.fixture(scope="module")
def page(chromium):
    page = chromium.new_page()
    body = '<input name="q"><p id="search-status"></p><ul id="search-results"></ul>'
    page.route("**/*", lambda route: route.fulfill(body=body, content_type="text/html"))
    page.goto("http://127.0.0.1/search.html?q=%3Cb%3Ebibtex")
    page.add_script_tag(content=f"{WORDS} const SECTIONS = {json.dumps(list(sections()))};")
    page.add_script_tag(path=ROOT / "docs" / "search.js")
    yield page
    page.close()


@pytest.mark.parametrize(
    ("question", "heading"),
    [
        ("why gumbel noise and not adding noise to the counts", "Why Gumbel noise"),
        ("fewer than k results", "Why do fewer than k results"),
        (
            "is my own mechanism private",
            "How do I check or test that my mechanism is private, by enumeration?",
        ),
        ("how do I cite this", "How do I cite dptopk"),
        ("is it safe for real data", "Threat model: is it safe for real data?"),
        ("add-remove or swap neighbors", "Who is protected, one person or a group"),
        ("which mechanism should I use", "Which mechanism should I use"),
        ("what delta should I choose", "Which δ (delta) should I choose?"),
        ("one person bought several items", "What if one person has many items"),
        ("how do I run a class with phones", "How does a class join"),
        ("make the text bigger on a projector", "How do I show one figure"),
        ("csv wrong delimiter", "Which files are read"),
        ("can I release the counts too", "Can the counts be released"),
        ("compare my algorithm with a baseline", "How do I compare my algorithm"),
        ("time complexity of Joint", "How fast is a draw"),
        ("zzz qqq repeat a run from a settings file", "Is an answer reproducible"),
    ],
)
def test_a_question_finds_its_section_among_the_first_three(page, question, heading):
    found = page.evaluate("question => search(question).map(({ heading }) => heading)", question)
    assert any(one.startswith(heading) for one in found[:3]), found[:3]


def test_what_is_typed_is_shown_as_text(page):
    first = page.locator("#search-results li").first
    assert "BibTeX" in first.locator("a").inner_text()
    assert "“<b>bibtex”" in page.locator("#search-status").inner_text()
    assert page.locator("[name=q]").input_value() == "<b>bibtex"


def test_what_is_on_no_page_is_said(page):
    assert page.evaluate("search('zzzqqq the')") == []
