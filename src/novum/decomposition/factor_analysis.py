r"""Factor analysis: factors with a noise variance of its own for every column.

The model (13). With S the covariance of the rows (divided by N, the sum of the weights) and complete rows, one step takes the
best loadings for given noise and then the noise that the diagonal of S determines (Barber 2012, algorithm 21.1):

    psi^{-1/2} S psi^{-1/2} = V diag(t) V',   W = psi^{1/2} V_q (t_q - 1)_+^{1/2}                  (20)
    psi_j <- S_jj - |W_j|^2                                                                        (21)
    log L = - N/2 [p log 2 pi + sum_{j<=q} (log u_j + t_j/u_j) + sum_{j>q} t_j + sum_j log psi_j]  (22)

with u_j = max(t_j, 1). S is p x p and made in one pass (with fewer rows than columns the rows themselves are kept), so no step
sees the data again. Missing cells: EM (16) to (19), novum.decomposition.latent. Rotations: rotation (23).
"""

from functools import partial
from typing import Any, Literal, NamedTuple, Self

import numpy as np

from novum.base.callbacks import reporting
from novum.base.domains import ArrayLike, Bool, Choice, Domain, Int, Null, RandomState, Real
from novum.base.estimator import fits
from novum.decomposition import latent
from novum.decomposition.gaussian_factors import FactorModel
from novum.decomposition.latent import Factors
from novum.decomposition.rotation import orthogonal_rotation
from novum.decomposition.spectrum import descending, fix_signs
from novum.engines.moments.second import central_moments
from novum.engines.moments.triangles import factor
from novum.exceptions import NotConverged, ParameterError
from novum.fold import fold
from novum.fold.blocks import Source
from novum.runtime.typing import Numbers, Rows, RowWeights, Seed, Target
from novum.runtime.warn import warn

__all__ = ["FactorAnalysis"]

LEAST_NOISE = 1e-12  # as in scikit-learn: a column that its factors explain completely keeps this variance


class Data(NamedTuple):
    """What the steps need of complete rows: S, or the centred rows over sqrt(N) where they are fewer than the columns."""

    mean: np.ndarray
    weight: float
    square: np.ndarray | None  # (p, p)
    rows: np.ndarray | None  # (m, p)
    variance: np.ndarray  # (p,)


class FactorFit(NamedTuple):
    params: Factors
    likelihoods: list[float]
    converged: bool


def summarize(source: Source) -> Data:
    """Return what (20) to (22) need of complete rows."""
    if source.n_rows is not None and source.n_rows < source.n_features:
        f = factor(source)
        rows = f.xx / np.sqrt(f.weight)
        return Data(f.mean, f.weight, None, rows, (rows**2).sum(axis=0))
    m = central_moments(source)
    S = m.xx / m.weight
    return Data(m.mean, m.weight, S, None, np.maximum(np.diag(S), 0.0))


def leading(data: Data, root: np.ndarray, q: int) -> tuple[np.ndarray, np.ndarray]:
    """Return t_1, ..., t_q of (20) and their vectors as rows; `root` is psi^{1/2}."""
    if data.square is not None:
        return descending(data.square / root / root[:, None], q)
    scaled = data.rows / root
    values, left = descending(scaled @ scaled.T, min(q, len(scaled)))
    return values, (left @ scaled) / np.sqrt(np.maximum(values, np.finfo(float).tiny))[:, None]


def iterate(data: Data, psi: np.ndarray, q: int, *, tol: float, max_iter: int, report: Any) -> FactorFit:
    """Return the loadings and noise by (20) and (21), until a step raises (22) by less than `tol`."""
    p = len(psi)
    likelihoods: list[float] = []
    report.begin(Factors(data.mean, np.zeros((p, 0)), psi))
    for n_iter in range(1, max_iter + 1):
        root = np.sqrt(psi) + LEAST_NOISE
        values, vectors = leading(data, root, q)
        loadings = (np.sqrt(np.maximum(values - 1.0, 0.0))[:, None] * vectors * root).T  # (p, q)
        rest = float((data.variance / root**2).sum() - values.sum())
        fitted = np.maximum(values, 1.0)
        inside = float((np.log(fitted) + values / fitted).sum() + np.log(psi).sum())
        likelihoods.append(float(-data.weight / 2 * (p * np.log(2 * np.pi) + inside + rest)))
        params = Factors(data.mean, loadings, psi)
        stop = report(n_iter, likelihoods[-1], params, objective_of="leaving")
        if stop or (n_iter > 1 and likelihoods[-1] - likelihoods[-2] < tol):
            return FactorFit(params, likelihoods, True)
        psi = np.maximum(data.variance - (loadings**2).sum(axis=1), LEAST_NOISE)
    return FactorFit(params, likelihoods, False)


def principal_loadings(params: Factors) -> Factors:
    """Return the same model with loadings that are orthogonal in units of the noise."""
    root = np.sqrt(params.noise)
    left, length, _ = np.linalg.svd(params.loadings / root[:, None], full_matrices=False)
    return params._replace(loadings=root[:, None] * left * length)


