"""Print the command that the README gives for running the tests, so that CI runs the same.

    python3 .ci/readme_command.py [README.md] [HEADING]

The file must have one heading of that name (left out: "## Test it") with one `sh` block below it
that holds one line.  Anything else is refused with a sentence, rather than guessed at.
"""

import sys
from pathlib import Path

HEADING = "## Test it"
_FENCE = "```"


class ReadmeError(Exception):
    """The README does not give exactly one test command."""


def sections(text: str) -> dict[int, tuple[str, list[tuple[str, list[str]]]]]:
    """Second-level headings by line number, each with its code blocks as (language, lines).

    What looks like a heading inside a code block is none.
    """
    found, blocks, block = {}, [], None
    for number, line in enumerate(text.splitlines(), start=1):
        if block is not None:
            if line.strip() == _FENCE:
                block = None
            else:
                block.append(line)
        elif line.startswith(_FENCE):
            block = []
            blocks.append((line.removeprefix(_FENCE).strip(), block))
        elif line.startswith(("# ", "## ")):
            blocks = []
            found[number] = (line.strip(), blocks)
    if block is not None:
        raise ReadmeError("the last code block is not closed")
    return found


def command_under(text: str, heading: str) -> str:
    """Return the one line of the one `sh` block under the one heading.

    Raises
    ------
    ReadmeError
        Saying what is missing or ambiguous.
    """
    under = [blocks for title, blocks in sections(text).values() if title == heading]
    if len(under) != 1:
        raise ReadmeError(f'expected one heading "{heading}", found {len(under)}')
    commands = [lines for language, lines in under[0] if language == "sh"]
    if len(commands) != 1:
        raise ReadmeError(f'expected one sh block under "{heading}", found {len(commands)}')
    lines = [line for line in commands[0] if line.strip()]
    if len(lines) != 1:
        raise ReadmeError(
            f'expected one line in the sh block under "{heading}", found {len(lines)}'
        )
    return lines[0].strip()


def test_command(text: str) -> str:
    """Return that of the README's tests; errors as `command_under`."""
    return command_under(text, HEADING)


def main(arguments: list[str]) -> int:
    """Print the command, or say on stderr why there is none."""
    readme = Path(arguments[0] if arguments else "README.md")
    try:
        print(command_under(readme.read_text(encoding="utf-8"), (*arguments[1:2], HEADING)[0]))
    except (OSError, ReadmeError) as error:
        print(f"{readme}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
