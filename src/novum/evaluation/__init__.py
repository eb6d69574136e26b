"""Judge models: scores with intervals, comparisons with valid tests."""

from novum.evaluation.compare import compare
from novum.evaluation.comparison import Comparison
from novum.evaluation.count_tests import chi_squared_test, proportion_test
from novum.evaluation.hypothesis import TestResult
from novum.evaluation.mean_tests import sample_std, t_test, z_test
from novum.evaluation.multiple import holm
from novum.evaluation.paired import paired_test
from novum.evaluation.permutation import permutation_test
from novum.evaluation.power import power, rejection_rate, sample_size
from novum.evaluation.proportion import wilson_interval
from novum.evaluation.resampled import ResampledTest, corrected_interval, corrected_test
from novum.evaluation.t_table import t_table
from novum.evaluation.variance_test import f_test

__all__ = [
    "Comparison",
    "ResampledTest",
    "TestResult",
    "chi_squared_test",
    "compare",
    "corrected_interval",
    "corrected_test",
    "f_test",
    "holm",
    "paired_test",
    "permutation_test",
    "power",
    "proportion_test",
    "rejection_rate",
    "sample_size",
    "sample_std",
    "t_table",
    "t_test",
    "wilson_interval",
    "z_test",
]
