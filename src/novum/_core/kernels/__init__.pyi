"""Kernels of pairs of points."""

from novum._core.kernels import points as points
