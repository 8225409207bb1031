"""What whoever deploys a release takes away; nothing here draws or computes.

opendp     a script for the library that draws the same law with hardened samplers
registry   a record for the OpenDP Deployments Registry
checklist  what is vouched for here and what the deployer must see to, by NIST SP 800-226
"""

from dptopk.export.handover.checklist import Answer, checklist, in_all
from dptopk.export.handover.opendp import drawn_by, opendp_script
from dptopk.export.handover.registry import registry_record

__all__ = ["Answer", "checklist", "drawn_by", "in_all", "opendp_script", "registry_record"]
