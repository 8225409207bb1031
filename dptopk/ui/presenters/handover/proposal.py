"""What is proposed to whoever decides: a mechanism at its budget, from the numbers of the pages."""

import math
from dataclasses import dataclass
from functools import partial
from typing import Any

import pandas as pd

from dptopk.accounting import Composition
from dptopk.core.parameters import EPSILON
from dptopk.mechanisms import Chance, Mechanism
from dptopk.questions.errors import releases
from dptopk.questions.stand_in import StandIn
from dptopk.tuning.repeated import chance_of_all
from dptopk.ui import address
from dptopk.ui.exhibits.base import Button
from dptopk.ui.findings import texts
from dptopk.ui.findings.leaders import Best
from dptopk.ui.formats import chance, compact, joined, needed, probability, rounded_up, share

OFTEN = "95 times in 100"
BY_RUNS = " (simulated: the upper end of its 95% interval)"


def use_epsilon(
    needed: float, present: float, source: str = "", *, exact: bool = True
) -> Button | None:
    """Set ε to the smallest that is enough, rounded up: if it is another, and worth a promise.

    ``source`` is the data that it is from, where these are not one's own.  Where it is not
    ``exact``, it is the upper end of an interval: half of all estimates are too small.
    """
    if not 0 < needed < math.inf:
        return None
    wanted = rounded_up(needed)
    if wanted == present or not texts.worth_a_promise(wanted):
        return None
    act = partial(address.choose, EPSILON, wanted)
    known = "" if exact else "the upper end of its simulated 95% interval, "
    help = f"Sets ε in the sidebar, for all pages; {known}rounded up, so that it is enough."
    origin = f", from {source}" if source else ""
    return Button(f"Use ε = {compact(wanted)}{origin}", "use-epsilon", act, help)


def total(cost: Composition) -> str:
    """Render what several releases cost together: never less than they do."""
    return f"ε = {needed(cost.epsilon)}" if cost.epsilon < math.inf else "more than any ε"


