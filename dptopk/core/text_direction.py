"""Keep names that are written from right to left from reordering the text around them."""

import re

_MARK = "\u200e"  # left-to-right mark: invisible, and a letter to the bidirectional algorithm
_RIGHT_TO_LEFT = re.compile(
    "[\u0590-\u08ff\u200f\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
)


def kept_in_order(text: str) -> str:
    """Mark the end of each part of a list in which something is written from right to left.

    Without a mark a browser shows "A, B" in Hebrew letters as B, A and a number behind a name
    before it, since commas, spaces and digits take the direction of the letters around them.
    """
    if not _RIGHT_TO_LEFT.search(text):
        return text
    return ", ".join(
        f"{part.removesuffix(_MARK)}{_MARK}" if _RIGHT_TO_LEFT.search(part) else part
        for part in text.split(", ")
    )
