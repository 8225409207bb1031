"""Locate the script that starts the app."""

from pathlib import Path


def script() -> Path:
    """Return the path of app.py, inside an installed package or beside it in a clone.

    Raises
    ------
    FileNotFoundError
        If it was not installed with the package.
    """
    package = Path(__file__).parents[1]
    places = [package / "application_files" / "app.py", package.parent / "app.py"]
    for place in places:
        if place.is_file():
            return place
    raise FileNotFoundError(f"app.py is neither at {places[0]} nor at {places[1]}")
