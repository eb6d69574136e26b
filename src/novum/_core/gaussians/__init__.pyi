"""Gaussian components."""

from novum._core.gaussians import mixture as mixture
