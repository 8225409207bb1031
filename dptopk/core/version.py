"""The version of this package, for rooms that the public names are loaded from."""

from importlib import import_module


def version() -> str:
    """Return ``dptopk.__version__``, without importing the package's names."""
    return str(import_module("dptopk").__version__)
