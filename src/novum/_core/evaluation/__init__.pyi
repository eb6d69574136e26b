"""Resampling."""

from novum._core.evaluation import resampling as resampling
