r"""Gaussian mixtures by expectation-maximisation.

    p(x) = sum_k weight[k] N(x | mean[k], S[k])                                                    (1)
    l[n,k] = log weight[k] + log N(x[n] | mean[k], S[k])                                           (2)
    r[n,k] = exp(l[n,k] - total[n]),   total[n] = log sum_k exp l[n,k] = log p(x[n])               (3)
    mass, first, second = sums of w r (1, x - mean, (x - mean)(x - mean)')                         (4)
    weight = mass / sum mass,   mean <- mean + first / mass,
    S = second / mass - (first / mass)(first / mass)' + reg I                                      (5)

(3) and (4) are one pass over the data. With reg = 0 the log-likelihood never falls. For given r, (5) maximises

    J = sum_n w[n] total[n] - reg/2 sum_k mass[k] trace inv(S[k])                                  (6)

(up to terms in r alone), which is what `history_` records, per row. What is `fixed` stays at its start: equal weights and one
known variance give the notes' EM for means. Derivation: docs/theory/mixtures.md.
"""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from novum.base.domains import ArrayLike, Domain, Null
from novum.base.estimator import fits
from novum.engines.gaussians import covariance as cov
from novum.engines.gaussians.covariance import TIED, MixtureSums
from novum.engines.gaussians.density import Density, density_of, moments_of
from novum.exceptions import ParameterError
from novum.fold.blocks import Block, Source
from novum.mixture.base import COMMON_DOMAINS, GaussianBase
from novum.mixture.em import Solved
from novum.mixture.start import column_means
from novum.runtime.typing import Numbers, Rows, RowWeights, Seed, Target

__all__ = ["GaussianMixture"]

FIXABLE = ("weights", "means", "covariances")


class Params(NamedTuple):
    weights: NDArray  # (k,)
    means: NDArray  # (k, d)
    covariances: NDArray
    factor: NDArray
    density: Density


class Context(NamedTuple):
    """What a fit knows beside the data: the form, what was given, what stays."""

    form: str
    reg: float
    weights: NDArray | None
    means: NDArray | None
    precisions: NDArray | None
    fixed: frozenset
    center: NDArray  # (d,)
    dtype: np.dtype


def checked_weights(values: Any, k: int) -> NDArray:
    """Return given weights after scikit-learn's checks."""
    weights = cov.checked_array(values, (k,), "weights")
    if (weights < 0).any() or (weights > 1).any():
        raise ParameterError(
            "The parameter 'weights' should be in the range [0, 1], but got max value"
            f" {weights.max():.5f}, min value {weights.min():.5f}"
        )
    if abs(1 - weights.sum()) > 1e-6:
        raise ParameterError(
            f"The parameter 'weights' should be normalized, but got sum(weights) = {weights.sum():.5f}"
        )
    return weights / weights.sum()


def fitted_attributes(
    form: str, weights: NDArray, means: NDArray, covariances: NDArray, factor: NDArray, dtype: Any
) -> dict[str, Any]:
    """Return the fitted attributes."""
    return {
        "weights_": weights.astype(dtype),
        "means_": means.astype(dtype),
        "covariances_": covariances.astype(dtype),
        "precisions_cholesky_": factor.astype(dtype),
        "precisions_": cov.precision(form, factor).astype(dtype),
    }


def params_of(context: Context, weights: NDArray, means: NDArray, covariances: NDArray, factor: NDArray) -> Params:
    """Return parameters with the density (2) they make."""
    with np.errstate(divide="ignore"):  # a component that has died
        excess = np.log(weights)
    density = density_of(context.form, excess, means, covariances, factor, context.center)
    return Params(weights, means, covariances, factor, density)


def first_params(context: Context, sums: MixtureSums | None, shift: NDArray | None) -> Params:
    """Return the parameters of a start: what was given, the rest from first moments by (5)."""
    weights, means, covariances, factor = context.weights, context.means, None, None
    if sums is not None and shift is not None:
        mass, found, covariances = cov.estimate(context.form, sums, shift, context.reg)
        weights = mass / mass.sum() if weights is None else weights
        means = found if means is None else means
    if context.precisions is not None:
        factor = cov.factor_of_precision(context.form, context.precisions)
        covariances = cov.covariance_of_factor(context.form, factor)
    assert weights is not None and means is not None and covariances is not None
    if factor is None:
        factor = cov.factor_of_covariance(context.form, covariances, context.dtype)
    return params_of(context, weights, means, covariances, factor)


def maximize(context: Context, params: Params, sums: MixtureSums) -> Solved:
    """Return (5), and (6) of the parameters that entered."""
    bound = sums.log_likelihood / sums.weight
    objective = bound
    k, d = params.means.shape
    if context.reg and "covariances" not in context.fixed:
        roughness = cov.kernel_layout(context.form, params.factor, k, d) ** 2
        trace = roughness.reshape(len(roughness), -1).sum(axis=1) if context.form != "tied" else roughness.sum()
        objective -= 0.5 * context.reg * float((sums.mass * trace).sum()) / sums.weight
    if "means" in context.fixed:  # about the means themselves: nothing is subtracted
        sums = sums._replace(first=np.zeros_like(sums.first))
    mass, means, covariances = cov.estimate(context.form, sums, params.means, context.reg)
    weights = params.weights if "weights" in context.fixed else mass / mass.sum()
    if "covariances" in context.fixed:
        covariances, factor = params.covariances, params.factor
    else:
        factor = cov.factor_of_covariance(context.form, covariances, context.dtype)
    return Solved(params_of(context, weights, means, covariances, factor), bound, objective)


