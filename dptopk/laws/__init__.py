"""Exact distributions of outputs, errors, privacy losses and swaps, for any mechanism.

The names in ``__init__.pyi`` can be imported from here; their modules load when they are used.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
