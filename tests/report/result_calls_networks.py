"""A call for every kind of result of neural networks, without PyTorch: what comes from its networks is made by hand here."""

import numpy as np

from novum import teaching
from novum.neural_network import ComputationGraph, MLPClassifier, RateCurve, TrainingCurve, computation_graph
from novum.neural_network.generative.boltzmann.partition import Partition
from novum.neural_network.generative.diversity import Diversity
from novum.neural_network.generative.variational import AutoencoderBound
from novum.neural_network.sequences.attention_map import AttentionMap
from novum.neural_network.sequences.translator import Candidates
from novum.teaching import logic_to_network, parity_network
from novum.teaching.neural_networks.architectures import architecture


def slopes_by_layer():
    X = np.random.default_rng(0).normal(size=(40, 3))
    model = MLPClassifier((4, 4), solver="lbfgs", max_iter=200, random_state=0).fit(X, X[:, 0] > 0)
    return model.gradient_report(X, X[:, 0] > 0)


def tree_of_messages() -> ComputationGraph:
    return computation_graph([("a", "b"), ("b", "c")], "a", 2)


NETWORKS = {
    "Approximation": lambda: teaching.universal_approximation("sin", widths=(1, 2), n_init=1),
    "Architecture": lambda: architecture("transformer"),
    "AttentionMap": lambda: AttentionMap(["a", "b"], ["x", "<end>"], np.full((2, 3, 2, 2), 0.5)),
    "AutoencoderBound": lambda: AutoencoderBound(np.array([-3.0, -2.0]), np.array([-2.0, -1.5]), np.array([1.0, 0.5])),
    "Candidates": lambda: Candidates(["xy", "x"], np.array([-0.5, -1.5])),
    "ComputationGraph": tree_of_messages,
    "Diversity": lambda: Diversity(0.9, 1.1, 0.95, 0.99),
    "GradientReport": slopes_by_layer,
    "LogPartition": lambda: Partition(12.5, 0.1, 80.0, "annealed importance sampling"),
    "TrainingCurve": lambda: TrainingCurve([2.0, 1.0], {"validation loss": [2.5, 2.0]}, name="loss"),
    "ParityNetworks": lambda: parity_network(4),
    "ThresholdNetwork": lambda: logic_to_network("a and not b"),
    "RateCurve": lambda: RateCurve(np.array([0.1, 1.0]), np.array([2.0, 1.0]), np.array([2.0, 1.5]), 0.1),
}
