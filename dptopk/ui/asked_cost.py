"""What ε a release needs, as it is handed over: on the data, or on what stands in for them."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from dptopk import settings
from dptopk.choosing import SmallestEpsilon
from dptopk.goals import Goal, able
from dptopk.mechanisms import Mechanism
from dptopk.questions.stand_in import StandIn
from dptopk.ui import address, costs_beside, public_file, target_code
from dptopk.ui.formats import compact, rounded_up
from dptopk.ui.presenters import choose
from dptopk.ui.proposal import BY_RUNS
from dptopk.ui.report import Section
from dptopk.ui.solving import Asked, asked_elsewhere, by_label, solved
from dptopk.view import View

_ASKED = Asked(Goal(settings.GOAL.default, "", 0), settings.CHANCE.default)
_OPTIONS = choose.Options(_ASKED, settings.NO_STAND_IN, other_k=False, against_delta=False)


@dataclass(frozen=True)
class Cost:
    """What ε the chosen mechanisms need, cheapest first.

    Where ``stand_in`` stands in for the data, all is ``shown`` of it and nothing of them.
    ``beside`` says what was chosen to stand in, in markdown; it may not be here.  ``asked`` is what
    Choose ε asks of it, and ``found`` what that takes there, by label, where it is something else.
    """

    shown: choose.Shown
    stand_in: StandIn | None
    beside: str
    asked: Asked = _ASKED
    found: Mapping[str, SmallestEpsilon] = field(default_factory=dict)

    def is_told(self, view: View, public: bool) -> bool:
        """Whether the ε that is needed is told.

        On private data it is a use of them: it is not told by whom it was said not to decide.
        """
        if self.stand_in or self.beside:
            return self.stand_in is not None
        return not (public and view.source.brought)

    def tuned_on(self, mechanism: Mechanism, view: View) -> str:
        """What stands in for the data and the goal, where ε is the smallest for it there.

        Of a simulated one that is the upper end of its interval, rounded up.
        """
        answer = self.found.get(mechanism.label)
        if not self.stand_in or not answer or not 0 < answer.high < math.inf:
            return ""
        if rounded_up(answer.high) != mechanism.epsilon:
            return ""
        goal = self.asked.goal.words(self.stand_in.counts, mechanism.k, view.unit)
        often = f"{compact(100 * self.asked.probability)}%"
        by_runs = "" if answer.exact else BY_RUNS
        return f"{self.stand_in.described}, for {goal} with probability {often}{by_runs}"

    def section(self, view: View) -> Section:
        """The same, as the report tells it."""
        question, reading = choose.question(view, _OPTIONS)
        sentences = [reading, choose.USE]
        if self.stand_in:
            sentences[1] = f"It is asked of {self.stand_in.described}, and not of these counts."
        figure = [self.shown.chart] if self.shown.chart else []
        return Section(question, sentences, [*figure, self.shown.table])

    def code(self, view: View) -> str:
        """Lines that give the same, below others that make ``counts`` and ``mechanisms``."""
        question, _ = choose.question(view, _OPTIONS)
        if self.stand_in:
            lines = target_code.on_stand_in(self.stand_in, view, _ASKED)
            return f"# {question} On {self.stand_in.described}\n{lines}"
        return f"# {question}\n{target_code.smallest(view, _ASKED)}"


def cost(view: View) -> Cost:
    """Solve for every chosen mechanism on the data, or on what Choose ε has beside them."""
    choice = address.value(settings.stand_in())
    if choice == settings.NO_STAND_IN:
        return Cost(choose.present(view, _OPTIONS), None, "")
    found = public_file.beside(choice, view.counts, view.unit)
    if isinstance(found, str):
        return Cost(choose.present(view, _OPTIONS), None, f"{found} No smallest ε is told here.")
    there, asked = costs_beside.view_on(view, found), asked_elsewhere(view.k)
    shown = choose.present(there, _OPTIONS, found.name)
    beside = f"The smallest ε is asked of what stands in: {found.sentence}"
    if asked == _ASKED or view.k > found.counts.d:
        return Cost(shown, found, beside)
    mechanisms, _ = able(found.counts, view.mechanisms, asked.goal)
    answers = by_label(solved(found.counts, mechanisms, asked, view.seed, "handover-asked"))
    return Cost(shown, found, beside, asked, answers)
