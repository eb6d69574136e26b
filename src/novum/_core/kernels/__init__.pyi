"""Kernels."""

from novum._core.kernels import gram as gram
