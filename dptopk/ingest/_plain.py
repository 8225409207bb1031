"""Text fit for one line: from strangers, without line breaks, controls or reversals.

Nothing is escaped: markup, formulas and links stay as they are.
"""

import re

_BREAKS = re.compile(r"[\t-\r\x85\u2028\u2029]+")
_REMOVED = re.compile(
    r"[\x00-\x1f\x7f-\x9f]"  # control characters
    r"|[\u202a-\u202e\u2066-\u2069]"  # embeddings, overrides and isolates of text direction
    r"|[\ufeff\ud800-\udfff]"  # byte order marks and halves of surrogate pairs
)


def is_plain(text: str) -> bool:
    """Whether `plain` would leave the text as it is, but for spaces around it."""
    return not (_BREAKS.search(text) or _REMOVED.search(text))


def plain(text: str) -> str:
    """Trim the text, turn line breaks and tabs into a space, remove other controls."""
    return _REMOVED.sub("", _BREAKS.sub(" ", text)).strip()


def shown(text: str, n_characters: int = 40) -> str:
    """Plain text cut to ``n_characters``, for messages and previews."""
    text = plain(text[: 4 * n_characters])
    return text if len(text) <= n_characters else text[: n_characters - 1] + "…"


def unix_lines(text: str) -> str:
    r"""Text whose lines all end in ``\n``, not ``\r\n`` or ``\r``."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def number(n: int, one: str, many: str) -> str:
    """Write "1 row" or "2,000 rows"."""
    return f"{n:,} {one if n == 1 else many}"
