"""Propose a mechanism for a release, with its accuracy and the smallest sufficient ε.

That ε is found on the data of the release, or on public data instead.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from dptopk.accounting import Composition
from dptopk.core.estimate import Estimate
from dptopk.mechanisms import Mechanism
from dptopk.questions import settings
from dptopk.questions.epsilon import Repetition, Requirement, smallest_epsilons
from dptopk.questions.errors import Errors, releases
from dptopk.questions.stand_in import StandIn, view_on
from dptopk.questions.view import View
from dptopk.tuning.repeated import chance_of_all
from dptopk.tuning.search import SmallestEpsilon
from dptopk.tuning.targets import Goal, filter_by_goal
from dptopk.ui import address, results
from dptopk.ui.controls.goals import requirement_of_link
from dptopk.ui.formats import compact, joined, needed, rounded_up, stated
from dptopk.ui.sections import python_lines, smallest_epsilon as choose
from dptopk.ui.sentences import texts
from dptopk.ui.sentences.leaders import Best
from dptopk.ui.show import Button
from dptopk.ui.uploads import public_file

_USUAL = Requirement(Goal(settings.GOAL.default, "", 0), settings.CHANCE.default)
BY_RUNS = " (simulated: the upper end of its 95% interval)"


def total(cost: Composition) -> str:
    """Format the total ε of several releases, rounded up."""
    return f"ε = {needed(cost.epsilon)}" if cost.epsilon < math.inf else "more than any ε"


@dataclass(frozen=True)
class Proposal:
    """A mechanism proposed among others, beside which it is shown in the same tables.

    ``needed`` is by label, the cheapest first; it lacks who was left when somebody stopped.
    """

    mechanism: Mechanism
    errors: Errors
    needed: Mapping[str, SmallestEpsilon]
    best: Best  # at this budget
    stand_in: StandIn | None = None  # data used for ``needed`` in place of the user's
    less: str = ""  # sentence on a mechanism not chosen that needs a smaller ε
    requirement: Requirement = _USUAL  # for which ``needed`` was found
    together: Composition | None = None  # total cost of the releases, if there are several

    @property
    def releases(self) -> int:
        """Number of such releases."""
        return self.requirement.repeated.releases

    @property
    def right(self) -> Estimate:
        """Probability of the right set."""
        return self.errors.chance(self.mechanism.label, "exact_set")

    @property
    def in_order(self) -> Estimate:
        """Probability of the right set in the right order."""
        return self.errors.chance(self.mechanism.label, "exact_sequence")

    @property
    def all_right(self) -> str:
        """Probability that all releases give the right set, on data like these."""
        return chance_of_all(self.right, self.releases).text

    @property
    def percent(self) -> str:
        """Probability of the target, in percent."""
        return compact(round(100 * self.requirement.chance, 6))

    @property
    def often(self) -> str:
        """Probability for which the smallest ε was found, in words."""
        often = f"{self.percent} times in 100"
        return f"all {self.releases:,} right {often}" if self.requirement.repeated.of_all else often

    @property
    def without_error(self) -> bool:
        """True if the middle half of the releases of every mechanism has no error."""
        rows = self.errors.rows
        return not rows["q75_exact"].fillna(rows["q75_simulated"]).any()

    @property
    def use(self) -> Button | None:
        """Button that sets ε to the smallest sufficient one, or None."""
        name = self.stand_in.name if self.stand_in else ""
        on_data, present = self._needed, self.mechanism.epsilon
        return choose.use_epsilon(on_data, present, name) if on_data else None

    @property
    def sentence(self) -> str:
        """The proposal in one paragraph."""
        label, guarantee, k = self.mechanism.label, self.mechanism.guarantee, self.mechanism.k
        delta = f"δ = {stated(guarantee.delta)}" if guarantee.delta else "without δ"
        verb = "The author chose" if self.best.error or self.another else "We propose"
        all_right = (
            f"the right {k}, in any order, come out" if k > 1 else "the right item comes out"
        )
        in_all = ""
        if cost := self.together:
            n, at = f"{self.releases:,}", f" at δ = {stated(cost.delta)}" if cost.delta else ""
            in_all = (
                f" {n} such releases cost {total(cost)} together{at}, {cost.by}; all {n} are right "
                f"with probability {self.all_right} if each is of data like these, as their noise "
                "is independent."
            )
        return (
            f"{self._hardly}{verb} {label} at ε = {stated(guarantee.epsilon)} ({delta}): it "
            f"releases {releases(self.mechanism)}; {all_right} with probability "
            f"{self.right.text} ({'exact' if self.right.exact else 'simulated'})."
            f"{in_all}{self._how_much}"
            f"{' A larger ε may not reach it.' * bool(self._needed and self._needed.may_fall)}"
            f"{self.less and f' {self.less}'}"
        )

    @property
    def _hardly(self) -> str:
        if not self.best.error:
            return ""
        k, epsilon = self.mechanism.k, compact(self.mechanism.epsilon)
        goal = f"likely to give {f'exactly the right {k}' if k > 1 else 'the right item'} at "
        goal += f"ε = {epsilon}"
        if len(self.errors.mechanisms) == 1:
            return f"{self.mechanism.label} is not {goal} ({self.best.error}). "
        return f"No chosen mechanism is {goal}; {self._least} ({self.best.error}). "

    @property
    def unlikely(self) -> str:
        """Clause for the case that no mechanism is likely to be right."""
        return f" · none chosen is likely to be right: {self._least}" if self.best.error else ""

    @property
    def _least(self) -> str:
        labels = list(self.best.labels)
        return f"{joined(labels)} {'has' if len(labels) == 1 else 'have'} the smallest error"

    @property
    def another(self) -> float | None:
        """The smallest sufficient ε, rounded up, if it differs from the present one; else None."""
        if self._needed is None or not 0 < self._needed.high < math.inf:
            return None
        wanted = rounded_up(self._needed.high)
        return None if wanted == self.mechanism.epsilon else wanted

    @property
    def is_enough(self) -> bool:
        """True if the present ε of a single release is known to be sufficient on the data."""
        enough = self._needed.high if self._needed else math.inf
        alone = self.stand_in is None and self.releases == 1
        return alone and enough < math.inf and rounded_up(enough) <= self.mechanism.epsilon

    @property
    def by_runs(self) -> bool:
        """True if some of the smallest ε are estimated."""
        return not all(answer.exact for answer in self.needed.values())

    @property
    def _needed(self) -> SmallestEpsilon | None:
        """The smallest sufficient ε, if it is known.

        Its upper end is proposed, as half of all simulated estimates are too small.
        """
        return self.needed.get(self.mechanism.label)

    @property
    def _how_much(self) -> str:
        if self._needed is None:
            return ""
        often = self.often + (f" on {self.stand_in.name}" if self.stand_in else "")
        if self._needed.high == math.inf:
            none = "No ε" if self._needed.epsilon == math.inf else "The runs determine no ε that"
            return f" {none} is sufficient for {often}."
        if not self._needed.high:
            return f" Any ε is sufficient for {often}."
        wanted, by_runs = rounded_up(self._needed.high), "" if self._needed.exact else BY_RUNS
        words = f"{compact(wanted)}{' each' if self.releases > 1 else ''}{by_runs}"
        if not texts.worth_a_promise(wanted):
            return f" For {often} it takes ε = {words}, which is {texts.UNPROTECTED}."
        if wanted < self.mechanism.epsilon:
            return (
                f" A smaller ε, {words}, is sufficient for {often}: we propose it unless a higher "
                "probability is worth the loss of privacy."
            )
        if wanted > self.mechanism.epsilon:
            return f" For {often} it takes ε = {words}."
        return f" It is the smallest ε for {often}{by_runs}, rounded up."


@dataclass(frozen=True)
class Cost:
    """Smallest ε of the chosen mechanisms, cheapest first.

    With a ``stand_in``, ``solved`` is computed on it and not on the data.  ``note`` describes the
    stand-in in markdown, or its absence.  ``requirement`` is that here, ``elsewhere`` that of
    Choose ε, and ``of_choose`` its answers on the stand-in by label, if that goal differs.
    """

    solved: choose.Solved
    stand_in: StandIn | None
    note: str
    requirement: Requirement = _USUAL
    elsewhere: Requirement = _USUAL
    of_choose: Mapping[str, SmallestEpsilon] = field(default_factory=dict)

    def is_shown(self, view: View, public: bool) -> bool:
        """Return True if the smallest ε may be shown.

        Without a stand-in it is hidden if the author states that the settings come from public
        data, as the smallest ε on private data would be a use of these.
        """
        if self.stand_in or self.note:
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
        words = f", for {goal} with probability {often}"
        for answers, which in ((self.of_choose, words), (self.solved.answers, "")):
            answer = answers.get(mechanism.label)
            if answer is None or not 0 < answer.high < math.inf:
                continue
            if rounded_up(answer.high) == mechanism.epsilon:
                return f"{self.stand_in.described}{which}{'' if answer.exact else BY_RUNS}"
        return ""

    def code(self, view: View) -> str:
        """Return lines that compute the smallest ε, given ``counts`` and ``mechanisms``."""
        question, _ = choose.question(view, self.requirement)
        if self.stand_in:
            lines = python_lines.on_stand_in(self.stand_in, view, self.requirement)
            return f"# {question} On {self.stand_in.described}\n{lines}"
        return f"# {question}\n{python_lines.smallest(view, self.requirement)}"


def cost(view: View, repeated: Repetition) -> Cost:
    """Solve for every chosen mechanism on the data, or on the stand-in chosen on Choose ε."""
    here = replace(_USUAL, chance=address.value(settings.CHANCE), repeated=repeated)
    choice = address.value(settings.stand_in())
    if choice == settings.NO_STAND_IN:
        return Cost(choose.solve(view, here), None, "", here)
    stand_in = public_file.chosen_stand_in(choice, view.counts, view.unit)
    if isinstance(stand_in, str):
        hidden = f"{stand_in} No smallest ε is shown here."
        return Cost(choose.solve(view, here), None, hidden, here)
    there, requirement = view_on(view, stand_in), requirement_of_link(view.k, repeated)
    solution = choose.solve(there, here, on=stand_in.name)
    note = f"The smallest ε is computed on a stand-in: {stand_in.sentence}"
    if requirement == here or view.k > stand_in.counts.d:
        return Cost(solution, stand_in, note, here)
    mechanisms, _ = filter_by_goal(stand_in.counts, view.mechanisms, requirement.goal)
    answers = smallest_epsilons(
        stand_in.counts, mechanisms, requirement, view.seed, results.IN_TURNS, "handover-asked"
    )
    by_label = {mechanism.label: answer for mechanism, answer in answers.items()}
    return Cost(solution, stand_in, note, here, requirement, by_label)
