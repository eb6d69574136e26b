"""Sequences: Markov chains and linear dynamical systems (Kalman filter and smoother)."""

from novum.sequence.lds.functions import kalman_filter, kalman_smoother
from novum.sequence.lds.linear_dynamical_system import LinearDynamicalSystem

__all__ = ["LinearDynamicalSystem", "kalman_filter", "kalman_smoother"]
