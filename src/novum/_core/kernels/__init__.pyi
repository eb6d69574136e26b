"""Kernels of pairs of points."""

from novum._core.kernels import points as points
"""Kernels."""

from novum._core.kernels import counts as counts, gram as gram
