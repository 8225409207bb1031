"""Test that each paper is declared once and cited with a link."""

import re
import tomllib
from pathlib import Path

import pytest

from dptopk.core import papers
from dptopk.core.papers import Paper

ROOT = Path(__file__).resolve().parents[2]
PAPERS = {name: paper for name, paper in vars(papers).items() if isinstance(paper, Paper)}


@pytest.mark.parametrize("name", PAPERS)
def test_a_paper_can_be_found(name):
    paper = PAPERS[name]
    assert name == f"{paper.authors[0].upper()}_{paper.year}"
    assert paper.url.startswith("https://")
    assert paper.venue.endswith(str(paper.year))
    assert paper.title
    assert len(set(paper.authors)) == len(paper.authors)


def test_no_paper_is_written_down_twice():
    for what in ("url", "title"):
        assert len({getattr(paper, what) for paper in PAPERS.values()}) == len(PAPERS)


@pytest.mark.parametrize("name", PAPERS)
def test_every_paper_is_cited_somewhere(name):
    code = [*ROOT.glob("dptopk/**/*.py"), *ROOT.glob("dptopk/content/papers/*.toml")]
    citing = [path for path in code if path.name != "papers.py" and name in path.read_text("utf-8")]
    assert citing


def test_a_citation_names_the_paper_in_short_and_links_it():
    two, many = papers.DURFEE_2019, papers.GILLENWATER_2022
    assert many.citation == "Gillenwater, Joseph, Muñoz Medina, Ribero 2022"
    assert two.at("limited domain").words == "Durfee and Rogers 2019, limited domain"
    assert many.at("Theorem 3.3").link == (
        "[Gillenwater et al. 2022, Theorem 3.3](https://arxiv.org/abs/2201.12333)"
    )


MADE = "generated"  # pages of the documentation, from what is looked at here
SHOWN = {
    "1": "gap|ℓ∞|linf|[Mm]edian|k = 5, 15|Keys of those|smallest|moderate k|[Jj]oint",
    "2": "place|index|Keys of those|measure|metric",
    "3": "time|Keys of those",
    "4": "[Hh]istogram|by count",
    "5": "k-relative|Keys of those",
    "6": "Movies|Gamma|Laplace|all errors",
    "7": "PNFJoint|permute-and-flip|ends at 45",
}
"""Figures of Gillenwater et al. 2022: words of what they show, near which they are named.

As the paper's text describes them; tests/questions/test_paper_figures.py holds what is drawn.
"""


