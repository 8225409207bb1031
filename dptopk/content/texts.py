"""Read texts that are kept as Markdown beside the code, and fill in their numbers by name.

A file may begin with data in TOML between two lines ``+++``.  Then come its title (``#``) and its
sections (``##``), which may hold questions with their answers (``###``).  ``{right}`` stands for
the number of this name, which the code computes, so that no number in a text is out of date.  In a
formula, between two ``$``, braces are LaTeX's unless they hold such a name: ``$e^{{power}}$``.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_NONE: Mapping[str, object] = {}
FOLDER = Path(__file__).parent
_FORMULA = re.compile(r"(\$[^$]+\$)")
_NAME = re.compile(r"\{([a-z]\w*)\}")
_FORMATTED = re.compile(r"\{[a-z]\w*[:!][^}]*\}")
_WRAPPED = re.compile(r"(?<=\S)\n(?=\S)(?!- |#)")  # a new line within a paragraph


@dataclass(frozen=True)
class TextFile:
    """Text of a file: its data, its title, and its sections by their headings."""

    name: str
    data: Mapping[str, Any]
    title: str
    sections: Mapping[str, str]

    def section(self, heading: str, numbers: Mapping[str, object] = _NONE) -> str:
        """Return a section in Markdown, with numbers filled in by their names.

        Raises
        ------
        ValueError
            If there is no such section, or no number of a name in it.
        """
        if heading not in self.sections:
            raise ValueError(f"{self.name}.md has no section “{heading}”")
        try:
            return filled(self.sections[heading], numbers)
        except ValueError as error:
            raise ValueError(f"{self.name}.md, section “{heading}”: {error}") from error

    def answered(self, heading: str, numbers: Mapping[str, object]) -> tuple[tuple[str, str], ...]:
        """Return the questions of a section with their answers; none where it is missing."""
        if heading not in self.sections:
            return ()
        _, *questions = re.split(r"^### +", self.section(heading, numbers), flags=re.MULTILINE)
        pairs = (one.partition("\n") for one in questions)
        return tuple((question.strip(), answer.strip()) for question, _, answer in pairs)


def read(name: str) -> TextFile:
    """Read a text by the name of its file in this folder, without its ending."""
    written = (FOLDER / f"{name}.md").read_text("utf-8")
    data = ""
    if written.startswith("+++\n"):
        _, data, written = written.split("+++\n", 2)
    title, *sections = re.split(r"^## +", written, flags=re.MULTILINE)
    by_heading = (section.partition("\n") for section in sections)
    return TextFile(
        name,
        _parsed(data),
        title.strip().removeprefix("#").strip(),
        {heading.strip(): _WRAPPED.sub(" ", text.strip()) for heading, _, text in by_heading},
    )


def _parsed(data: str) -> dict[str, Any]:
    if not data:
        return {}
    import tomllib  # not loaded for the cards of mechanisms, which have no data

    return tomllib.loads(data)


def filled(text: str, numbers: Mapping[str, object]) -> str:
    """Fill numbers into a text by their names; what is filled in is not read again.

    Raises
    ------
    ValueError
        If a name outside of formulas has no number, or a format, which the code gives.
    """

    def number(match: re.Match[str]) -> str:
        if match[1] not in numbers:
            raise ValueError(f"{match[0]} is none of the numbers: {', '.join(sorted(numbers))}")
        return str(numbers[match[1]])

    def in_formula(match: re.Match[str]) -> str:
        return str(numbers.get(match[1], match[0]))

    parts = _FORMULA.split(text)
    if field := _FORMATTED.search("".join(parts[::2])):
        raise ValueError(f"{field[0]} must have no format: the code writes the number")
    return "".join(_NAME.sub(in_formula if n % 2 else number, part) for n, part in enumerate(parts))
