"""Sanitize text from users to one line, without control or hidden characters.

Characters that cannot be seen or that reorder the text around them are replaced by a mark that
names them, such as ‹U+200B›: a name that looks like another is not the same one.  Nothing is
escaped: markup, formulas and links stay as they are.

Limits: joiners, direction marks and variation selectors stay, as scripts and emoji need them.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import islice

SPACES = "".join(sign for sign in map(chr, range(0x3001)) if sign.isspace())
"""Characters that `str.strip` removes."""
_N_EXAMPLES = 3  # names of a column
_BREAKS = re.compile(r"[\t-\r\x85\u2028\u2029]+")
_REMOVED = re.compile(
    r"[\x00-\x1f\x7f-\x9f]"  # control characters
    r"|[\ufeff\ud800-\udfff]"  # byte order marks and halves of surrogate pairs
)
_HIDDEN = re.compile(
    r"[\xad\u115f\u1160\u180e\u200b\u2060-\u2064\u206a-\u206f\u3164\uffa0\ufff9-\ufffb]"
    r"|[\u202a-\u202e\u2066-\u2069]"  # embeddings, overrides and isolates of text direction
)


def is_plain(text: str) -> bool:
    """Return whether `plain` would change nothing but surrounding spaces."""
    return not (_BREAKS.search(text) or _REMOVED.search(text) or _HIDDEN.search(text))


def hides_something(text: str) -> bool:
    """Return whether the text has characters that are invisible or reorder others."""
    return _HIDDEN.search(text) is not None


def plain(text: str) -> str:
    """Trim text, replace line breaks by spaces, remove controls, mark hidden characters."""
    text = _REMOVED.sub("", _BREAKS.sub(" ", text))
    return _HIDDEN.sub(lambda match: _mark(match[0]), text).strip()


def spelled(text: str) -> str:
    """Mark each accent, joiner, unusual space and look-alike letter of a text."""
    return "".join(
        _mark(char)
        if not char.isascii()
        and (ord(char) in _LOOKS or unicodedata.category(char) in ("Cf", "Mn", "Zs"))
        else char
        for char in text
    )


def shown(text: str, n_characters: int = 40) -> str:
    """Return text as `plain` does, cut to ``n_characters``, for messages and previews."""
    text = plain(text[: 4 * n_characters])
    return text if len(text) <= n_characters else text[: n_characters - 1] + "…"


def quoted_names(names: Sequence[str], most: int) -> str:
    """Quote the first names, with the number of the others."""
    first = ", ".join(f'"{shown(name)}"' for name in names[:most])
    return f"{first} and {len(names) - most} more" if len(names) > most else first


def some_of(texts: Iterable[str], most: int) -> str:
    """Join the first texts by commas, and say if there are more."""
    first = [*islice(texts, most + 1)]
    return ", ".join(first[:most]) + (" and more" if len(first) > most else "")


def examples(cells: Iterable[str]) -> str:
    """Quote the first different names among cells."""
    some = [*islice(dict.fromkeys(filter(None, map(str.strip, cells))), _N_EXAMPLES + 1)]
    quoted = ", ".join(f'"{shown(cell, 24)}"' for cell in some[:_N_EXAMPLES])
    return f"{quoted}, …" if len(some) > _N_EXAMPLES else quoted


def unix_lines(text: str) -> str:
    r"""Return the text with all line ends as ``\n``."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


# Cyrillic and Greek letters that look like Latin ones, and these.
_LOOKS = str.maketrans(
    "АВЕЅІЈКМНОРСТХУаеорсухѕіјһԁԛԝ" + "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧονρι",
    "ABESIJKMHOPCTXYaeopcyxsijhdqw" + "ABEZHIKMNOPTYXovpi",
)


def in_latin(text: str) -> str:
    """Replace letters that look Latin by the Latin ones."""
    return text.translate(_LOOKS)


def _mark(char: str) -> str:
    return f"‹U+{ord(char):04X}›"
