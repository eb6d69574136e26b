"""Sequences: Markov chains and linear dynamical systems (Kalman filter and smoother)."""

from novum.sequence.chains.markov_chain import MarkovChain
from novum.sequence.lds.functions import kalman_filter, kalman_smoother
from novum.sequence.lds.linear_dynamical_system import LinearDynamicalSystem

__all__ = ["LinearDynamicalSystem", "MarkovChain", "kalman_filter", "kalman_smoother"]
