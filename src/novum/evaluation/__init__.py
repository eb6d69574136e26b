"""Judge models: scores with intervals, comparisons with valid tests."""

from typing import TYPE_CHECKING

from novum.runtime.lazy import lazily

if TYPE_CHECKING:
    from novum.evaluation.bias_variance.decomposition import bias_variance_decomposition
    from novum.evaluation.bias_variance.smoothers import effective_degrees_of_freedom, optimism
    from novum.evaluation.comparison.compare import compare
    from novum.evaluation.comparison.result import Comparison
    from novum.evaluation.conformal.classifier import ConformalClassifier
    from novum.evaluation.conformal.regressor import ConformalRegressor
    from novum.evaluation.curves.learning_curves import LearningCurveDisplay, ValidationCurveDisplay
    from novum.evaluation.curves.precision_recall_curve import PrecisionRecallDisplay
    from novum.evaluation.curves.reliability import calibration
    from novum.evaluation.curves.roc_curve import RocCurveDisplay
    from novum.evaluation.hypotheses.analysis_of_variance import anova
    from novum.evaluation.hypotheses.counts import chi_squared_test, proportion_test
    from novum.evaluation.hypotheses.fisher import fisher_exact_test
    from novum.evaluation.hypotheses.means import sample_std, t_test, z_test
    from novum.evaluation.hypotheses.multiple import false_discovery_rate, holm
    from novum.evaluation.hypotheses.paired import paired_test
    from novum.evaluation.hypotheses.permutation import permutation_test
    from novum.evaluation.hypotheses.power import power, rejection_rate, sample_size
    from novum.evaluation.hypotheses.rank_tests import kruskal_wallis_test, mann_whitney_test
    from novum.evaluation.hypotheses.result import TestResult
    from novum.evaluation.hypotheses.variance import f_test
    from novum.evaluation.intervals.area import DelongTest, delong_interval, delong_test
    from novum.evaluation.intervals.proportion import clopper_pearson_interval, wilson_interval
    from novum.evaluation.resampling.bootstrap import BootstrapSplit, bootstrap
    from novum.evaluation.resampling.corrected_t import ResampledTest, corrected_interval, corrected_test
    from novum.evaluation.resampling.cross_validation import cross_validate
    from novum.evaluation.resampling.error_632 import bootstrap_error
    from novum.evaluation.resampling.nested import nested_cross_validate
    from novum.evaluation.resampling.splits import holdout_split, plot_folds
    from novum.evaluation.scores.evaluation_result import Evaluation
    from novum.evaluation.scores.predictions import evaluate, evaluate_predictions
    from novum.evaluation.selection.criteria import adjusted_r2, aic, bic, mallows_cp, model_criteria
    from novum.evaluation.selection.greedy import backward_selection, criterion_scorer, forward_selection
    from novum.evaluation.selection.stability import StabilitySelection
    from novum.evaluation.temperature import TemperatureScaledClassifier, at_temperature, best_temperature
else:
    __getattr__, __dir__ = lazily(
        __name__,
        {
            ".bias_variance.decomposition": "bias_variance_decomposition",
            ".bias_variance.smoothers": "effective_degrees_of_freedom optimism",
            ".comparison.compare": "compare",
            ".comparison.result": "Comparison",
            ".conformal.classifier": "ConformalClassifier",
            ".conformal.regressor": "ConformalRegressor",
            ".curves.learning_curves": "LearningCurveDisplay ValidationCurveDisplay",
            ".curves.precision_recall_curve": "PrecisionRecallDisplay",
            ".curves.reliability": "calibration",
            ".curves.roc_curve": "RocCurveDisplay",
            ".hypotheses.analysis_of_variance": "anova",
            ".hypotheses.counts": "chi_squared_test proportion_test",
            ".hypotheses.fisher": "fisher_exact_test",
            ".hypotheses.means": "sample_std t_test z_test",
            ".hypotheses.multiple": "false_discovery_rate holm",
            ".hypotheses.paired": "paired_test",
            ".hypotheses.permutation": "permutation_test",
            ".hypotheses.power": "power rejection_rate sample_size",
            ".hypotheses.rank_tests": "kruskal_wallis_test mann_whitney_test",
            ".hypotheses.result": "TestResult",
            ".hypotheses.variance": "f_test",
            ".intervals.area": "DelongTest delong_interval delong_test",
            ".intervals.proportion": "clopper_pearson_interval wilson_interval",
            ".resampling.bootstrap": "BootstrapSplit bootstrap",
            ".resampling.corrected_t": "ResampledTest corrected_interval corrected_test",
            ".resampling.cross_validation": "cross_validate",
            ".resampling.error_632": "bootstrap_error",
            ".resampling.nested": "nested_cross_validate",
            ".resampling.splits": "holdout_split plot_folds",
            ".scores.evaluation_result": "Evaluation",
            ".scores.predictions": "evaluate evaluate_predictions",
            ".selection.criteria": "adjusted_r2 aic bic mallows_cp model_criteria",
            ".selection.greedy": "backward_selection criterion_scorer forward_selection",
            ".selection.stability": "StabilitySelection",
            ".temperature": "TemperatureScaledClassifier at_temperature best_temperature",
        },
    )

__all__ = [
    "BootstrapSplit",
    "Comparison",
    "ConformalClassifier",
    "ConformalRegressor",
    "DelongTest",
    "Evaluation",
    "LearningCurveDisplay",
    "PrecisionRecallDisplay",
    "ResampledTest",
    "RocCurveDisplay",
    "StabilitySelection",
    "TemperatureScaledClassifier",
    "TestResult",
    "ValidationCurveDisplay",
    "adjusted_r2",
    "aic",
    "anova",
    "at_temperature",
    "backward_selection",
    "best_temperature",
    "bias_variance_decomposition",
    "bic",
    "bootstrap",
    "bootstrap_error",
    "calibration",
    "chi_squared_test",
    "clopper_pearson_interval",
    "compare",
    "corrected_interval",
    "corrected_test",
    "criterion_scorer",
    "cross_validate",
    "delong_interval",
    "delong_test",
    "effective_degrees_of_freedom",
    "evaluate",
    "evaluate_predictions",
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
    "rejection_rate",
    "sample_size",
    "sample_std",
    "t_test",
    "wilson_interval",
    "z_test",
]
