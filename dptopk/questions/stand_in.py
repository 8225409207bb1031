"""Public stand-in data, on which ε can be chosen without looking at private counts."""

from dataclasses import dataclass, replace

from dptopk.core.counts import ItemCounts
from dptopk.data.datasets import dataset_info, load_dataset
from dptopk.data.synthetic_counts import zipf_like
from dptopk.questions.settings import FILE_STAND_IN, ZIPF_STAND_IN
from dptopk.questions.view import View


@dataclass(frozen=True)
class StandIn:
    """Counts used instead of private ones, with their description."""

    title: str
    counts: ItemCounts
    sentence: str
    python: str  # lines that make `counts`
    made_up: bool = False  # of numbers of one's own, so that it is not public

    @property
    def name(self) -> str:
        """Noun phrase for the stand-in, to be read after "on" or "from"."""
        return "the synthetic distribution" if self.made_up else "the public data"

    @property
    def called(self) -> str:
        """Title of public data, to be read after "on"; the name of data that are made up."""
        return self.name if self.made_up else self.title

    @property
    def described(self) -> str:
        """Name of the stand-in with its title, and with what it uses of the private data."""
        takes = ", computed from three numbers of the data" if self.made_up else ""
        return f"{self.name} ({self.title}{takes})"


NO_FILE = (
    "The public file is not here: links and settings files contain no uploads. Upload it again on "
    "Choose ε."
)


def stand_in_for(choice: str, counts: ItemCounts) -> StandIn | str:
    """Return the stand-in for these counts, or why there is none.

    A file that was uploaded is known to its session alone.
    """
    if choice == FILE_STAND_IN:
        return NO_FILE
    if choice != ZIPF_STAND_IN:
        info = dataset_info(choice)
        return StandIn(
            info.title,
            load_dataset(choice),
            f"{info.title}: {info.description}",
            f'counts = load_dataset("{choice}")',
        )
    top, total = int(counts.counts.max()), sum(counts.counts.tolist())
    try:
        alike = zipf_like(counts.d, top, total)
    except ValueError as error:
        return f"No Zipf distribution fits these data: {error}."
    return StandIn(
        f"Synthetic distribution, d = {counts.d:,}",
        alike,
        f"A synthetic Zipf distribution that uses only three numbers of your data: {counts.d:,} "
        f"items, the largest count {top:,}, the total {total:,}. If even these three must not be "
        "used, choose Synthetic: Zipf as data and enter public estimates.",
        f"counts = zipf_like({counts.d}, {top}, {total})",
        made_up=True,
    )


def view_on(view: View, stand_in: StandIn) -> View:
    """Return the view with the stand-in in place of its data; promises are still about the data."""
    there = replace(
        view.source,
        counts=stand_in.counts,
        title=stand_in.title,
        description="",
        notes=(),
        python=stand_in.python,
        items_of_users=None,
        items_of_data=False,
        how=None,
        brought=False,
    )
    return replace(view, source=there)
