"""Papers are written down once, and cited with a link."""

import re
from pathlib import Path

import pytest

from dptopk import papers
from dptopk.papers import Paper

ROOT = Path(__file__).resolve().parents[1]
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


def test_links_to_arxiv_are_to_papers_written_down_here():
    """In what people read of the app: words of the package that are a Markdown link."""
    known = {paper.url for paper in PAPERS.values()}
    for path in (*ROOT.glob("dptopk/ui/**/*.py"), *ROOT.glob("pages/*.py")):
        assert set(re.findall(r"https://arxiv[^\s)\"]*", path.read_text("utf-8"))) <= known