def test_every_figure_of_the_paper_that_is_named_is_one_that_shows_what_is_said():
    """Once a map over k and ε was said to be Figure 6: no figure of the paper varies ε."""
    files = [ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
    for folder in ("dptopk", "pages", "tests", "docs", "benchmarks", "sample_data"):
        files += [
            p
            for p in (ROOT / folder).rglob("*")
            if p.suffix in (".py", ".md", ".toml") and MADE not in p.parts
        ]
    named = set()
    for path in files:
        text = path.read_text("utf-8")
        for found in re.finditer(r"Figures? (\d(?:(?:, | and )\d)*)", text):
            around = text[max(0, found.start() - 400) : found.end() + 400]
            for number in re.findall(r"\d", found[1]) if path != Path(__file__) else ():
                named.add(number)
                if "tests" not in path.relative_to(ROOT).parts:
                    assert re.search(SHOWN[number], around), f"{path}: {found[0]}"
                assert not re.search(r"[Ww]inner map|\bthis map\b", around), f"{path}: {found[0]}"
    assert named == SHOWN.keys()


PLACES = Path(__file__).with_name("places_of_papers.toml")
STATED = tomllib.loads(PLACES.read_text("utf-8"))
"""Places in papers that somebody looked up.

A place that is not here is not to be named by a number: name the paper and what it proves.  Once a
plain sum was called the filter of a theorem that is of advanced composition, and two algorithms had
numbers on which texts differ.  Figures are in `SHOWN`.
"""

PLACE = re.compile(
    r"\b([Tt]heorem|[Ll]emma|[Cc]orollar(?:y|ie)|[Pp]rop(?:osition)?|Definition|[Aa]lgorithm|"
    r"[Ss]ection)s?\.? "
    r"(\d[\d.]*(?:(?:, | and )\d[\d.]*)*)|\b[Aa]ppendix ([A-Z](?:\.\d+)?)\b"
)
AT = re.compile(r"\b([A-Z]+_\d{4})\.at\(\s*[\"']([^\"']+)")


def _places(text):
    """Yield the numbered places named in a text, one by one."""
    for found in PLACE.finditer(text):
        kind = found[1].capitalize() if found[1] else "Appendix"
        whole = {"Corollarie": "Corollary", "Prop": "Proposition", "Section": "section"}
        kind = whole.get(kind, kind)
        for number in re.split(r", | and ", found[2] or found[3]):
            yield f"{kind} {number.rstrip('.')}"


def _named(text, anywhere=False):
    """Return the places named in a text that are in `STATED`, and those that are not.

    A place must be one of a paper whose first author the text names; ``anywhere``: of any paper.
    """
    text = re.sub(r"[\"']?\s*\n[\s#]*(?:f?[\"'](?=\w))?", " ", text)  # strings that go on, too
    text = re.sub(r" +", " ", text)
    first = {paper: paper.partition("_")[0] for paper in STATED}
    authors = [p for p in STATED if re.search(rf"(?i)\b{first[p]}(?![a-z])", text)]
    known, unknown = set(), []
    for paper, place in AT.findall(text):
        unknown += [p for p in _places(place) if p not in STATED.get(paper, ())]
    for place in _places(text):
        of = [paper for paper in (STATED if anywhere else authors) if place in STATED[paper]]
        known |= {(paper, place) for paper in of}
        unknown += [] if of else [place]
    return known, unknown


def test_every_theorem_that_is_named_by_a_number_is_one_that_somebody_looked_up():
    files = [*ROOT.glob("*.md")]
    for folder in ("dptopk", "pages", "tests", "docs", "benchmarks", "sample_data"):
        kinds = (".py", ".pyi", ".md", ".toml", ".js")
        files += [
            p for p in (ROOT / folder).rglob("*") if p.suffix in kinds and MADE not in p.parts
        ]
    named = set()
    for path in files:
        if path not in (Path(__file__), PLACES):
            tests = "tests" in path.relative_to(ROOT).parts
            known, unknown = _named(path.read_text("utf-8"), anywhere=tests)
            assert not unknown, path
            named |= known
    assert named == {(paper, place) for paper in STATED for place in STATED[paper]}


@pytest.mark.parametrize(
    ("text", "unknown"),
    [
        ("Gillenwater et al. 2022, Theorem 3.3", []),
        ("Gillenwater et al. 2022, Theorem 3.2", ["Theorem 3.2"]),
        ("so Bun and Steinke, Propositions 1.3 and 1.5.", ["Proposition 1.5"]),
        ("of Bun:\n    # Prop.\n    # 1.3", []),
        ('"the paper of Gillenwater, Lemma "\n    f"4.3 of it"', ["Lemma 4.3"]),
        ("Theorem 3.3", ["Theorem 3.3"]),  # of which paper?
        ('papers.DURFEE_2019.at("Algorithm 2")  # not that of Gillenwater', ["Algorithm 2"]),
        ("Appendix D.4 and Sections 3 and 4 of Gillenwater", ["Appendix D.4", "section 4"]),
        ("Corollaries 13, 14 of Canonne", ["Corollary 14"]),
        ("the bundled proposition 1.3", ["Proposition 1.3"]),  # not of Bun
    ],
)
def test_a_number_that_nobody_looked_up_is_found(text, unknown):
    assert _named(text)[1] == unknown


def test_links_to_arxiv_are_to_papers_written_down_here():
    """In what people read of the app: words of the package that are a Markdown link."""
    known = {paper.url for paper in PAPERS.values()}
    for path in (*ROOT.glob("dptopk/ui/**/*.py"), *ROOT.glob("pages/*.py")):
        assert set(re.findall(r"https://arxiv[^\s)\"]*", path.read_text("utf-8"))) <= known
