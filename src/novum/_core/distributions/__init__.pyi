"""Densities."""

from novum._core.distributions import density as density
