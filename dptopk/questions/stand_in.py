"""Public stand-in data, on which ε can be chosen without looking at private counts."""

from dataclasses import dataclass

from dptopk.core.counts import ItemCounts
from dptopk.data.datasets import dataset_info, load_dataset
from dptopk.data.stand_ins import zipf_like
from dptopk.questions.settings import FILE_STAND_IN, ZIPF_STAND_IN


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
        return "the made-up shape" if self.made_up else "the public data"

    @property
    def described(self) -> str:
        """Name of the stand-in with its title, and with what it uses of the private data."""
        takes = ", made of three numbers of the data" if self.made_up else ""
        return f"{self.name} ({self.title}{takes})"


NO_FILE = (
    "The public file is not here: uploads are in no link and no file of settings. On Choose ε it "
    "can be uploaded again."
)


def beside(choice: str, counts: ItemCounts) -> StandIn | str:
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
        return f"No Zipf shape stands in for these data: {error}."
    return StandIn(
        f"Made-up shape, d = {counts.d:,}",
        alike,
        f"A made-up shape (Zipf's) with three numbers of your data and no more: {counts.d:,} "
        f"items, the largest count {top:,}, the total {total:,}. If these three may not be used "
        "either, take Synthetic: Zipf as data and type public guesses of them.",
        f"counts = zipf_like({counts.d}, {top}, {total})",
        made_up=True,
    )
