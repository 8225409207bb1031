"""The commands that ask a question: what each is for, and which settings are its options."""

from dataclasses import dataclass

from dptopk.mechanisms import MECHANISMS


@dataclass(frozen=True)
class Command:
    """A command: its question, what it is for, and which settings have options of their own."""

    name: str
    page: str
    help: str
    options: tuple[str, ...]


# what examples are of
_FIRST, *_, _DELTA = (it.card.key for it in MECHANISMS.values() if it.card.featured)
_SET = next(it.card.key for it in MECHANISMS.values() if not it.outputs.ordered)
_COMMON = ("k", "epsilon", "mechanisms", "neighbors", "delta", "calibration", "seed")
COMMANDS = (
    Command(
        "release",
        "release",
        f"""Draw one release of each mechanism beside the truth.

        The same seed gives the same draw, here, in the app and in Python: who knows the seed knows
        the noise, so this is to look at, not to publish.

        \b
        dptopk release -k 3 --data games --mechanisms {_FIRST}
        dptopk release -k 3 --seed 7 --format json
        """,
        _COMMON,
    ),
    Command(
        "compare",
        "compare",
        """Run each mechanism many times: how wrong is it, and how often right?

        Columns called simulated come with 95% intervals (_low, _high); those called exact are
        computed, where a closed form is known.

        \b
        dptopk compare -k 3 --data games --runs 100
        dptopk compare -k 3 --mechanisms all --metric l1 --runs 50
        """,
        (*_COMMON, "runs", "metric"),
    ),
    Command(
        "sweep",
        "sweep",
        """Run each mechanism at many k, or many ε: which errs less where?

        \b
        dptopk sweep --against epsilon -k 3 --runs-a-point 10
        dptopk sweep --data books --runs-a-point 5 --output sweep.csv
        """,
        (*_COMMON, "metric", "against", "runs_a_point"),
    ),
    Command(
        "winners",
        "winners",
        f"""Map who is best: score each mechanism at many k and ε.

        One row a mechanism in each cell; is_best marks those whom nobody is shown to beat. Exact
        scores where a law is known, else of --runs runs with 95% intervals.

        \b
        dptopk winners --measure exact_set --mechanisms {_FIRST}
        dptopk winners --mechanisms {_SET} --runs 10
        """,
        (*_COMMON, "runs", "measure", "ranked", "map_ks"),
    ),
    Command(
        "epsilon",
        "choose",
        f"""Work backwards: the smallest ε that reaches a goal, cheapest mechanism first.

        The goal is what one release must achieve, and --chance how often. Choosing ε by looking at
        private counts is itself a use of them that no promise covers: choose it on public data of
        the same kind.

        \b
        dptopk epsilon -k 3 --goal exact_set --chance 0.95
        dptopk epsilon -k 3 --goal error --most 10 --mechanisms {_FIRST}
        dptopk epsilon --across k --mechanisms {_FIRST}
        dptopk epsilon -k 3 --across delta --mechanisms {_FIRST},{_DELTA}
        """,
        (*_COMMON, "goal", "least", "metric", "most", "most_share", "chance", "stand_in", "across"),
    ),
    Command(
        "exact",
        "exact",
        f"""Write out every output of a small case with its exact probability.

        \b
        dptopk exact --vector "10, 5, 1, 1" --small-k 2 --draws 0
        dptopk exact --small top --small-items 4 --mechanisms {_FIRST} --draws 1000
        """,
        (
            *("epsilon", "mechanisms", "neighbors", "delta", "calibration", "seed"),
            *("small", "vector", "small_items", "small_k", "draws"),
        ),
    ),
)
