"""Compute the smallest sufficient ε of a release, on its data or on public data instead."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from dptopk.mechanisms import Mechanism
from dptopk.questions import settings
from dptopk.questions.epsilon import Repetition, Requirement, smallest_epsilons
from dptopk.questions.stand_in import StandIn, view_on
from dptopk.questions.view import View
from dptopk.tuning.search import SmallestEpsilon
from dptopk.tuning.targets import Goal, filter_by_goal
from dptopk.ui import address, results
from dptopk.ui.controls.goals import requirement_of_link
from dptopk.ui.formats import compact, rounded_up
from dptopk.ui.sections import python_lines, smallest_epsilon as choose
from dptopk.ui.sections.proposal import BY_RUNS
from dptopk.ui.uploads import public_file
from dptopk.ui.widgets.report import Section

_ASKED = Requirement(Goal(settings.GOAL.default, "", 0), settings.CHANCE.default)


@dataclass(frozen=True)
class Cost:
    """Smallest ε of the chosen mechanisms, cheapest first.

    With a ``stand_in``, ``shown`` is computed on it and not on the data.  ``beside`` describes the
    stand-in in markdown, or its absence.  ``asked`` is the goal here, ``elsewhere`` that of
    Choose ε, and ``found`` its answers on the stand-in by label, if that goal differs.
    """

    shown: choose.Solved
    stand_in: StandIn | None
    beside: str
    asked: Requirement = _ASKED
    elsewhere: Requirement = _ASKED
    found: Mapping[str, SmallestEpsilon] = field(default_factory=dict)

    def is_shown(self, view: View, public: bool) -> bool:
        """Return True if the smallest ε may be shown.

        Without a stand-in it is hidden if the author states that the settings come from public
        data, as the smallest ε on private data would be a use of these.
        """
        if self.stand_in or self.beside:
            return self.stand_in is not None
        return not (public and view.source.brought)

    def tuned_on(self, mechanism: Mechanism, view: View) -> str:
        """Describe the stand-in if ε is the smallest there, for this goal or that of Choose ε.

        A simulated ε is the upper end of its interval, rounded up.
        """
        if not self.stand_in:
            return ""
        goal = self.elsewhere.goal.words(self.stand_in.counts, mechanism.k, view.unit)
        often = f"{compact(round(100 * self.elsewhere.probability, 6))}%"
        of_choose = f", for {goal} with probability {often}"
        for found, which in ((self.found, of_choose), (self.shown.found, "")):
            answer = found.get(mechanism.label)
            if answer is None or not 0 < answer.high < math.inf:
                continue
            if rounded_up(answer.high) == mechanism.epsilon:
                return f"{self.stand_in.described}{which}{'' if answer.exact else BY_RUNS}"
        return ""

    def section(self, view: View) -> Section:
        """Return the section of the report on the smallest ε."""
        question, reading = choose.question(view, self.asked)
        sentences = [reading, choose.USE]
        if self.stand_in:
            sentences[1] = f"It is computed on {self.stand_in.described}, not on these counts."
        figures = [chart for chart in (self.shown.chart, self.shown.each) if chart]
        return Section(question, sentences, [*figures, self.shown.table])

    def code(self, view: View) -> str:
        """Return lines that compute the smallest ε, given ``counts`` and ``mechanisms``."""
        question, _ = choose.question(view, self.asked)
        if self.stand_in:
            lines = python_lines.on_stand_in(self.stand_in, view, self.asked)
            return f"# {question} On {self.stand_in.described}\n{lines}"
        return f"# {question}\n{python_lines.smallest(view, self.asked)}"


def cost(view: View, repeated: Repetition) -> Cost:
    """Solve for every chosen mechanism on the data, or on the stand-in chosen on Choose ε."""
    here = replace(_ASKED, chance=address.value(settings.CHANCE), repeated=repeated)
    choice = address.value(settings.stand_in())
    if choice == settings.NO_STAND_IN:
        return Cost(choose.solve(view, here), None, "", here)
    found = public_file.chosen_stand_in(choice, view.counts, view.unit)
    if isinstance(found, str):
        hidden = f"{found} No smallest ε is shown here."
        return Cost(choose.solve(view, here), None, hidden, here)
    there, asked = view_on(view, found), requirement_of_link(view.k, repeated)
    shown = choose.solve(there, here, on=found.name)
    beside = f"The smallest ε is computed on a stand-in: {found.sentence}"
    if asked == here or view.k > found.counts.d:
        return Cost(shown, found, beside, here)
    mechanisms, _ = filter_by_goal(found.counts, view.mechanisms, asked.goal)
    answers = smallest_epsilons(
        found.counts, mechanisms, asked, view.seed, results.IN_TURNS, "handover-asked"
    )
    by_label = {mechanism.label: answer for mechanism, answer in answers.items()}
    return Cost(shown, found, beside, here, asked, by_label)
