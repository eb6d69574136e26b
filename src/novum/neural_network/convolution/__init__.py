"""Convolutional networks: the layers as formulas, the network, the classifier, what its filters see."""

from novum.neural_network.convolution.classifier import ConvNetClassifier

__all__ = ["ConvNetClassifier"]
