"""The public names, and the module each is loaded from when it is first used.

Type checkers read this file, and so does `dptopk.__init__`, through lazy_loader.
"""

from .accounting import (
    local_epsilon as local_epsilon,
    spent_delta as spent_delta,
    spent_epsilon as spent_epsilon,
)
from .accounting.sparse_gaussian import (
    DiscoveredItems as DiscoveredItems,
    SparseGaussian as SparseGaussian,
)
from .tuning.discovery_then_selection import (
    DividedBudget as DividedBudget,
    SelectedItems as SelectedItems,
    discover_then_select as discover_then_select,
    errors_by_share as errors_by_share,
)
from .tuning.item_discovery import (
    items_found_by_bound as items_found_by_bound,
)
from .tuning.search import (
    SmallestEpsilon as SmallestEpsilon,
    smallest_epsilon as smallest_epsilon,
)
from .core.counts import (
    ItemCounts as ItemCounts,
    SortedCounts as SortedCounts,
)
from .data.events import (
    EventCounts as EventCounts,
    counts_by_bound as counts_by_bound,
    counts_by_period as counts_by_period,
    counts_from_events as counts_from_events,
    discover_items as discover_items,
)
from .data.datasets import (
    dataset_names as dataset_names,
    load_dataset as load_dataset,
)
from .laws.distribution import (
    OutputDistribution as OutputDistribution,
    goodness_of_fit as goodness_of_fit,
    merged_output_distribution as merged_output_distribution,
    output_distribution as output_distribution,
)
from .core.errors import (
    METRICS as METRICS,
    items_right as items_right,
    k_relative_error as k_relative_error,
    l1_error as l1_error,
    linf_error as linf_error,
    linf_error_index as linf_error_index,
    signed_max_error as signed_max_error,
)
from .laws.exact import (
    ErrorLaw as ErrorLaw,
    NoClosedFormError as NoClosedFormError,
    exact_error as exact_error,
    probability_exact_sequence as probability_exact_sequence,
    probability_exact_set as probability_exact_set,
)
from .mechanisms import (
    MECHANISMS as MECHANISMS,
    Mechanism as Mechanism,
)
from .mechanisms.registry import (
    AdaptiveK as AdaptiveK,
    CDPPeel as CDPPeel,
    EMPeel as EMPeel,
    Gamma as Gamma,
    InverseSensitivitySet as InverseSensitivitySet,
    Joint as Joint,
    JointSet as JointSet,
    Laplace as Laplace,
    LimitedDomain as LimitedDomain,
    LimitedDomainLaplace as LimitedDomainLaplace,
    OneShotCounts as OneShotCounts,
    PNFInverseSensitivitySet as PNFInverseSensitivitySet,
    PNFJoint as PNFJoint,
    PNFPeel as PNFPeel,
    PrivateCountRelease as PrivateCountRelease,
    StableSet as StableSet,
    ThresholdedLaplace as ThresholdedLaplace,
)
from .laws.privacy_losses import (
    neighboring_counts as neighboring_counts,
)
from .core.outputs import (
    NOTHING as NOTHING,
    OutputKind as OutputKind,
)
from .core.privacy import (
    Guarantee as Guarantee,
    NeighborRelation as NeighborRelation,
)
from .publishing.assessment import (
    ListAssessment as ListAssessment,
    assess_list as assess_list,
)
from .publishing.exact_draws import (
    can_publish as can_publish,
    exact_sample as exact_sample,
)
from .laws.privacy_losses import (
    hockey_stick as hockey_stick,
    privacy_loss as privacy_loss,
    privacy_profile as privacy_profile,
    worst_case_hockey_stick as worst_case_hockey_stick,
    worst_case_loss as worst_case_loss,
)
from .publishing.ledger import (
    Ledger as Ledger,
)
from .publishing.publication import (
    Publication as Publication,
    publish as publish,
)
from .simulation.summaries import (
    summarize as summarize,
)
from .laws.swap_chances import (
    swap_chance as swap_chance,
    swaps as swaps,
)
from .simulation.trials import (
    release as release,
    run_trials as run_trials,
    sweep as sweep,
)
from .simulation.winners import (
    winner_map as winner_map,
)

__version__: str
