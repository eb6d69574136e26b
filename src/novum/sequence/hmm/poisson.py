r"""Hidden Markov models of counts with a Poisson law per state and feature.

    L[k, i] = (a + sum of w gamma x_i) / (b + sum of w gamma)                                      (16)

with a Gamma prior of a counts in b rows.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from novum.base.domains import ArrayLike, Domain, Real
from novum.base.parameters import stores
from novum.exceptions import DataError, ParameterError
from novum.sequence.hmm.base import COMMON_DOMAINS, HiddenMarkovBase, Letters
from novum.sequence.hmm.bundles import Bundle
from novum.sequence.hmm.emissions.discrete import ABSENT, Poisson
from novum.sequence.hmm.priors import Shape
from novum.sequence.hmm.sequences import Sequences

__all__ = ["PoissonHMM"]

SHOWN_FEATURES = 6  # in the repr
LEAST_RATE = 1e-12  # a state that saw no count at all could never emit one


class PoissonHMM(HiddenMarkovBase):
    """Hidden Markov model that emits Poisson counts.

    Parameters
    ----------
    n_components : int, default=1
        States.
    [chain priors]
    lambdas_prior, lambdas_weight : float or array-like, default=0.0
        Counts, and rows in which they were seen, that the Gamma prior of `lambdas_` adds to every state.
    [learning]
    params, init_params : str, default="stl"
        Parts that are learned, and parts that are started afresh: s startprob, t transmat, l lambdas.
    [implementation]
    [ours]

    Attributes
    ----------
    [chain attributes]
    lambdas_ : array of shape (n_components, n_features)
        Rates.
    [learned]

    [order of states]

    Examples
    --------
    >>> import numpy as np
    >>> from novum.sequence import PoissonHMM
    >>> X = np.array([1, 0, 2, 1, 1, 9, 11, 8, 10, 12])
    >>> PoissonHMM(2, random_state=0).fit(X).lambdas_.ravel().round(2)
    array([ 1., 10.])
    """

    lambdas_: Any
    _letters = {"l": "lambdas_"}
    _domains: dict[str, Domain] = {
        **COMMON_DOMAINS,
        "lambdas_prior": Real(0) | ArrayLike(),
        "lambdas_weight": Real(0) | ArrayLike(),
        "params": Letters("stl"),
        "init_params": Letters("stl"),
    }

    @stores
    def __init__(
        self, n_components: int = 1, startprob_prior: Any = 1.0, transmat_prior: Any = 1.0,
        lambdas_prior: Any = 0.0, lambdas_weight: Any = 0.0, algorithm: str = "viterbi", random_state: Any = None,
        n_iter: int = 200, tol: float = 1e-4, verbose: bool = False, params: str = "stl", init_params: str = "stl",
        implementation: str = "log", *, n_init: int = 10, topology: str = "full", sticky: float = 0.0,
        stationary: bool = False, n_jobs: int | None = None
    ) -> None: ...  # fmt: skip

    @property
    def n_features(self) -> int:
        """Number of features."""
        return int(np.atleast_2d(self.lambdas_).shape[1])

    def _check(self) -> None:
        super()._check()
        owner = type(self).__name__
        self.lambdas_ = np.atleast_2d(np.asarray(self.lambdas_, np.float64))
        if len(self.lambdas_) != self.n_components or self.lambdas_.shape[1] == 0:
            raise ParameterError(
                f"{owner}: lambdas_ must have shape (n_components, n_features); got {self.lambdas_.shape}."
            )
        if not np.isfinite(self.lambdas_).all() or (self.lambdas_ < 0).any():
            raise ParameterError(f"{owner}: lambdas_ must be finite and not negative.")

    def _convert(self, rows: NDArray) -> NDArray:
        good = np.isnan(rows) | ((rows >= 0) & (rows == np.floor(rows)))
        if not good.all():
            raise DataError(
                f"{type(self).__name__}: X must hold counts, whole numbers of zero or more; it holds {rows[~good][0]:g}."
            )
        return rows

    def _emission(self) -> Poisson:
        return Poisson(np.asarray(self.lambdas_, np.float64))

    def _start_emission(self, bundle: Bundle, rng: Any, letter: str, run: int) -> None:
        mean, variance = float(np.nanmean(bundle.X)), float(np.nanvar(bundle.X))
        mean, variance = max(mean, 1e-3), max(variance, 1e-6)
        size = (self.n_components, bundle.X.shape[1])
        self.lambdas_ = np.maximum(rng.gamma(shape=mean**2 / variance, scale=variance / mean, size=size), LEAST_RATE)

    def _prior_shapes(self, d: int) -> dict[str, list[Shape]]:
        own = [(self.n_components,), (self.n_components, d)]
        return {**super()._prior_shapes(d), "lambdas_prior": own, "lambdas_weight": own}

    def _priors(self) -> tuple[NDArray, NDArray]:
        values = (np.asarray(value, np.float64) for value in (self.lambdas_prior, self.lambdas_weight))
        a, b = (value[:, None] if value.ndim == 1 else value for value in values)
        return a, b

    def _maximize_emission(self, emission: Poisson, sums: Any) -> Poisson:
        if "l" not in self.params:
            return emission
        a, b = self._priors()
        mass = sums.mass + b
        found = (sums.seen + a) / np.where(mass > ABSENT, mass, 1.0)
        return Poisson(np.where(mass > ABSENT, np.maximum(found, LEAST_RATE), emission.rates))

    def _emission_log_prior(self, emission: Poisson) -> float:
        a, b = self._priors()
        return float((xlogy(a, emission.rates) - b * emission.rates).sum())

    def _learned_emission(self, emission: Poisson, order: NDArray | None) -> dict[str, Any]:
        return {"lambdas_": emission.rates if order is None else emission.rates[order]}

    def _counts(self) -> dict[str, int]:
        k, d = self.n_components, self.n_features
        return {**self._chain_counts(), "l": k * d}

    def _one_state_bic(self, source: Sequences) -> float | None:
        bundle = source.first()
        if bundle.weight is not None:
            return None
        rates = np.maximum(np.nanmean(bundle.X, axis=0), LEAST_RATE)
        total = float(Poisson(rates[None]).densities(bundle).log.sum())
        return -2 * total + len(rates) * float(np.log(len(bundle.X)))

    def _state_moments(self) -> tuple[NDArray, NDArray]:
        rates = np.asarray(self.lambdas_, np.float64)
        return rates, rates

    def _draw_rows(self, emission: Poisson, states: NDArray, rng: Any) -> NDArray:
        return rng.poisson(emission.rates[states])

    def _state_columns(self) -> dict[str, list[str]]:
        d = self.lambdas_.shape[1]
        names = getattr(self, "feature_names_in_", [f"x{j}" for j in range(d)])
        return {
            f"rate {names[j]}" if d > 1 else "rate": [f"{v:.4g}" for v in self.lambdas_[:, j]]
            for j in range(min(d, SHOWN_FEATURES))
        }
