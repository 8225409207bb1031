"""Documents and scripts for deploying a release.

opendp     a script for the library that draws the same law with hardened samplers
sql        a query of a database for what a query can draw
publishing the commands that draw it exactly, paid from a ledger
checklist  what is vouched for here and what the deployer must see to, by NIST SP 800-226
"""

from dptopk.export.handover.checklist import ChecklistItem as ChecklistItem, checklist as checklist
from dptopk.export.handover.opendp import opendp_script as opendp_script
from dptopk.export.handover.publishing import (
    drawn_by as drawn_by,
    file_argument as file_argument,
    publish_commands as publish_commands,
)
from dptopk.export.handover.sql import sql_script as sql_script
