"""Command `dptopk app`, which starts the app."""

import importlib.util
import os
import subprocess
import sys

import click

from dptopk.cli.failures import Exit, Failure
from dptopk.core import application

_HELP = """Start the app; then open http://localhost:8501 in a browser.

With --files the app opens logs of events, of any size, in files below that folder and nowhere
else: for everybody who opens the app. Without it, it opens no file of its machine. What follows
goes to `streamlit run`, such as a port. Ctrl-C stops the app.

\b
dptopk app
dptopk app --files logs
dptopk app --with my_mechanism.py
dptopk app --server.port 8502
"""  # no docstring: the marks \b are characters, and tell click to keep lines


@click.command("app", context_settings={"ignore_unknown_options": True}, help=_HELP)
@click.option("--files", metavar="DIR", help="Let the app open logs of events below DIR.")
@click.option(
    "--with",
    "modules",
    multiple=True,
    metavar="FILE",
    help="Show the mechanisms and measures of this file of Python, too; see `dptopk compare`.",
)
@click.argument("streamlit_options", nargs=-1, type=click.UNPROCESSED)
def app_command(
    files: str | None, modules: tuple[str, ...], streamlit_options: tuple[str, ...]
) -> int:
    """Start the app."""
    if files is not None and not os.path.isdir(files):
        raise Failure(f"--files {files} is no folder: name one that holds logs.")
    if importlib.util.find_spec("streamlit") is None:
        raise Failure(
            "the app needs Streamlit: pip install 'dptopk[app]', in a clone pip install '.[app]', "
            "or without installing uvx 'dptopk[app]' app.",
            Exit.IMPOSSIBLE,
        )
    try:
        script = application.script()
    except FileNotFoundError as error:
        raise Failure(f"{error}: install dptopk again.", Exit.IMPOSSIBLE) from error
    command = [sys.executable, "-m", "streamlit", "run", str(script), *streamlit_options]
    os.environ.pop(application.FILES, None)
    if files is not None:
        os.environ[application.FILES] = os.path.realpath(files)
    if modules:
        from dptopk.cli.group import load_extensions  # which loads this module
        from dptopk.mechanisms import extensions  # slow to load

        load_extensions(modules)  # what cannot be used is said before the server starts
        files_of_python = (os.path.realpath(m) if m.endswith(".py") else m for m in modules)
        os.environ[extensions.WITH] = os.pathsep.join(files_of_python)
    if os.name == "posix":  # the server takes this process's place, and so every signal
        os.execv(command[0], command)
    return subprocess.call(command)
