"""Draws from laws of which only a density is known, and what they are worth."""

from novum.runtime.moved_names import moved_names
from novum.sampling.diagnosis import diagnose
from novum.sampling.expectations import monte_carlo
from novum.sampling.gibbs import GibbsSampler
from novum.sampling.hamiltonian import HamiltonianMonteCarlo
from novum.sampling.importance import importance_sample
from novum.sampling.inverse import inverse_cdf
from novum.sampling.kernels import run_chains
from novum.sampling.metropolis import MetropolisHastings
from novum.sampling.posteriors import LogisticPosterior
from novum.sampling.rejection import rejection_sample

__all__ = [
    "GibbsSampler",
    "HamiltonianMonteCarlo",
    "LogisticPosterior",
    "MetropolisHastings",
    "diagnose",
    "importance_sample",
    "inverse_cdf",
    "monte_carlo",
    "rejection_sample",
    "run_chains",
]

__getattr__ = moved_names(
    __name__,
    {
        ".chains": "Chains",
        ".diagnosis": "ChainDiagnosis",
        ".expectations": "MonteCarloEstimate",
        ".importance": "ImportanceSample",
        ".rejection": "RejectionSample",
    },
)
