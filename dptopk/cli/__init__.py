"""Command-line interface, which answers the same questions as the pages of the app.

`dptopk` and `python -m dptopk` both come here.  A command asks one of the `dptopk.questions` and
writes its answer; it knows nothing of pages.  `click` because it is small, well kept, and comes
with Streamlit anyway; what is built on it would bring more packages and no more help.
"""

from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    try:
        from dptopk.cli.group import run  # here, so that Ctrl-C is heard while it loads

        return run(arguments)
    except KeyboardInterrupt:
        return 130
