"""Judge models: scores with intervals, comparisons with valid tests."""

from novum.evaluation.multiple import holm
from novum.evaluation.proportion import wilson_interval
from novum.evaluation.resampled import ResampledTest, corrected_interval, corrected_test

__all__ = ["ResampledTest", "corrected_interval", "corrected_test", "holm", "wilson_interval"]
