"""Neural networks."""

from novum._core.neural_network import perceptron as perceptron
