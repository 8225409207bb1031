"""Data, mechanisms and common settings that all questions share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from dptopk.core.counts import ItemCounts
from dptopk.core.privacy import NeighborRelation
from dptopk.data.sources import ITEM_LIST_CAVEAT, Source
from dptopk.mechanisms import MECHANISMS, Mechanism
from dptopk.mechanisms.approximate import with_share_of_delta
from dptopk.mechanisms.card import MINIMAL_STYLE, Style
from dptopk.questions.origin import Origin


class RefusedError(ValueError):
    """A mechanism refuses the chosen settings, such as a δ of 0; the message says why."""


@dataclass(frozen=True)
class View:
    """Data, mechanisms and common settings.

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
        """Unit of the counts, in the plural."""
        return self.source.unit

    @property
    def caveat(self) -> str:
        """Limits of a guarantee on these data, where it may not protect one user."""
        if self.source.repeats:
            return (
                "On these data the guarantee does not hold as stated: "
                f"{self.source.repeats}, so one user counts more than once for an item."
            )
        return self.source.contribution.caveat(self.unit)

    @property
    def protects(self) -> str:
        """Privacy unit in the singular; empty if the unit is a user."""
        return self.source.protects

    @property
    def delta(self) -> float:
        """Chosen δ, for mechanisms that use one."""
        return float(self.parameters["delta"])

    def origin(self, mechanisms: Sequence[Mechanism], computed: str, **how: Any) -> Origin:
        """Return the origin of figures and tables of the data.

        A page says once what its promises rest on; what is taken away says it itself.
        """
        source, holds = self.source, self.source.contribution.holds
        limits = "" if holds else self.caveat
        how["note"] = _all_of(how.get("note"), limits, source.summing, source.of_cut)
        caveat = self.caveat if holds and mechanisms else ""
        fixed = any(mechanism.guarantee.fixed_items for mechanism in mechanisms)
        of_items = ITEM_LIST_CAVEAT if fixed and source.items_of_data else ""
        bounds = [m.guarantee.max_items for m in mechanisms if m.guarantee.max_items is not None]
        rests = source.rests_on_bound(min(bounds, default=None))
        how["alone"] = _all_of(how.get("alone"), caveat, of_items, rests)
        how |= {"unit": self.unit, "protects": self.protects}
        return Origin(source.title, self.counts, mechanisms, computed, **how)

    @cached_property
    def classes(self) -> tuple[type[Mechanism], ...]:
        """Chosen mechanism classes, in the order of the registry."""
        return tuple(m for m in MECHANISMS.values() if m.card.key in self.keys)

    @cached_property
    def mechanisms(self) -> tuple[Mechanism, ...]:
        """Chosen mechanisms at the chosen parameters that can run on the data."""
        return self.at(self.k, self.counts)

    def at(self, k: int, counts: ItemCounts, *, by_law: bool = False) -> tuple[Mechanism, ...]:
        """Return the chosen mechanisms that can run at another k and on other counts.

        ``by_law`` takes those alone whose outputs have known probabilities, to be listed.
        """
        return tuple(m for m in self._tried(k, counts, by_law) if isinstance(m, Mechanism))

    def refusals(self, k: int, counts: ItemCounts, *, by_law: bool = False) -> list[str]:
        """Return one sentence for each chosen mechanism that cannot run there."""
        return [words for words in self._tried(k, counts, by_law) if isinstance(words, str)]

    def _tried(self, k: int, counts: ItemCounts, by_law: bool) -> list[Mechanism | str]:
        return [
            f"{mechanism.name} is left out: no exact law of it is known."
            if by_law and not mechanism.has_law()
            else self.build_on(mechanism, k, counts)
            for mechanism in self.classes
        ]

    def build_on(
        self, mechanism: type[Mechanism], k: int, counts: ItemCounts, *, bounded_later: bool = False
    ) -> Mechanism | str:
        """Return a mechanism at the chosen budget, or why it cannot run on these counts.

        Users may count for more items than it allows if they are ``bounded_later``.
        """
        try:
            built = self.build(mechanism, k)
            built.check(counts)
            if counts is self.counts and not bounded_later:  # and no small case
                self.check_bound(built)
        except ValueError as error:
            return f"{mechanism.name} is left out: {error}."
        return built

    def check_bound(self, mechanism: Mechanism) -> None:
        """Raise if the guarantee is for users of fewer items than those of the data."""
        if against := self.source.against_bound(mechanism.guarantee.max_items):
            raise ValueError(against)

    def build(self, mechanism: type[Mechanism], k: int, **changes: Any) -> Mechanism:
        """Return a mechanism at the chosen budget, with some parameters changed.

        Raises
        ------
        RefusedError
            If it refuses one of them.
        """
        given: dict[str, Any] = {"k": k, "epsilon": self.epsilon, "neighbors": self.neighbors}
        given |= {one.key: self.parameters[one.key] for one in mechanism.card.parameters}
        try:
            built = mechanism(**given | changes)
            return with_share_of_delta(built, self.releases, self.delta)
        except ValueError as error:
            raise RefusedError(str(error)) from error


def _all_of(*sentences: str | None) -> str:
    return " ".join(sentence for sentence in sentences if sentence)


def styles_of(mechanisms: tuple[Mechanism, ...], proposed: str = "") -> dict[str, Style]:
    """Return the plotting style of each mechanism by label, gray beside the one ``proposed``."""
    gray = MINIMAL_STYLE.color
    return {
        m.label: m.card.style if proposed in ("", m.label) else replace(m.card.style, color=gray)
        for m in mechanisms
    }