@dataclass(frozen=True)
class Proposal:
    """One mechanism among others.

    Attributes
    ----------
    mechanism : Mechanism
        The one that is proposed.
    errors : pandas.DataFrame
        Its errors and those of others; see `questions.errors.error_rows`.
    needed : pandas.DataFrame
        The smallest epsilons; see `questions.epsilon.epsilon_rows`.  A mechanism is missing where
        somebody stopped before it was found.
    best : Best
        Whom this budget suits best.
    stand_in : StandIn or None
        What stands in for the data in ``needed``, if anything does.
    less : str
        Who was not chosen and needs less, in a sentence.
    releases : int
        How many such releases there are.
    together : Composition or None
        What they cost together, where there are several.
    of_all : bool
        Whether ``needed`` is for all of them to be right.
    """

    mechanism: Mechanism
    errors: pd.DataFrame
    needed: pd.DataFrame
    best: Best
    stand_in: StandIn | None = None
    less: str = ""
    releases: int = 1
    together: Composition | None = None
    of_all: bool = False

    @property
    def right(self) -> tuple[str, str]:
        """How likely the right set comes out, and how that is known."""
        row = self._row
        exact = float(row["right_as_a_set_exact"])
        if not math.isnan(exact):
            logs = (row[f"right_as_a_set_exact_{log}"] for log in ("log", "log_complement"))
            return probability(*logs), "exact"
        low, high = (share(row[f"right_as_a_set_simulated_{end}"]) for end in ("low", "high"))
        return share(row["right_as_a_set_simulated"]), f"simulated, 95%: [{low}, {high}]"

    @property
    def all_right(self) -> str:
        """How likely the right set comes out of all releases, if each is of data like these."""
        row = self._row
        if not math.isnan(float(row["right_as_a_set_exact"])):
            logs = (row[f"right_as_a_set_exact_{log}"] for log in ("log", "log_complement"))
            return chance(chance_of_all(Chance(*logs), self.releases))
        low, high = (row[f"right_as_a_set_simulated_{end}"] for end in ("low", "high"))
        ends = f"[{share(low**self.releases)}, {share(high**self.releases)}]"
        return f"{share(row['right_as_a_set_simulated'] ** self.releases)} {ends}"

    @property
    def _row(self) -> dict[Any, Any]:
        """The errors of the mechanism."""
        rows = self.errors.to_dict("records")
        return next(row for row in rows if row["mechanism"] == self.mechanism.label)

    @property
    def often(self) -> str:
        """How often what is needed is right, and of several releases how many of them."""
        return f"all {self.releases:,} right {OFTEN}" if self.of_all else OFTEN

    @property
    def without_error(self) -> bool:
        """Whether no mechanism errs, as far as the middle half of its releases shows."""
        known = self.errors["q75_exact"].fillna(self.errors["q75_simulated"])
        return not known.any()

    @property
    def use(self) -> Button | None:
        """Set ε to the smallest that is enough, if there is one, another, and worth a promise."""
        name = self.stand_in.name if self.stand_in else ""
        exact = not self._by_runs
        return use_epsilon(self._enough or 0.0, self.mechanism.epsilon, name, exact=exact)

    @property
    def tuned_on(self) -> str:
        """What stands in for the data, where ε is the smallest that is enough there."""
        enough = self._enough or math.inf
        if not self.stand_in or not 0 < enough < math.inf:
            return ""
        on = f"{self.stand_in.described}{self._by_runs}"
        return on * (rounded_up(enough) == self.mechanism.epsilon)

    @property
    def sentence(self) -> str:
        """The answer."""
        label, guarantee, k = self.mechanism.label, self.mechanism.guarantee, self.mechanism.k
        delta = f"δ = {compact(guarantee.delta)}" if guarantee.delta else "without δ"
        right, known = self.right
        verb = "The author chose" if self.best.error or self._another else "We propose"
        return (
            f"{self._hardly}{verb} {label} at ε = {compact(guarantee.epsilon)} ({delta}): it "
            f"releases {releases(self.mechanism)}; the right {k}, in any order, come out with "
            f"probability {right} ({known}).{self._in_all}{self._how_much}"
            f"{self.less and f' {self.less}'}"
        )

    @property
    def _in_all(self) -> str:
        """What several releases cost together, and how likely all of them are right."""
        if self.together is None:
            return ""
        n, cost = f"{self.releases:,}", self.together
        at = f" at δ = {compact(cost.delta)}" if cost.delta else ""
        return (
            f" {n} such releases cost {total(cost)} together{at}, {cost.by}; all {n} are right "
            f"with probability {self.all_right} if each is of data like these, as their noise is "
            "independent."
        )

    @property
    def _hardly(self) -> str:
        """Say that none is likely to be right, and who errs least, where it is so."""
        if not self.best.error:
            return ""
        asked = f"likely to give exactly the right {self.mechanism.k} at ε = "
        asked += compact(self.mechanism.epsilon)
        if len(self.errors) == 1:
            return f"{self.mechanism.label} is not {asked} ({self.best.error}). "
        return f"No chosen mechanism is {asked}; {self._least} ({self.best.error}). "

    @property
    def unlikely(self) -> str:
        """The same in a few words after others."""
        return f" · none chosen is likely to be right: {self._least}" if self.best.error else ""

    @property
    def _least(self) -> str:
        labels = list(self.best.labels)
        return f"{joined(labels)} {'errs' if len(labels) == 1 else 'err'} least"

    @property
    def _another(self) -> float | None:
        """The smallest ε that is enough, rounded up, if there is one and it is another."""
        epsilon = self._enough
        if epsilon is None or not epsilon > 0 or rounded_up(epsilon) == self.mechanism.epsilon:
            return None
        return rounded_up(epsilon)

    @property
    def _enough(self) -> float | None:
        """The smallest ε that is surely enough; not a number if none is, nothing if none is known.

        It is the upper end of an interval: best estimates are a little too small half of the time.
        """
        return float(self._found["epsilon_needed_high"]) if self._found else None

    @property
    def _found(self) -> dict[str, Any]:
        """What was found for the mechanism, if anything was."""
        rows = ({str(k): v for k, v in row.items()} for row in self.needed.to_dict("records"))
        return next((row for row in rows if row["mechanism"] == self.mechanism.label), {})

    @property
    def _by_runs(self) -> str:
        """Say that an ε is not known exactly, where it is so."""
        exact = not self._found or self._found["is_exact"]
        return "" if exact else BY_RUNS

    @property
    def _how_much(self) -> str:
        """What it takes to be right nearly always, and whether more would be enough as well."""
        falls = " Larger ε may not reach it." if self._found.get("larger_may_not") else ""
        return f"{self._how_much_alone}{falls}"

    @property
    def _how_much_alone(self) -> str:
        epsilon = self._enough
        if epsilon is None:
            return ""
        often = self.often + (f" on {self.stand_in.name}" if self.stand_in else "")
        if math.isnan(epsilon) and not math.isnan(self._found["epsilon_needed"]):
            return f" Runs tell no ε that is surely enough for {often}."
        if math.isnan(epsilon):
            return f" For {often} no ε would do."
        if not epsilon:
            return f" For {often} any ε would do."
        wanted = rounded_up(epsilon)
        words = f"{compact(wanted)}{' each' if self.releases > 1 else ''}{self._by_runs}"
        if not texts.worth_a_promise(wanted):
            return f" For {often} it takes ε = {words}, which is {texts.UNPROTECTED}."
        if wanted < self.mechanism.epsilon:
            return (
                f" That is more than {often} take: for them ε = {words} is enough, and "
                "we propose it unless more certainty is worth the privacy."
            )
        if wanted > self.mechanism.epsilon:
            return f" For {often} it takes ε = {words}."
        return f" It is the smallest ε for {often}{self._by_runs}, rounded up."
