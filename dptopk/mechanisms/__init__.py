"""Mechanisms: one module each, sampler, exact log pmf and guarantee side by side."""

from dptopk.mechanisms._base import SequenceMechanism
from dptopk.mechanisms.cdp_peel import CALIBRATIONS, CDPPeel
from dptopk.mechanisms.joint import Joint
from dptopk.mechanisms.pnf_joint import PNFJoint
from dptopk.mechanisms.pnf_peel import PNFPeel

MECHANISMS: dict[str, type[SequenceMechanism]] = {
    mechanism.name: mechanism for mechanism in (Joint, PNFJoint, PNFPeel, CDPPeel)
}
"""Every mechanism by its name, in the order shown to people."""

__all__ = [
    "CALIBRATIONS",
    "MECHANISMS",
    "CDPPeel",
    "Joint",
    "PNFJoint",
    "PNFPeel",
    "SequenceMechanism",
]
