"""Replace the parts of the README that programs write."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Part:
    """What stands between two marks.

    Parameters
    ----------
    begin, end : str
        The marks: comments, which nobody sees who reads the page.
    """

    begin: str
    end: str

    def renewed(self, text: str, made: str) -> str:
        """Put what was made in the place of what stands there.

        Raises
        ------
        ValueError
            If the marks are not there, each once and in order.
        """
        before, begin, rest = text.partition(self.begin)
        _, end, after = rest.partition(self.end)
        if not (begin and end) or self.begin in after or self.end in after:
            raise ValueError(f"the text must hold {self.begin!r} and then {self.end!r}, each once")
        return f"{before}{begin}\n\n{made}\n\n{end}{after}"

    def write(self, file: Path, made: str) -> None:
        """Write what was made into a file, in its place."""
        text = self.renewed(file.read_text("utf-8"), made)
        file.write_text(text, "utf-8", newline="\n")
