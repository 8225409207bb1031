"""Find the smallest epsilon that reaches a target, and the bound on the items of a user.

A target is reached exactly or by stochastic root finding; a bound is compared with none by the
error of a release, split by cause.  `series` prices lists that come again.

The names in ``__init__.pyi`` can be imported from here; their modules load when they are used.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
