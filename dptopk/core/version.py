"""Return the version of the package without importing its public names."""

from importlib import import_module


def version() -> str:
    """Return ``dptopk.__version__``, without importing the package's names."""
    return str(import_module("dptopk").__version__)
