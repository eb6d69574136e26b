"""Kernels."""

from novum._core.kernels import (
    counts as counts,
    gram as gram,
    points as points,
    waves as waves
)
