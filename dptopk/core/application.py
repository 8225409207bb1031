"""Locate the script that starts the app, the folder whose files it may open, and the version."""

import os
from importlib import import_module
from pathlib import Path

FILES = "DPTOPK_FILES"
"""Environment variable that names the folder whose logs the app may open."""


def files_folder() -> str | None:
    """Return the folder whose logs the app may open; None if it was not started for any."""
    named = os.environ.get(FILES)
    return os.path.realpath(named) if named and os.path.isdir(named) else None


def script() -> Path:
    """Return the path of app.py, inside an installed package or beside it in a clone."""
    package = Path(__file__).parents[1]
    places = [package / "application_files" / "app.py", package.parent / "app.py"]
    for place in places:
        if place.is_file():
            return place
    raise FileNotFoundError(f"app.py is neither at {places[0]} nor at {places[1]}")


def version() -> str:
    """Return ``dptopk.__version__``, without importing the package's names."""
    return str(import_module("dptopk").__version__)
