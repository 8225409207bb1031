"""Help texts, options and examples of the commands that compute tables.

Nothing is loaded here, so that `dptopk --help` is quick.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Command:
    """Command that answers a question."""

    name: str
    page: str  # key of its question and page
    asks: str  # the question in words
    help: str  # what it is for, with examples of {first}, {delta} and {set}, a mechanism each
    # keys of common settings that have options here, before those of the question
    common: tuple[str, ...]
    lists: tuple[str, ...] = ()  # keys of settings that take several values, each asked by itself
    # what its answer can write into a file of its own: the option's name, and what it is
    files: tuple[tuple[str, str], ...] = ()


_COMMON = ("k", "epsilon", "mechanisms", "neighbors", "delta", "calibration", "seed")
COMMANDS = (
    Command(
        "release",
        "release",
        "What is released as the top k?",
        """Draw one release of each chosen mechanism beside the truth.

        The same seed gives the same draw, here, in the app and in Python: who knows the seed knows
        the noise, so this is to look at, not to publish.

        \b
        dptopk release -k 3 --data games --mechanisms {first}
        dptopk release -k 3 --seed 7 --format json
        """,
        _COMMON,
        ("k", "epsilon"),
    ),
    Command(
        "compare",
        "compare",
        "Which mechanism?",
        """Run each mechanism many times: how wrong is it, and how often right?

        Columns called simulated come with 95% intervals (_low, _high); those called exact are
        computed, where a closed form is known.

        \b
        dptopk compare -k 3 --data games --runs 100
        dptopk compare -k 3 --mechanisms all --metric l1 --runs 50
        dptopk compare -k 3,5 --epsilon 0.1,0.5 --runs 50
        """,
        (*_COMMON, "runs"),
        ("k", "epsilon"),
    ),
    Command(
        "sweep",
        "sweep",
        "Which mechanism has the smaller error at which k and ε?",
        """Run each mechanism at many k, or many ε: which errs less where?

        \b
        dptopk sweep --against epsilon -k 3 --runs-a-point 10
        dptopk sweep --data books --runs-a-point 5 --output sweep.csv
        """,
        _COMMON,
    ),
    Command(
        "winners",
        "winners",
        "Which mechanism is best, at which k and ε?",
        """Map who is best: score each mechanism at many k and ε.

        One row a mechanism in each cell; is_best marks those that none is shown to beat. Exact
        scores where a law is known, else of --runs runs with 95% intervals.

        \b
        dptopk winners --measure exact_set --mechanisms {first}
        dptopk winners --mechanisms {set} --runs 10
        """,
        (*_COMMON, "runs"),
    ),
    Command(
        "epsilon",
        "choose",
        "What does a target cost?",
        """Find the smallest ε that reaches a goal, cheapest mechanism first.

        The goal is what one release must achieve, and --chance how often. Choosing ε by looking at
        private counts is itself a use of them that no promise covers: choose it on public data of
        the same kind.

        \b
        dptopk epsilon -k 3 --goal exact_set --chance 0.95
        dptopk epsilon -k 3 --goal error --most 10 --mechanisms {first}
        dptopk epsilon --across k --mechanisms {first}
        dptopk epsilon -k 3 --across delta --mechanisms {first},{delta}
        dptopk epsilon --releases 52 --total-epsilon 0.5
        """,
        _COMMON,
        ("k",),
    ),
    Command(
        "gaps",
        "gaps",
        "How far apart are the top counts?",
        """List the first places with the gap after each: noise of its size swaps adjacent items.

        With mechanisms that release exactly a top set or nothing, also the ε with which each set
        comes out. Counts and gaps are the true ones: nothing protects them.

        \b
        dptopk gaps -k 5 --data games --places 8
        dptopk gaps -k 5 --mechanisms {stable} --delta 1e-6 --places 8
        """,
        ("k", "epsilon", "mechanisms", "neighbors", "delta"),
    ),
    Command(
        "exact",
        "exact",
        "Which outputs are possible, and how likely are they?",
        """Write out every output of a small case with its exact probability.

        \b
        dptopk exact --vector "10, 5, 1, 1" --small-k 2 --draws 0
        dptopk exact --small top --small-items 4 --mechanisms {first} --draws 1000
        """,
        ("epsilon", "mechanisms", "neighbors", "delta", "calibration", "seed"),
    ),
    Command(
        "privacy",
        "privacy",
        "How much can one user change the answer?",
        """Find the largest privacy loss over every neighbour of a few counts, exactly.

        largest_loss is how much of ε the worst neighbour uses, needed_delta how much of δ. --run
        takes mechanisms that are wrong on purpose, to see a promise broken.

        \b
        dptopk privacy --vector "10, 5, 1, 1" --small-k 2 --epsilon 0.5
        dptopk privacy --run unswapped --neighbors swap --small-k 1
        """,
        ("epsilon", "mechanisms", "neighbors", "delta", "calibration"),
        ("epsilon",),
    ),
    Command(
        "budget",
        "budget",
        "How much noise does a budget need?",
        """Compare five ways of composing the k rounds of {delta}: noise, and what is really spent.

        Bounds that hold on any counts. The noise scale is that of the Gumbel noise on each count.

        \b
        dptopk budget -k 10 --epsilon 1 --delta 1e-6
        dptopk budget -k 10,50 --epsilon 0.1,1 --format json
        """,
        ("k", "epsilon", "neighbors", "delta"),
        ("k", "epsilon"),
    ),
    Command(
        "handover",
        "handover",
        "Which documents accompany the release?",
        """Write what goes with a release: a checklist, a script that draws it, and a record.

        The checklist says what dptopk can vouch for and what you must do. --script writes
        Python that draws from the same distribution by OpenDP, where it can, --sql a query of a
        database, --record a deployment for a registry, in YAML. A report with the figures is made
        by the page of the app.

        \b
        dptopk handover -k 10 --mechanisms {delta} --script release.py --record deployment.yaml
        dptopk handover -k 10 --mechanisms {first} --tuned-public --output checklist.csv
        """,
        ("k", "epsilon", "mechanisms", "neighbors", "delta", "calibration"),
        files=(
            ("script", "Python that draws the release by OpenDP."),
            ("sql", "SQL that makes the release from events, where one query can."),
            ("record", "The release as a deployment for a registry, in YAML."),
        ),
    ),
)
