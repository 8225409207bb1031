"""Questions that pages, settings files and the command line answer with a table.

A question takes a view (data, mechanisms, numbers of runs) and settings of its own, and answers
with a table of numbers: the one that its page hands over, to the last digit.  Its key is that of
its page.  Each is declared here once; nothing is loaded, so that `dptopk --help` is quick.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dptopk.core.cancellation import Progress
    from dptopk.questions.answer import Answer, SettingValues
    from dptopk.questions.view import View


@dataclass(frozen=True)
class Question:
    """Question with its settings, its command, and the module that answers it."""

    key: str  # of its page
    module: str  # of this package that answers it, loaded when it is asked
    settings: tuple[str, ...] = ()  # keys of its own, beside those of a view
    small: bool = False  # asked of a small case, with a k of its own
    single: bool = False  # asked of one mechanism
    command: str = ""  # empty where that of another question asks the same
    asks: str = ""  # the question in words
    help: str = ""  # what it is for, with examples of {first}, {delta} and {set}, a mechanism each
    # keys of common settings that have options of the command, before those of the question
    common: tuple[str, ...] = ()
    lists: tuple[str, ...] = ()  # keys of settings that take several values, each asked by itself
    # by key of a setting that it reads at some values of another alone, that one's key and those;
    # more are in `settings.READ_AT`
    read_at: Mapping[str, tuple[str, Collection[Any]]] = field(default_factory=dict, hash=False)
    # of the mechanisms, it reads the settings of those alone that release a top set or nothing
    sets: bool = False
    # what its answer can write into a file of its own: the option's name, and what it is
    files: tuple[tuple[str, str], ...] = ()

    @property
    def parameters(self) -> tuple[Any, ...]:
        """The settings beside those of a view."""
        from dptopk.questions import settings

        return settings.named(self.settings)

    def answer(self, view: View, values: SettingValues, progress: Progress) -> Answer:
        """Answer the question for a view, with its own settings by key, and report progress."""
        module = import_module(f"{__name__}.{self.module}")
        answer: Answer = module.answer(view, values, progress)
        progress(1.0)  # also of those too quick to report any
        return answer


_COMMON = ("k", "epsilon", "mechanisms", "neighbors", "delta", "calibration", "seed")
SMALL = ("small", "vector", "small_items", "small_k")
"""Keys of the settings of a small case."""

_EPSILON = (
    *("goal", "least", "metric", "most", "most_share", "least_score", "chance"),
    *("releases", "together", "total_epsilon", "stand_in", "across"),
)
_ALL = (
    Question(
        "release",
        "release",
        command="release",
        asks="What is released as the top k?",
        help="""Draw one release of each chosen mechanism beside the truth.

        The same seed gives the same draw, here, in the app and in Python: who knows the seed knows
        the noise, so this is to look at, not to publish.

        \b
        dptopk release -k 3 --data games --mechanisms {first}
        dptopk release -k 3 --seed 7 --format json
        """,
        common=_COMMON,
        lists=("k", "epsilon"),
    ),
    Question("errors", "errors", settings=("metric",)),
    Question(
        "compare",
        "errors",
        settings=("metric",),
        command="compare",
        asks="Which mechanism?",
        help="""Run each mechanism many times: how wrong is it, and how often right?

        Columns called simulated come with 95% intervals (_low, _high); those called exact are
        computed, where a closed form is known.

        \b
        dptopk compare -k 3 --data games --runs 100
        dptopk compare -k 3 --mechanisms all --metric l1 --runs 50
        dptopk compare -k 3,5 --epsilon 0.1,0.5 --runs 50
        """,
        common=(*_COMMON, "runs"),
        lists=("k", "epsilon"),
    ),
    Question(
        "sweep",
        "sweep",
        settings=("metric", "against", "runs_a_point"),
        command="sweep",
        asks="Which mechanism has the smaller error at which k and ε?",
        help="""Run each mechanism at many k, or many ε: which errs less where?

        \b
        dptopk sweep --against epsilon -k 3 --runs-a-point 10
        dptopk sweep --data books --runs-a-point 5 --output sweep.csv
        """,
        common=_COMMON,
        read_at={"k": ("against", ("k", "epsilon", "k_bar"))},
    ),
    Question(
        "winners",
        "winners",
        settings=("measure", "ranked", "map_ks"),
        command="winners",
        asks="Which mechanism is best, at which k and ε?",
        help="""Map who is best: score each mechanism at many k and ε.

        One row a mechanism in each cell; is_best marks those that none is shown to beat. Exact
        scores where a law is known, else of --runs runs with 95% intervals.

        \b
        dptopk winners --measure exact_set --mechanisms {first}
        dptopk winners --mechanisms {set} --runs 10
        """,
        common=(*_COMMON, "runs"),
    ),
    Question(
        "choose",
        "epsilon",
        settings=_EPSILON,
        command="epsilon",
        asks="What does a target cost?",
        help="""Find the smallest ε that reaches a goal, cheapest mechanism first.

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
        common=tuple(key for key in _COMMON if key != "epsilon"),  # which comes out
        lists=("k",),
        read_at={"k": ("across", ("given", "delta"))},
    ),
    Question(
        "gaps",
        "gaps",
        settings=("places",),
        command="gaps",
        asks="How far apart are the top counts?",
        help="""\
        List the first places with the gap after each: noise of its size swaps adjacent items.

        With mechanisms that release exactly a top set or nothing, also the ε with which each set
        comes out. Counts and gaps are the true ones: nothing protects them.

        \b
        dptopk gaps -k 5 --data games --places 8
        dptopk gaps -k 5 --mechanisms {stable} --delta 1e-6 --places 8
        """,
        common=("k", "mechanisms", "neighbors", "delta"),
        sets=True,
    ),
    Question(
        "exact",
        "exact",
        settings=(*SMALL, "draws"),
        small=True,
        command="exact",
        asks="Which outputs are possible, and how likely are they?",
        help="""Write out every output of a small case with its exact probability.

        \b
        dptopk exact --vector "10, 5, 1, 1" --small-k 2 --draws 0
        dptopk exact --small top --small-items 4 --mechanisms {first} --draws 1000
        """,
        common=("epsilon", "mechanisms", "neighbors", "delta", "calibration", "seed"),
        read_at={"seed": ("draws", range(1, 10**9))},
    ),
    Question(
        "privacy",
        "privacy",
        settings=(*SMALL, "run"),
        small=True,
        command="privacy",
        asks="How much can one user change the answer?",
        help="""Find the largest privacy loss over every neighbour of a few counts, exactly.

        largest_loss is how much of ε the worst neighbour uses, needed_delta how much of δ. --run
        takes mechanisms that are wrong on purpose, to see a promise broken.

        \b
        dptopk privacy --vector "10, 5, 1, 1" --small-k 2 --epsilon 0.5
        dptopk privacy --run unswapped --neighbors swap --small-k 1
        """,
        common=("epsilon", "mechanisms", "neighbors", "delta", "calibration"),
        lists=("epsilon",),
        read_at={"mechanisms": ("run", ("right", "unswapped"))},
    ),
    Question(
        "budget",
        "budget",
        command="budget",
        asks="How much noise does a budget need?",
        help="""\
        Compare five ways of composing the k rounds of {delta}: noise, and what is really spent.

        Bounds that hold on any counts. The noise scale is that of the Gumbel noise on each count.

        \b
        dptopk budget -k 10 --epsilon 1 --delta 1e-6
        dptopk budget -k 10,50 --epsilon 0.1,1 --format json
        """,
        common=("k", "epsilon", "neighbors", "delta"),
        lists=("k", "epsilon"),
    ),
    Question(
        "handover",
        "handover",
        settings=("tuned_public", "releases"),
        single=True,
        command="handover",
        asks="Is this list ready to be published, and with which documents?",
        help="""Write what goes with a release: a checklist, a script that draws it, and a record.

        The checklist says what dptopk can vouch for and what you must do. --script writes
        Python that draws from the same distribution by OpenDP, where it can, --sql a query of a
        database, --record a deployment for a registry, in YAML. A report with the figures is made
        by the page of the app.

        \b
        dptopk handover -k 10 --mechanisms {delta} --script release.py --record deployment.yaml
        dptopk handover -k 10 --mechanisms {first} --tuned-public --output checklist.csv
        """,
        common=("k", "epsilon", "mechanisms", "neighbors", "delta", "calibration"),
        files=(
            ("script", "Python that draws the release by OpenDP."),
            ("sql", "SQL that makes the release from events, where one query can."),
            ("record", "The release as a deployment for a registry, in YAML."),
        ),
    ),
)
QUESTIONS = {question.key: question for question in _ALL}
"""By the keys of their pages."""

COMMANDS = {question.command: question for question in _ALL if question.command}
"""By the names of their commands."""
