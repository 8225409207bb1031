"""How numbers, amounts and strangers' text are written, everywhere in the app."""

import re

# letters, digits, spaces and marks that markdown leaves alone, some only inside a word
_HARMLESS = re.compile(
    r"(?:[^\W_]|[ ,’…]|(?<=[^\W_])[-'./](?=[^\W_])|(?<= )\((?=[^\W_])|(?<=[^\W_])\))*"
)


def plain(text: object, length: int = 60) -> str:
    """Text that markdown shows as it stands: on one line, shortened, as code if need be.

    Inside a code span nothing is interpreted: no link, image, LaTeX or directive.
    """
    line = " ".join(str(text).split())
    line = line if len(line) <= length else line[: length - 1] + "…"
    if _HARMLESS.fullmatch(line) and "www." not in line.lower():
        return line
    return "`" + line.replace("`", "ˋ") + "`"


def number(value: float) -> str:
    """Render a number of users."""
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"


def compact(value: float) -> str:
    """Render a setting that may be any number, such as ε or δ, in six digits at most."""
    return f"{value:g}".replace("e-0", "e-").replace("e+0", "e+")


def users(value: float) -> str:
    """Render an amount of users with its unit, two digits below 10."""
    text = f"{value:,.0f}" if value >= 10 else f"{value:.2g}"
    return f"{text} user" if text == "1" else f"{text} users"


def percent(value: float) -> str:
    """Render a probability, with more digits near 0 and 1: never a false 0 or 100 %."""
    if value in (0.0, 1.0) or 0.001 <= value <= 0.999:
        return f"{value:.1%}"
    if value < 1e-6:
        return f"{value:.1e}"
    return f"{value:.4%}" if value < 1 - 1e-6 else "> 99.9999%"


def plural(n: int, noun: str) -> str:
    """Render a number of things."""
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def joined(names: list[str]) -> str:
    """Render names as people list them."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def cost(given_up: int) -> str:
    """Render what a place costs, with its sign, if it costs anything."""
    return f"({given_up:+,}) " if given_up else ""
