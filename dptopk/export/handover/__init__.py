"""Documents for deploying a release; nothing here draws or computes.

opendp     a script for the library that draws the same law with hardened samplers
checklist  what is vouched for here and what the deployer must see to, by NIST SP 800-226
"""

from dptopk.export.handover.checklist import Answer, checklist
from dptopk.export.handover.opendp import drawn_by, opendp_script

__all__ = ["Answer", "checklist", "drawn_by", "opendp_script"]
