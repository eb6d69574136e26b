"""Graphs that say what depends on what, and the probabilities over them."""

from novum.graphical.chow_liu import ChowLiu
from novum.graphical.classifier import BayesianNetworkClassifier, TreeAugmentedNB
from novum.graphical.dag import DAG
from novum.graphical.exact_search import ExactSearch
from novum.graphical.factor_graph import FactorGraph
from novum.graphical.hill_climb import HillClimb
from novum.graphical.imaps import is_i_map, is_perfect_map, minimal_i_map, perfect_map
from novum.graphical.markov import MarkovNetwork, canonical_potentials
from novum.graphical.network import BayesianNetwork
from novum.graphical.nodes import NoisyOr
from novum.graphical.pc import PC
from novum.graphical.real.nodes import LinearGaussian
from novum.graphical.structure_posterior import StructurePosterior
from novum.graphical.undirected import UndirectedGraph

__all__ = [
    "DAG",
    "PC",
    "BayesianNetwork",
    "BayesianNetworkClassifier",
    "ChowLiu",
    "ExactSearch",
    "FactorGraph",
    "HillClimb",
    "LinearGaussian",
    "MarkovNetwork",
    "NoisyOr",
    "StructurePosterior",
    "TreeAugmentedNB",
    "UndirectedGraph",
    "canonical_potentials",
    "is_i_map",
    "is_perfect_map",
    "minimal_i_map",
    "perfect_map",
]
