"""Judge models: scores with intervals, comparisons with valid tests."""

from novum.evaluation.area import DelongTest, delong_interval, delong_test
from novum.evaluation.conformal_classifier import ConformalClassifier
from novum.evaluation.conformal_regressor import ConformalRegressor
from novum.evaluation.cross_validation import cross_validate
from novum.evaluation.curves import PrecisionRecallDisplay, RocCurveDisplay
from novum.evaluation.error_632 import bootstrap_error
from novum.evaluation.multiple import holm
from novum.evaluation.nested import nested_cross_validate
from novum.evaluation.predictions import evaluate, evaluate_predictions
from novum.evaluation.proportion import clopper_pearson_interval, wilson_interval
from novum.evaluation.reliability import calibration
from novum.evaluation.resampled import ResampledTest, corrected_interval, corrected_test
from novum.evaluation.resampling import BootstrapSplit, bootstrap
from novum.evaluation.score_table import Evaluation
from novum.evaluation.splits import holdout_split, plot_folds

__all__ = [
    "BootstrapSplit",
    "ConformalClassifier",
    "ConformalRegressor",
    "DelongTest",
    "Evaluation",
    "PrecisionRecallDisplay",
    "ResampledTest",
    "RocCurveDisplay",
    "bootstrap",
    "bootstrap_error",
    "calibration",
    "clopper_pearson_interval",
    "corrected_interval",
    "corrected_test",
    "cross_validate",
    "delong_interval",
    "delong_test",
    "evaluate",
    "evaluate_predictions",
    "holdout_split",
    "holm",
    "nested_cross_validate",
    "plot_folds",
    "wilson_interval",
]
