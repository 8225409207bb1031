"""Names offered by `dptopk.laws` beside those of `dptopk` itself."""

from .distribution import (
    merged_outputs as merged_outputs,
)
from .privacy_losses import (
    RocCurve as RocCurve,
    roc_curve as roc_curve,
)
