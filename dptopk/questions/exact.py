"""Exact probability of every output on a small case, by each mechanism."""

from collections.abc import Sequence

from dptopk.mechanisms import Mechanism
from dptopk.questions.answer import Answer, Own, Progress
from dptopk.questions.enumeration import enumerate_outputs
from dptopk.questions.origin import Origin
from dptopk.questions.settings import DRAWS, N_ITEMS, SMALL, SMALL_K, VECTOR
from dptopk.questions.small_cases import SmallCase, small_case
from dptopk.questions.view import View

TITLE = "All outputs and their probabilities"


def exact_origin(
    view: View, case: SmallCase, mechanisms: Sequence[Mechanism], n_draws: int
) -> Origin:
    """Return the origin of the enumeration of a case."""
    if not n_draws:
        return case.origin(mechanisms, "exact")
    return case.origin(
        mechanisms,
        "exact, with draws laid over",
        runs=n_draws,
        runs_are="draws from each mechanism",
        seed=view.seed,
    )


def answer(view: View, own: Own, progress: Progress) -> Answer:
    """Enumerate every output with its probabilities.

    Raises
    ------
    ValueError
        If there are too many, in a sentence.
    """
    case = small_case(
        view.source, own[SMALL.key], own[VECTOR.key], own[N_ITEMS.key], own[SMALL_K.key]
    )
    mechanisms, n_draws = view.at(case.k, case.counts), own[DRAWS.key]
    refused = view.refusals(case.k, case.counts)
    if not mechanisms:
        raise ValueError(" ".join(refused))
    written = enumerate_outputs(case.counts, mechanisms, n_draws, view.seed)
    progress(1.0)
    return Answer(
        "outputs",
        TITLE,
        written.frame(),
        exact_origin(view, case, mechanisms, n_draws),
        ("output", *written.log_exact),
        tuple(refused),
        {label: written.words(label) for label in written.log_exact},
    )
