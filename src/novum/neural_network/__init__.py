"""Neural networks."""

from novum.neural_network.generative.boltzmann.deep import DeepBoltzmannMachine
from novum.neural_network.generative.boltzmann.restricted import RestrictedBoltzmannMachine

__all__ = ["DeepBoltzmannMachine", "RestrictedBoltzmannMachine"]