class GaussianMixture(GaussianBase):
    """Gaussian mixture by maximum likelihood.

    Parameters
    ----------
    n_components : int, default=1
    covariance_type : {"full", "tied", "diag", "spherical", "tied_spherical"}, default="full"
        A matrix per component; one matrix for all; a variance per component and feature; a variance per component; one
        variance for all.
    tol : float, default=1e-3
        Stop when the mean log-likelihood changes by less.
    reg_covar : float, default=1e-6
        Added to every variance.
    max_iter : int, default=100
        Most passes of a start; 0 keeps the start.
    n_init : int, default=1
        Starts to try; the best is kept.
    init_params : {"kmeans", "k-means++", "random", "random_from_data"}, default="kmeans"
        How to start.
    weights_init, means_init, precisions_init : array-like, default=None
        Parts of the start, in the shapes of `weights_`, `means_` and `precisions_`.
    fixed : sequence of {"weights", "means", "covariances"}, default=()
        Parts that keep their start. Weights that are fixed but not given are equal.
    trial_iter : int, default=None
        Passes that each of several starts is given before only the best goes on; None runs all to their ends.
    random_state : int, numpy Generator, RandomState, SeedSequence or None, default=None
    warm_start : bool, default=False
        Whether a further `fit` goes on where the last one ended.
    verbose : int or bool, default=0
        Whether to log passes, to the logger "novum".
    verbose_interval : int, default=10
        Passes between two lines of the log.

    Attributes
    ----------
    weights_ : array of shape (n_components,)
    means_ : array of shape (n_components, n_features)
    covariances_, precisions_, precisions_cholesky_ : array
        Shape (n_components, n_features, n_features) for "full", (n_features, n_features) for "tied", (n_components,
        n_features) for "diag", (n_components,) for "spherical", () for "tied_spherical".
    converged_ : bool
    n_iter_ : int
    lower_bound_, lower_bounds_ : float, list of float
        Mean log-likelihood of the parameters that entered the last pass, and every pass.
    history_ : History
        The objective (6) of every pass, per row; without `reg_covar` the same as `lower_bounds_`, and it never falls.

    Notes
    -----
    A missing cell (NaN) is integrated out, in `fit` and in every answer; nothing is imputed.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.mixture import GaussianMixture
    >>> X = np.array([[1.0, 2], [1, 4], [1, 0], [10, 2], [10, 4], [10, 0]])
    >>> model = GaussianMixture(n_components=2, random_state=0).fit(X)
    >>> model.means_[model.predict([[0, 0], [12, 3]])]
    array([[ 1.,  2.],
           [10.,  2.]])

    The notes' case: equal weights, a known variance, only the means are learned.

    >>> X = np.array([[0.0], [1], [4], [5]])
    >>> start = {"means_init": [[0.0], [4.0]], "precisions_init": [1.0, 1.0]}
    >>> model = GaussianMixture(2, covariance_type="spherical", fixed=("weights", "covariances"), tol=1e-9, **start)
    >>> model.fit(X).means_.ravel().round(6)
    array([0.503868, 4.496132])
    """

    _domains: dict[str, Domain] = {
        **COMMON_DOMAINS,
        "weights_init": ArrayLike() | Null(),
        "means_init": ArrayLike() | Null(),
        "precisions_init": ArrayLike() | Null(),
        "fixed": ArrayLike(),
    }
    weights_: np.ndarray
    means_: np.ndarray
    covariances_: np.ndarray
    precisions_: np.ndarray
    precisions_cholesky_: np.ndarray

    def __init__(
        self,
        n_components: int = 1,
        *,
        covariance_type: Literal["full", "tied", "diag", "spherical", "tied_spherical"] = "full",
        tol: float = 1e-3,
        reg_covar: float = 1e-6,
        max_iter: int = 100,
        n_init: int = 1,
        init_params: Literal["kmeans", "k-means++", "random", "random_from_data"] = "kmeans",
        weights_init: Numbers | None = None,
        means_init: Numbers | None = None,
        precisions_init: Numbers | None = None,
        fixed: Literal["weights", "means", "covariances"] | Sequence[Any] = (),
        trial_iter: int | None = None,
        random_state: Seed = None,
        warm_start: bool = False,
        verbose: int | bool = 0,
        verbose_interval: int = 10,
    ) -> None:
        self.n_components = n_components
        self.covariance_type = covariance_type
        self.tol = tol
        self.reg_covar = reg_covar
        self.max_iter = max_iter
        self.n_init = n_init
        self.init_params = init_params
        self.weights_init = weights_init
        self.means_init = means_init
        self.precisions_init = precisions_init
        self.fixed = fixed
        self.trial_iter = trial_iter
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose
        self.verbose_interval = verbose_interval

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Find the parameters.

        Parameters
        ----------
        X : array-like, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
            Cells may be missing (NaN).
        y : ignored
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts; zero leaves it out.
        """
        self._fit(X, sample_weight)
        return self

    def _prepare(self, source: Source, filled: Source) -> Context:
        k, d = self.n_components, source.n_features
        fixed = frozenset(self.fixed)
        if unknown := fixed - set(FIXABLE):
            raise ParameterError(
                f"The 'fixed' parameter of GaussianMixture must name some of {FIXABLE}. Got {sorted(map(str, unknown))}."
            )
        weights = None if self.weights_init is None else checked_weights(self.weights_init, k)
        if weights is None and "weights" in fixed:
            weights = np.full(k, 1 / k)
        means = None if self.means_init is None else cov.checked_array(self.means_init, (k, d), "means")
        precisions = self.precisions_init
        if precisions is not None:
            precisions = cov.checked_precisions(self.covariance_type, precisions, k, d)
        for name, given in (("means", means), ("covariances", precisions)):
            if name in fixed and given is None:
                init = "means_init" if name == "means" else "precisions_init"
                raise ParameterError(f"GaussianMixture(fixed=...): {name} can stay fixed only if {init} gives them.")
        tied = cov.layout(self.covariance_type) == TIED
        center = column_means(source)[0] if tied else np.zeros(d)
        return Context(
            form=self.covariance_type,
            reg=float(self.reg_covar),
            weights=weights,
            means=means,
            precisions=precisions,
            fixed=fixed,
            center=center,
            dtype=source.dtype,
        )

    def _given_start(self) -> bool:
        free = (
            self.weights_init is None and "weights" not in self.fixed,
            self.means_init is None,
            self.precisions_init is None,
        )
        return not any(free)

    def _begin(self, context: Any, sums: Any, shift: Any) -> Any:
        return first_params(context, sums, shift)

    def _solve(self, context: Any, params: Any, sums: Any) -> Any:
        return maximize(context, params, sums)

    def _resume(self, context: Any) -> Any:
        values = (self.weights_, self.means_, self.covariances_, self.precisions_cholesky_)
        return params_of(context, *(np.asarray(value, np.float64) for value in values))

    def _attributes(self, context: Any, params: Any, dtype: Any) -> Any:
        return fitted_attributes(context.form, params.weights, params.means, params.covariances, params.factor, dtype)

    def _set_parameters(self, params: Any) -> None:
        """Set weights, means, covariances and factors: a hook that subclasses of scikit-learn's mixtures use."""
        weights, means, covariances, factor = (np.asarray(value) for value in params)
        self.__dict__.update(fitted_attributes(self.covariance_type, weights, means, covariances, factor, means.dtype))

    def _initialize(self, X: Any, resp: Any) -> None:
        """Set the parameters that responsibilities of shape (n_samples, n_components) give: such a hook, too."""
        X = np.ascontiguousarray(X)
        given = (self.weights_init, self.means_init, self.precisions_init)
        weights, means, precisions = (None if value is None else np.asarray(value, np.float64) for value in given)
        form, center = self.covariance_type, X.mean(axis=0, dtype=np.float64)
        context = Context(
            form=form,
            reg=self.reg_covar,
            weights=weights,
            means=means,
            precisions=precisions,
            fixed=frozenset(),
            center=center,
            dtype=X.dtype,
        )
        shift = np.ascontiguousarray(np.broadcast_to(center, (np.shape(resp)[1], X.shape[1])))
        sums = moments_of(cov.layout(form), resp, shift, Block(X))
        self._set_parameters([value.astype(X.dtype) for value in first_params(context, sums, shift)[:4]])

    def _query(self) -> Density:
        """Return the fitted density."""
        with np.errstate(divide="ignore"):
            excess = np.log(np.asarray(self.weights_, np.float64))
        values = (self.means_, self.covariances_, self.precisions_cholesky_)
        means, covariances, factor = (np.asarray(value, np.float64) for value in values)
        return density_of(self.covariance_type, excess, means, covariances, factor, self._centers())

    def _n_parameters(self) -> int:
        """Return the number of free parameters."""
        k, d = self.means_.shape
        counts = {
            "weights": k - 1,
            "means": k * d,
            "covariances": cov.covariance_parameters(self.covariance_type, k, d),
        }
        return sum(count for name, count in counts.items() if name not in self.fixed)

    def aic(self, X: Rows, sample_weight: RowWeights = None) -> float:
        """Return Akaike's criterion, -2 log-likelihood + 2 parameters: the lower the better."""
        return self._criterion(X, sample_weight, bayesian=False)

    def bic(self, X: Rows, sample_weight: RowWeights = None) -> float:
        """Return the Bayesian criterion, -2 log-likelihood + parameters log n: the lower the better."""
        return self._criterion(X, sample_weight, bayesian=True)
