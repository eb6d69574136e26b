"""Sequences: Markov chains, hidden Markov models, linear dynamical systems (Kalman filter and smoother)."""

from typing import TYPE_CHECKING

from novum.runtime.lazy import lazily

if TYPE_CHECKING:
    from novum.sequence.chains.markov_chain import MarkovChain
    from novum.sequence.hmm.categorical import CategoricalHMM
    from novum.sequence.hmm.gaussian import GaussianHMM
    from novum.sequence.hmm.gaussian_mixture import GMMHMM
    from novum.sequence.hmm.generic import HiddenMarkovModel
    from novum.sequence.hmm.multinomial import MultinomialHMM
    from novum.sequence.hmm.poisson import PoissonHMM
    from novum.sequence.hmm.selection import compare_states
    from novum.sequence.hmm.variational.categorical import VariationalCategoricalHMM
    from novum.sequence.hmm.variational.gaussian import VariationalGaussianHMM
    from novum.sequence.lds.functions import kalman_filter, kalman_smoother
    from novum.sequence.lds.linear_dynamical_system import LinearDynamicalSystem
else:
    __getattr__, __dir__ = lazily(
        __name__,
        {
            ".chains.markov_chain": "MarkovChain",
            ".hmm.categorical": "CategoricalHMM",
            ".hmm.gaussian": "GaussianHMM",
            ".hmm.gaussian_mixture": "GMMHMM",
            ".hmm.generic": "HiddenMarkovModel",
            ".hmm.multinomial": "MultinomialHMM",
            ".hmm.poisson": "PoissonHMM",
            ".hmm.selection": "compare_states",
            ".hmm.variational.categorical": "VariationalCategoricalHMM",
            ".hmm.variational.gaussian": "VariationalGaussianHMM",
            ".lds.functions": "kalman_filter kalman_smoother",
            ".lds.linear_dynamical_system": "LinearDynamicalSystem",
        },
    )

__all__ = [
    "GMMHMM",
    "CategoricalHMM",
    "GaussianHMM",
    "HiddenMarkovModel",
    "LinearDynamicalSystem",
    "MarkovChain",
    "MultinomialHMM",
    "PoissonHMM",
    "VariationalCategoricalHMM",
    "VariationalGaussianHMM",
    "compare_states",
    "kalman_filter",
    "kalman_smoother",
]