class FactorAnalysis(FactorModel):
    """Factor analysis; rows may have missing cells.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of factors; None takes as many as there are columns.
    tol : float, default=1e-2
        Stop when a step raises the log-likelihood by less.
    copy : bool, default=True
        For scikit-learn's sake: X is neither copied nor changed.
    max_iter : int, default=1000
    noise_variance_init : array-like of shape (n_features,), default=None
        Noise variances to begin with; None begins with ones. Not used with missing cells.
    svd_method : {"lapack", "randomized"}, default="randomized"
        For scikit-learn's sake, as `iterated_power` and `random_state`: the steps work on the covariance and are exact.
    iterated_power : int, default=3
    rotation : {"varimax", "quartimax"} or None, default=None
        Turn the factors so that few loadings are large: per factor, or per column.
    random_state : int, numpy Generator, RandomState, SeedSequence or None, default=0

    Attributes
    ----------
    components_ : array of shape (n_components, n_features)
        W': the loadings of every factor.
    noise_variance_ : array of shape (n_features,)
        psi.
    mean_ : array of shape (n_features,)
    loglike_ : list of float
        Log-likelihood after every step.
    n_iter_ : int

    Examples
    --------
    >>> import numpy as np
    >>> from novum.decomposition import FactorAnalysis
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(2000, 1)) @ [[2.0, -1.0, 1.0]] + rng.normal(size=(2000, 3)) * [1.0, 0.5, 2.0]
    >>> model = FactorAnalysis(1, tol=1e-6).fit(X)
    >>> np.sqrt(model.noise_variance_).round(1)
    array([1. , 0.5, 2. ])
    """

    _squares_columns = True
    _domains: dict[str, Domain] = {
        "n_components": Int(0) | Null(),
        "tol": Real(0),
        "copy": Bool(),
        "max_iter": Int(1),
        "noise_variance_init": ArrayLike() | Null(),
        "svd_method": Choice("randomized", "lapack"),
        "iterated_power": Int(0),
        "rotation": Choice("varimax", "quartimax") | Null(),
        "random_state": RandomState(),
    }
    _reports_passes = True
    components_: np.ndarray
    noise_variance_: np.ndarray
    mean_: np.ndarray
    loglike_: list[float]
    n_iter_: int

    def __init__(
        self,
        n_components: int | None = None,
        *,
        tol: float = 1e-2,
        copy: bool = True,
        max_iter: int = 1000,
        noise_variance_init: Numbers | None = None,
        svd_method: Literal["randomized", "lapack"] = "randomized",
        iterated_power: int = 3,
        rotation: Literal["varimax", "quartimax"] | None = None,
        random_state: Seed = 0,
    ) -> None:
        self.n_components = n_components
        self.tol = tol
        self.copy = copy
        self.max_iter = max_iter
        self.noise_variance_init = noise_variance_init
        self.svd_method = svd_method
        self.iterated_power = iterated_power
        self.rotation = rotation
        self.random_state = random_state

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
            Cells may be missing (NaN).
        y : ignored
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts; zero leaves it out.
        """
        source = self._source(X, None, sample_weight)
        q = source.n_features if self.n_components is None else min(self.n_components, source.n_features)
        psi = self._start(source.n_features)
        missing = latent.any_missing(source)
        attributes = partial(self._fitted, q=q, dtype=source.dtype, missing=missing)
        with reporting(self, self.max_iter, X=X, sample_weight=sample_weight, attributes=attributes) as report:
            if missing:
                found = self._em(source, q, report)
            else:
                data = summarize(source)
                found = iterate(data, psi, q, tol=self.tol, max_iter=self.max_iter, report=report)
        if not found.converged:
            warn(
                f"FactorAnalysis did not converge. You might want to increase the number of iterations: the likelihood still"
                f" rose after max_iter={self.max_iter} steps.",
                NotConverged,
            )
        vars(self).update(attributes(found.params))
        self.loglike_, self.n_iter_ = found.likelihoods, len(found.likelihoods)
        return self

    def _start(self, p: int) -> np.ndarray:
        """Return the noise variances to begin with."""
        if self.noise_variance_init is None:
            return np.ones(p)
        given = np.array(self.noise_variance_init, dtype=np.float64)
        if given.shape != (p,) or not (given > 0).all():
            raise ParameterError(
                f"noise_variance_init dimension does not with number of features : {len(given)} != {p}. FactorAnalysis needs"
                f" one positive variance per column."
            )
        return given

    def _em(self, source: Source, q: int, report: Any) -> FactorFit:
        """Fit rows with missing cells."""
        mean, variance, _ = latent.column_moments(source, "FactorAnalysis")
        found = fold(
            latent.start(source, q, mean, variance),
            latent.factor_sums,
            partial(latent.maximize, spherical=False, floor=np.maximum(latent.LEAST_NOISE * variance, LEAST_NOISE)),
            source,
            objective=lambda sums: sums.likelihood,
            converged=lambda _a, _b, f: len(f) > 1 and f[-1] - f[-2] < self.tol,
            max_iter=self.max_iter,
            report=report,
        )
        return FactorFit(found.params, found.history, found.converged)

    def _fitted(self, params: Factors, *, q: int, dtype: np.dtype, missing: bool) -> dict[str, Any]:
        """Return the fitted attributes that parameters stand for."""
        params = principal_loadings(params) if missing else params
        loadings = fix_signs(params.loadings.T).T
        if loadings.shape[1] < q:  # fewer rows than factors: the others carry nothing
            loadings = np.pad(loadings, ((0, 0), (0, q - loadings.shape[1])))
        if self.rotation is not None and loadings.shape[1]:
            loadings = orthogonal_rotation(loadings, self.rotation)
        return {
            "_mean": params.mean,
            "_loadings": np.ascontiguousarray(loadings),
            "_noise": params.noise,
            "mean_": params.mean.astype(dtype),
            "noise_variance_": params.noise.astype(dtype),
            "components_": np.ascontiguousarray(loadings.T).astype(dtype),
        }
