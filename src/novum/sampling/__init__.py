"""Draws from distributions of which only a density is known, and what they are worth."""

from typing import TYPE_CHECKING

from novum.runtime.lazy import lazily

if TYPE_CHECKING:
    from novum.sampling.chains import Chains
    from novum.sampling.diagnosis import ChainDiagnosis, diagnose
    from novum.sampling.expectations import MonteCarloEstimate, monte_carlo
    from novum.sampling.gibbs import GibbsSampler
    from novum.sampling.hamiltonian import HamiltonianMonteCarlo
    from novum.sampling.importance import ImportanceSample, importance_sample
    from novum.sampling.inverse import inverse_cdf
    from novum.sampling.kernels import run_chains
    from novum.sampling.metropolis import MetropolisHastings
    from novum.sampling.posteriors import LogisticPosterior
    from novum.sampling.rejection import RejectionSample, rejection_sample
else:
    __getattr__, __dir__ = lazily(
        __name__,
        {
            ".chains": "Chains",
            ".diagnosis": "ChainDiagnosis diagnose",
            ".expectations": "MonteCarloEstimate monte_carlo",
            ".gibbs": "GibbsSampler",
            ".hamiltonian": "HamiltonianMonteCarlo",
            ".importance": "ImportanceSample importance_sample",
            ".inverse": "inverse_cdf",
            ".kernels": "run_chains",
            ".metropolis": "MetropolisHastings",
            ".posteriors": "LogisticPosterior",
            ".rejection": "RejectionSample rejection_sample",
        },
    )

__all__ = [
    "ChainDiagnosis",
    "Chains",
    "GibbsSampler",
    "HamiltonianMonteCarlo",
    "ImportanceSample",
    "LogisticPosterior",
    "MetropolisHastings",
    "MonteCarloEstimate",
    "RejectionSample",
    "diagnose",
    "importance_sample",
    "inverse_cdf",
    "monte_carlo",
    "rejection_sample",
    "run_chains",
]
