r"""Conjugate priors: a posterior of the prior's own family, from sums over the data.

    p(theta | D) = p(D | theta) p(theta) / p(D)                                                              (1)
    for an exponential family and prior ~ exp(eta . chi - nu A(eta)):  chi + sum_i w_i u(x_i),  nu + sum_i w_i   (2)
    p(x | D)     = int p(x | theta) p(theta | D) dtheta              the predictive distribution             (3)
    log p(D)     = log p(D | theta) + log p(theta) - log p(theta | D)    for any theta, by (1)               (4)

(2) adds: data may come in portions, from files, from a cluster, with weights, and the posterior after all of them is the same as
after one update. (4) is evaluated at the center of the posterior, where nothing is small. The rules of the single pairs, (5) to
(13), are in `novum.distributions.conjugate.rules`.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from novum.distributions.conjugate import registry
from novum.runtime.typing import Rows, RowWeights

__all__ = ["ConjugatePrior"]


class ConjugatePrior:
    """What every family that is a prior of another's parameters can do. See `novum.distributions.conjugate_pairs`."""

    def update(
        self,
        data: Rows | Mapping[Any, Any] | Iterable[Any],
        likelihood: Any = None,
        *,
        sample_weight: RowWeights = None,
    ) -> Any:
        """Return the posterior (1), which is again of this family and can be updated again.

        Parameters
        ----------
        data : array-like, frame, scan, Dask collection or tensor
            Observations; every column of a table of numbers updates one of a batch.
        likelihood : distribution or family, optional
            What the data come from: a family such as `Poisson` where its parameters are unknown, an object such as
            `Normal(var=2.0)` where some are known (the unknown one is not looked at). By default that of the last
            update, or the only partner of this prior in `conjugate_pairs` of which nothing has to be known: Bernoulli of a
            Beta, Categorical of a Dirichlet. A Gamma has several and needs this.
        sample_weight : array-like of shape (n,), optional
            Weight w stands for w equal observations.

        Returns
        -------
        posterior
            Of the same family; it remembers the likelihood.
        """
        return registry.posterior(self, data, likelihood, sample_weight)[0]

    def predictive(self, likelihood: Any = None) -> Any:
        """Return the distribution (3) of the next observation.

        Parameters
        ----------
        likelihood : distribution or family, optional
            As in `update`.

        Returns
        -------
        Distribution
        """
        pair, chosen = registry.resolve_pair(self, likelihood, "predictive")
        return pair.predictive(self, chosen)

    def log_evidence(
        self,
        data: Rows | Mapping[Any, Any] | Iterable[Any],
        likelihood: Any = None,
        *,
        sample_weight: RowWeights = None,
    ) -> Any:
        """Return log p(data), eq. (4), with the parameters integrated out under this prior.

        Parameters
        ----------
        data, likelihood, sample_weight
            As in `update`.

        Returns
        -------
        float
            An array for a batch of priors.
        """
        return registry.log_evidence(self, data, likelihood, sample_weight)
