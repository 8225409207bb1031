"""Load mechanisms and measures of others for a command."""

from collections.abc import Sequence

from dptopk.cli.failures import Exit, Failure
from dptopk.mechanisms import extensions


def load_extensions(modules: Sequence[str]) -> None:
    """Load what packages and these modules bring; raise a `Failure` if that cannot be used."""
    try:
        extensions.load(modules)
    except (extensions.ExtensionError, ImportError) as error:
        raise Failure(f"{error}.", Exit.USAGE) from error
