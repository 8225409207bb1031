"""What ε a release needs, as it is handed over: on the data, or on what stands in for them."""

from dataclasses import dataclass

from dptopk import settings
from dptopk.goals import Goal
from dptopk.questions.stand_in import StandIn
from dptopk.ui import address, costs_beside, public_file, target_code
from dptopk.ui.presenters import choose
from dptopk.ui.report import Section
from dptopk.ui.solving import Asked
from dptopk.view import View

_ASKED = Asked(Goal(settings.GOAL.default, "", 0), settings.CHANCE.default)
_OPTIONS = choose.Options(_ASKED, settings.NO_STAND_IN, other_k=False, against_delta=False)


@dataclass(frozen=True)
class Cost:
    """What ε the chosen mechanisms need, cheapest first.

    Where ``stand_in`` stands in for the data, all is ``shown`` of it and nothing of them.
    ``beside`` says what was chosen to stand in, in markdown; it may not be here.
    """

    shown: choose.Shown
    stand_in: StandIn | None
    beside: str

    def is_told(self, view: View, public: bool) -> bool:
        """Whether the ε that is needed is told.

        On private data it is a use of them: it is not told by whom it was said not to decide.
        """
        if self.stand_in or self.beside:
            return self.stand_in is not None
        return not (public and view.source.brought)

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
    shown = choose.present(costs_beside.view_on(view, found), _OPTIONS, found.name)
    return Cost(shown, found, f"The smallest ε is asked of what stands in: {found.sentence}")
