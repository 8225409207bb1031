"""Algorithms that several mechanisms share: counting, sampling and integration.

loss_weighted     mechanisms that weigh an output by its loss alone: their exact laws
sequences         how many sequences have which loss, and uniform ones among them
permute_and_flip  the exact pmf of permute-and-flip over groups of equal candidates
peeling           rounds over blocks of similar counts; the pmf round by round
flipped_rounds    the right set under rounds of permute-and-flip
laplace_order     orders of counts with Laplace noise: exact, and long_gaps between the counts
laplace_set       the right set of counts with Laplace noise
shared_radius     orders and sets of counts with uniform noise within one random radius
wide_radius       orders, where that radius reaches past all counts that matter
narrow_radius     orders of many items, where it does not
race              the first k arrivals of an exponential race
thinned_race      rounds of permute-and-flip along such a race
top               the true top k up to ties
exact_choice      the exponential mechanism and permute-and-flip from random bits, exactly
exact_candidates  sequences and sets that these choose among, counted in integers
exact_peeling     rounds of exact choices

Those that few mechanisms need are named in ``__init__.pyi`` and load when they are used
(`kernels.sets`): a command loads those of the mechanisms that it runs.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
