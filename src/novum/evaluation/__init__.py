"""Judge models: scores with intervals, comparisons with valid tests."""

from novum.evaluation.area import delong_interval, delong_test
from novum.evaluation.bias_variance import bias_variance_decomposition
from novum.evaluation.comparison.compare import compare
from novum.evaluation.conformal.classifier import ConformalClassifier
from novum.evaluation.conformal.regressor import ConformalRegressor
from novum.evaluation.criteria import adjusted_r2, aic, bic, mallows_cp, model_criteria
from novum.evaluation.cross_validation import cross_validate
from novum.evaluation.curves import LearningCurveDisplay, ValidationCurveDisplay
from novum.evaluation.error_632 import bootstrap_error
from novum.evaluation.hypotheses.analysis_of_variance import anova
from novum.evaluation.hypotheses.counts import chi_squared_test, proportion_test
from novum.evaluation.hypotheses.fisher import fisher_exact_test
from novum.evaluation.hypotheses.means import t_test, z_test
from novum.evaluation.hypotheses.multiple import false_discovery_rate, holm
from novum.evaluation.hypotheses.paired import paired_test
from novum.evaluation.hypotheses.permutation import permutation_test
from novum.evaluation.hypotheses.power import power, sample_size
from novum.evaluation.hypotheses.rank_tests import kruskal_wallis_test, mann_whitney_test
from novum.evaluation.hypotheses.variance import f_test
from novum.evaluation.known_law import expected_loss
from novum.evaluation.nested import nested_cross_validate
from novum.evaluation.predictions import evaluate, evaluate_predictions
from novum.evaluation.proportion import clopper_pearson_interval, wilson_interval
from novum.evaluation.ranking_curves import PrecisionRecallDisplay, RocCurveDisplay
from novum.evaluation.reliability import calibration
from novum.evaluation.resampled import corrected_test
from novum.evaluation.resampling import BootstrapSplit, bootstrap
from novum.evaluation.selection import backward_selection, criterion_scorer, forward_selection
from novum.evaluation.smoothers import effective_degrees_of_freedom, optimism
from novum.evaluation.splits import holdout_split, plot_folds
from novum.evaluation.stability import StabilitySelection
from novum.runtime.moved_names import moved_names

__all__ = [
    "BootstrapSplit",
    "ConformalClassifier",
    "ConformalRegressor",
    "LearningCurveDisplay",
    "PrecisionRecallDisplay",
    "RocCurveDisplay",
    "StabilitySelection",
    "ValidationCurveDisplay",
    "adjusted_r2",
    "aic",
    "anova",
    "backward_selection",
    "bias_variance_decomposition",
    "bic",
    "bootstrap",
    "bootstrap_error",
    "calibration",
    "chi_squared_test",
    "clopper_pearson_interval",
    "compare",
    "corrected_test",
    "criterion_scorer",
    "cross_validate",
    "delong_interval",
    "delong_test",
    "effective_degrees_of_freedom",
    "evaluate",
    "evaluate_predictions",
    "expected_loss",
    "f_test",
    "false_discovery_rate",
    "fisher_exact_test",
    "forward_selection",
    "holdout_split",
    "holm",
    "kruskal_wallis_test",
    "mallows_cp",
    "mann_whitney_test",
    "model_criteria",
    "nested_cross_validate",
    "optimism",
    "paired_test",
    "permutation_test",
    "plot_folds",
    "power",
    "proportion_test",
    "sample_size",
    "t_test",
    "wilson_interval",
    "z_test",
]

__getattr__ = moved_names(
    __name__,
    {
        ".area": "DelongTest",
        ".bias_variance_result": "plot_bullseye",
        ".comparison.result": "Comparison",
        ".evaluation_result": "Evaluation",
        ".hypotheses.means": "sample_std",
        ".hypotheses.power": "rejection_rate",
        ".hypotheses.result": "TestResult",
        ".hypotheses.t_table": "t_table",
        ".known_law": "out_of_bag_probability overfits sampling_distribution",
        ".resampled": "ResampledTest corrected_interval",
    },
)
