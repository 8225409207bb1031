"""What is asked of all pages and commands: the counts, the mechanisms, and how many runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from dptopk.core.counts import ItemCounts
from dptopk.core.privacy import NeighborRelation
from dptopk.data.sources import ITEM_LIST_CAVEAT, Source
from dptopk.mechanisms import MECHANISMS, Mechanism
from dptopk.questions.origin import Origin
from dptopk.tuning.repeated import one_of

if TYPE_CHECKING:
    from dptopk.figures import Styles


@dataclass(frozen=True)
class View:
    """Everything that is chosen for all of them.

    ``parameters`` holds what mechanisms take beyond k, epsilon and neighbours, by key.  Each
    mechanism is one of so many ``releases``, which share the δ.
    """

    source: Source
    k: int
    epsilon: float
    neighbors: NeighborRelation
    keys: tuple[str, ...]  # of the chosen mechanisms
    n: int
    seed: int
    parameters: Mapping[str, Any] = field(hash=False)
    releases: int = 1

    @property
    def counts(self) -> ItemCounts:
        """The data."""
        return self.source.counts

    @property
    def unit(self) -> str:
        """What the counts are numbers of, in the plural."""
        return self.source.unit

    @property
    def caveat(self) -> str:
        """What a promise protects on these data, where that is not for certain one user."""
        return self.source.contribution.caveat(self.unit)

    @property
    def protects(self) -> str:
        """A single one of what a promise protects on these data, where that is no user."""
        return self.source.protects

    @property
    def delta(self) -> float:
        """Extra probability of any set of outputs beyond e^ε times, for what uses one."""
        return float(self.parameters["delta"])

    def origin(self, mechanisms: Sequence[Mechanism], computed: str, **how: Any) -> Origin:
        """What goes with figures and tables of the data.

        A page says once what its promises rest on; what is taken away says it itself.
        """
        holds = self.source.contribution.holds
        if not holds:
            how["note"] = _all_of(how.get("note"), self.caveat)
        if done := _all_of(self.source.summing, self.source.of_cut):
            how["note"] = _all_of(how.get("note"), done)
        caveat = self.caveat if holds and mechanisms else ""
        rests = (self._caveat_of_items(mechanisms), self._rests_on_bound(mechanisms))
        how["alone"] = _all_of(how.get("alone"), caveat, *rests)
        title, counts = self.source.title, self.counts
        how["protects"] = self.protects
        return Origin(title, counts, mechanisms, computed, unit=self.unit, **how)

    def _caveat_of_items(self, mechanisms: Sequence[Mechanism]) -> str:
        """What a promise for fixed items rests on, where they were read off the data."""
        fixed = any(mechanism.guarantee.fixed_items for mechanism in mechanisms)
        return ITEM_LIST_CAVEAT if fixed and self.source.items_of_data else ""

    @cached_property
    def classes(self) -> tuple[type[Mechanism], ...]:
        """The chosen mechanisms, in the order of the registry."""
        return tuple(m for m in MECHANISMS.values() if m.card.key in self.keys)

    @cached_property
    def mechanisms(self) -> tuple[Mechanism, ...]:
        """The chosen mechanisms at the chosen parameters: those that can run on the data."""
        return self.at(self.k, self.counts)

    def at(self, k: int, counts: ItemCounts) -> tuple[Mechanism, ...]:
        """The chosen mechanisms at another k and on other counts: those that can run."""
        return tuple(m for m in self._tried(k, counts) if isinstance(m, Mechanism))

    def refusals(self, k: int, counts: ItemCounts) -> list[str]:
        """Why others of the chosen mechanisms cannot run there, a sentence each."""
        return [words for words in self._tried(k, counts) if isinstance(words, str)]

    def _tried(self, k: int, counts: ItemCounts) -> list[Mechanism | str]:
        return [self.build_on(mechanism, k, counts) for mechanism in self.classes]

    def build_on(self, mechanism: type[Mechanism], k: int, counts: ItemCounts) -> Mechanism | str:
        """One mechanism at the chosen budget, or why it cannot run on these counts."""
        try:
            built = self.build(mechanism, k)
            built.check(counts)
            if counts is self.counts:  # and no small case
                self.check_bound(built)
        except ValueError as error:
            return f"{mechanism.name} is left out: {error}."
        return built

    def check_bound(self, mechanism: Mechanism) -> None:
        """Refuse a mechanism whose promise is for users of fewer items than those of the data.

        Raises
        ------
        ValueError
            If the data are of a log whose users were not cut to so many items.
        """
        most = mechanism.guarantee.max_items
        against = "" if most is None else self.source.against_bound(most)
        if against:
            raise ValueError(against)

    def _rests_on_bound(self, mechanisms: Sequence[Mechanism]) -> str:
        """What promises for users of few items rest on, where nobody can check it."""
        bounds = {m.guarantee.max_items for m in mechanisms} - {None}
        return self.source.rests_on_bound(min(filter(None, bounds))) if bounds else ""

    def build(self, mechanism: type[Mechanism], k: int, **changes: Any) -> Mechanism:
        """One mechanism at the chosen budget, with some parameters changed."""
        built = mechanism(**self.fields(mechanism, k) | changes)
        return one_of(built, self.releases, self.delta)

    def fields(self, mechanism: type[Mechanism], k: int) -> dict[str, Any]:
        """Every field of a mechanism by name, as chosen."""
        own = {p.key: self.parameters[p.key] for p in mechanism.card.parameters}
        return {"k": k, "epsilon": self.epsilon, "neighbors": self.neighbors} | own


def _all_of(*sentences: str | None) -> str:
    """Sentences in a row, those that there are."""
    return " ".join(sentence for sentence in sentences if sentence)


def styles_of(mechanisms: tuple[Mechanism, ...]) -> Styles:
    """How each mechanism is drawn, by its label."""
    return {mechanism.label: mechanism.card.style for mechanism in mechanisms}
