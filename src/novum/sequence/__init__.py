"""Sequences: hidden Markov models."""

from novum.sequence.hmm.categorical import CategoricalHMM, MultinomialHMM
from novum.sequence.hmm.gaussian import GaussianHMM
from novum.sequence.hmm.gaussian_mixture import GMMHMM
from novum.sequence.hmm.generic import HiddenMarkovModel
from novum.sequence.hmm.poisson import PoissonHMM
from novum.sequence.hmm.selection import compare_states
from novum.sequence.hmm.variational.categorical import VariationalCategoricalHMM
from novum.sequence.hmm.variational.gaussian import VariationalGaussianHMM

__all__ = [
    "GMMHMM",
    "CategoricalHMM",
    "GaussianHMM",
    "HiddenMarkovModel",
    "MultinomialHMM",
    "PoissonHMM",
    "VariationalCategoricalHMM",
    "VariationalGaussianHMM",
    "compare_states",
]
