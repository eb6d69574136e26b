"""Graphs that say what depends on what, and the probabilities over them."""

from novum.graphical.dag import DAG
from novum.graphical.network import BayesianNetwork
from novum.graphical.nodes import NoisyOr
from novum.graphical.result import Marginals, MostProbable, Posterior

__all__ = ["DAG", "BayesianNetwork", "Marginals", "MostProbable", "NoisyOr", "Posterior"]
