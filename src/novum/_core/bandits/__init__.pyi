"""Bandits."""

from novum._core.bandits import simulation as simulation
