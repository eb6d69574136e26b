"""Graphs that say what depends on what, and the probabilities over them."""

from typing import TYPE_CHECKING

from novum.runtime.lazy import lazily

if TYPE_CHECKING:
    from novum.graphical.graphs.dag import DAG
    from novum.graphical.graphs.imaps import is_i_map, is_perfect_map, minimal_i_map, perfect_map
    from novum.graphical.graphs.undirected import UndirectedGraph
    from novum.graphical.linear_gaussian.nodes import LinearGaussian
    from novum.graphical.networks.bayesian_network import BayesianNetwork
    from novum.graphical.networks.classifier import BayesianNetworkClassifier, TreeAugmentedNB
    from novum.graphical.networks.factor_graph import FactorGraph
    from novum.graphical.networks.markov_network import MarkovNetwork, canonical_potentials
    from novum.graphical.networks.nodes import NoisyOr
    from novum.graphical.structure_learning.chow_liu import ChowLiu
    from novum.graphical.structure_learning.exact_search import ExactSearch
    from novum.graphical.structure_learning.hill_climb import HillClimb
    from novum.graphical.structure_learning.pc import PC
    from novum.graphical.structure_learning.structure_posterior import StructurePosterior
else:
    __getattr__, __dir__ = lazily(
        __name__,
        {
            ".graphs.dag": "DAG",
            ".graphs.imaps": "is_i_map is_perfect_map minimal_i_map perfect_map",
            ".graphs.undirected": "UndirectedGraph",
            ".linear_gaussian.nodes": "LinearGaussian",
            ".networks.bayesian_network": "BayesianNetwork",
            ".networks.classifier": "BayesianNetworkClassifier TreeAugmentedNB",
            ".networks.factor_graph": "FactorGraph",
            ".networks.markov_network": "MarkovNetwork canonical_potentials",
            ".networks.nodes": "NoisyOr",
            ".structure_learning.chow_liu": "ChowLiu",
            ".structure_learning.exact_search": "ExactSearch",
            ".structure_learning.hill_climb": "HillClimb",
            ".structure_learning.pc": "PC",
            ".structure_learning.structure_posterior": "StructurePosterior",
        },
    )

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
