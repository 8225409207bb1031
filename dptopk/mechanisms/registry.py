"""Registry of mechanisms, in the order shown.

Everything else (controls, figures, snippets, pages of the documentation, conformance tests)
follows from the classes imported here and their cards.
"""

# isort: off
from dptopk.mechanisms.joint import Joint as Joint
from dptopk.mechanisms.pnf_joint import PNFJoint as PNFJoint
from dptopk.mechanisms.pnf_peel import PNFPeel as PNFPeel
from dptopk.mechanisms.cdp_peel import CDPPeel as CDPPeel
from dptopk.mechanisms.inverse_sensitivity_set import (
    InverseSensitivitySet as InverseSensitivitySet,
)
from dptopk.mechanisms.pnf_inverse_sensitivity_set import (
    PNFInverseSensitivitySet as PNFInverseSensitivitySet,
)
from dptopk.mechanisms.joint_set import JointSet as JointSet
from dptopk.mechanisms.stable_set import StableSet as StableSet
from dptopk.mechanisms.adaptive_k import AdaptiveK as AdaptiveK
from dptopk.mechanisms.em_peel import EMPeel as EMPeel
from dptopk.mechanisms.laplace import Laplace as Laplace
from dptopk.mechanisms.gamma import Gamma as Gamma
from dptopk.mechanisms.limited_domain import LimitedDomain as LimitedDomain
from dptopk.mechanisms.limited_domain_laplace import (
    LimitedDomainLaplace as LimitedDomainLaplace,
)
from dptopk.mechanisms.thresholded_laplace import ThresholdedLaplace as ThresholdedLaplace
from dptopk.mechanisms.private_count_release import (
    PrivateCountRelease as PrivateCountRelease,
)
from dptopk.mechanisms.one_shot_counts import OneShotCounts as OneShotCounts
