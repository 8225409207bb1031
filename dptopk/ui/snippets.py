"""The few lines of Python that give the numbers of a page."""

import re
from collections.abc import Sequence

from dptopk.mechanisms import CDPPeel, SequenceMechanism
from dptopk.mechanisms.pitfalls import MisscaledCDPPeel
from dptopk.privacy import NeighborRelation
from dptopk.ui.controls import View

# every name a snippet may use, by the module it is imported from
_NAMES = {
    "dptopk": [
        *("CDPPeel", "ItemCounts", "Joint", "NeighborRelation", "PNFJoint", "PNFPeel"),
        *(
            "load_dataset",
            "local_epsilon",
            "merged_output_distribution",
            "output_distribution",
            "release",
        ),
        *("run_trials", "spent_delta", "spent_epsilon", "summarize", "sweep", "worst_case_loss"),
    ],
    "dptopk.errors": ["count_given_up"],
    "dptopk.ingest": ["read_table", "to_item_counts"],
    "dptopk.mechanisms.pitfalls": ["MisscaledCDPPeel"],
    "dptopk.synthetic": ["classroom_vector", "synthetic"],
}


def snippet(view: View, body: str, mechanisms: bool = True) -> str:
    """Lines that make the counts, the mechanisms if wanted, then run ``body``."""
    return small(view.source.python, view.mechanisms if mechanisms else (), body)


def small(counts: str, mechanisms: Sequence[SequenceMechanism], body: str) -> str:
    """Lines that make the counts and the mechanisms, then run ``body``; imports first."""
    lines = counts
    if mechanisms:
        listed = "".join(f"    {_constructor(mechanism)},\n" for mechanism in mechanisms)
        lines += f"\nmechanisms = [\n{listed}]"
    lines += f"\n{body.strip()}\n"
    words = set(re.findall(r"\b[A-Za-z_]+\b(?=[.(])", lines))
    imports = ["import pathlib", ""] if "pathlib" in words else []
    for module, names in _NAMES.items():
        used = [name for name in names if name in words]
        if used:
            imports.append(f"from {module} import {', '.join(used)}")
    return "\n".join(imports) + f"\n\n{lines}"


def _constructor(mechanism: SequenceMechanism) -> str:
    """Write the call that makes a mechanism, with defaults left out."""
    arguments = [str(mechanism.k), repr(mechanism.epsilon)]
    if isinstance(mechanism, CDPPeel):
        arguments.append(repr(mechanism.delta))
    if mechanism.neighbors is not NeighborRelation.ADD_REMOVE:
        arguments.append(f"neighbors=NeighborRelation.{mechanism.neighbors.name}")
    if isinstance(mechanism, CDPPeel) and mechanism.calibration != "paper":
        arguments.append(f'calibration="{mechanism.calibration}"')
    if isinstance(mechanism, MisscaledCDPPeel):
        arguments.append(f"factor={mechanism.factor!r}")
    return f"{type(mechanism).__name__}({', '.join(arguments)})"
