"""Test that the documentation is true: its lines run and write what stands below them.

Run as a script, it writes below them what they write now.
"""

import contextlib
import io
import re
import shlex
import tempfile
from collections import Counter
from pathlib import Path

import pytest

from dptopk.cli import main
from dptopk.ui.layout.pages import PAGES, PLACES

ROOT = Path(__file__).parents[2]
TUTORIALS = sorted((ROOT / "docs" / "tutorials").glob("*.md"))
WRITTEN = [*ROOT.glob("*.md"), ROOT / "deploy" / "README.md", ROOT / "benchmarks" / "README.md"]
WRITTEN += [page for page in (ROOT / "docs").rglob("*.md") if "generated" not in page.parts]
END_OF_SENTENCE = re.compile(r"(?<=[.?!:;|])\s|\n\s*\n|\n(?=[-|#])")
BLOCK = re.compile(r"```(python|sh)\n(.*?)```(?:\n\n```text\n(.*?)```)?", re.DOTALL)


def written(page: Path):
    """Run the blocks of a page in the present folder; yield each match with what it wrote."""
    names = {"__name__": page.stem}
    for block in BLOCK.finditer(page.read_text("utf-8")):
        language, lines, _ = block.groups()
        with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO(), "utf-8")) as out:
            if language == "python":
                exec(compile(lines, page.name, "exec"), names)
            else:
                for line in lines.splitlines():
                    assert main(shlex.split(line)[1:]) == 0, line
            out.flush()
            yield block, out.buffer.getvalue().decode("utf-8")


@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_a_tutorial_does_what_it_says(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for block, out in written(page):
        if block[3] is not None:
            assert out == block[3]


def sentences(page):
    """Sentences of at least eight words, and lines of code, as their words."""
    parts = re.split(r"^```.*$", page.read_text("utf-8"), flags=re.MULTILINE)
    prose = (one for part in parts[::2] for one in END_OF_SENTENCE.split(part))
    words = (re.findall(r"\w+", re.sub(r"\]\([^)]*\)", "]", one)) for one in prose)
    code = (re.findall(r"\S+", line) for part in parts[1::2] for line in part.splitlines())
    return {" ".join(one) for one in (*words, *code) if len(one) >= 8}


def test_no_sentence_stands_in_two_places():
    stands = Counter(one for page in WRITTEN for one in sentences(page))
    assert len(stands) > 500
    assert [one for one, times in stands.items() if times > 1] == []


def test_every_page_of_the_app_is_described_in_its_order():
    text = (ROOT / "docs" / "app.md").read_text("utf-8")
    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == list(PLACES)
    assert re.findall(r"^### (.+)$", text, re.MULTILINE) == [page.title for page in PAGES], (
        "describe each page in docs/app.md, in the order of PAGES"
    )


if __name__ == "__main__":
    for page in TUTORIALS:
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            text = page.read_text("utf-8")
            for block, out in written(page):
                if block[3] is not None:
                    told = block[0].removesuffix(f"{block[3]}```")
                    text = text.replace(block[0], f"{told}{out}```", 1)
            page.write_text(text, "utf-8")
