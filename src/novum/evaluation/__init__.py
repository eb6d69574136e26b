"""Judge models: scores with intervals, comparisons with valid tests."""

from novum.evaluation.area import DelongTest, delong_interval, delong_test
from novum.evaluation.multiple import holm
from novum.evaluation.proportion import clopper_pearson_interval, wilson_interval
from novum.evaluation.resampled import ResampledTest, corrected_interval, corrected_test
from novum.evaluation.selection import backward_selection, criterion_scorer, forward_selection
from novum.evaluation.smoothers import effective_degrees_of_freedom, optimism
from novum.evaluation.stability import StabilitySelection
from novum.evaluation.t_table import t_table
from novum.evaluation.variance_test import f_test

__all__ = [
    "DelongTest",
    "ResampledTest",
    "clopper_pearson_interval",
    "corrected_interval",
    "corrected_test",
    "delong_interval",
    "delong_test",
    "holm",
    "wilson_interval",
]
