"""Papers are written down once, and cited with a link."""

import re
from pathlib import Path

import pytest

from dptopk import METRICS
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
    code = [*ROOT.glob("dptopk/**/*.py"), *ROOT.glob("pages/*.py")]
    citing = [path for path in code if path.name != "papers.py" and name in path.read_text("utf-8")]
    assert citing


def test_a_citation_names_the_paper_in_short_and_links_it():
    two, many = papers.DURFEE_2019, papers.GILLENWATER_2022
    assert many.citation == "Gillenwater, Joseph, Muñoz Medina, Ribero 2022"
    assert two.at("Algorithm 2").words == "Durfee and Rogers 2019, Algorithm 2"
    assert many.at("Theorem 3.3").link == (
        "[Gillenwater et al. 2022, Theorem 3.3](https://arxiv.org/abs/2201.12333)"
    )


SHOWN = {
    # The ℓ∞ error, and its place, against k = 5, 15, ..., 195 at epsilon = 1, delta = 1e-6: medians
    # and middle halves of 50 trials of Joint, PNF-Peel and CDP-Peel.
    "1": (("linf",), "ℓ∞|linf|[Mm]edian|k = 5, 15|panel|Keys of those|plots this for three"),
    "2": (("signed_index",), "place|index|Keys of those|plots this for three|measure|metric"),
    # All error measures on Movies, with Laplace and Gamma.
    "6": (("l1", "k_relative"), "Movies|l1|k_relative|all errors"),
}
"""Figures of Gillenwater et al. 2022: measures in them (those not shown before), words for them.

As their code (google-research, dp_topk) and readers of the paper describe them.  Figures that are
not here are not to be named: nobody checked what they show.
"""


def test_every_figure_of_the_paper_that_is_named_is_one_that_shows_what_is_said():
    """Once a map over k and ε was said to be Figure 6: no figure of the paper varies ε."""
    files = [ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
    for folder in ("dptopk", "pages", "tests", "benchmarks", "sample_data"):
        files += [p for p in (ROOT / folder).rglob("*") if p.suffix in (".py", ".md", ".toml")]
    named = set()
    for path in files:
        text = path.read_text("utf-8")
        for found in re.finditer(r"Figures? (\d(?:(?:, | and )\d)*)", text):
            around = text[max(0, found.start() - 400) : found.end() + 400]
            for number in re.findall(r"\d", found[1]) if path != Path(__file__) else ():
                named.add(number)
                assert number in SHOWN, f"{path}: {found[0]}"
                if "tests" not in path.relative_to(ROOT).parts:
                    assert re.search(SHOWN[number][1], around), f"{path}: {found[0]}"
                assert not re.search(r"[Ww]inner map|\bthis map\b", around), f"{path}: {found[0]}"
    assert named == SHOWN.keys()
    drawn = {f"Figure {number}": measures for number, (measures, _) in SHOWN.items()}
    for figure, measures in drawn.items():
        assert {key for key, metric in METRICS.items() if metric.figure == figure} == {*measures}
    assert {metric.figure for metric in METRICS.values()} <= {"", *drawn}


def test_links_to_arxiv_are_to_papers_written_down_here():
    """In what people read of the app: words of the package that are a Markdown link."""
    known = {paper.url for paper in PAPERS.values()}
    for path in (*ROOT.glob("dptopk/ui/**/*.py"), *ROOT.glob("pages/*.py")):
        assert set(re.findall(r"https://arxiv[^\s)\"]*", path.read_text("utf-8"))) <= known
