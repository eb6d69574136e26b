r"""Probabilistic PCA: factors with the same noise in every direction.

In the model (13) with psi = sigma^2 for every column, let lambda_1 >= ... >= lambda_p be the eigenvalues of the covariance
S = sum_i w_i (x_i - m)(x_i - m)' / N, N the sum of the weights. The likelihood is largest at (Tipping and Bishop 1999)

    mu = m,   sigma^2 = mean of lambda_{q+1}, ..., lambda_p,   W = V_q' (Lambda_q - sigma^2 I)^{1/2}   (14)
    log L = - N/2 [p log 2 pi + sum_{j<=q} log lambda_j + (p - q) log sigma^2 + p]                 (15)

up to a rotation of the factors; the columns of W here are orthogonal and in falling order of length. Rows with missing
cells have no closed form: EM (16) to (19), novum.decomposition.latent. The number of factors: dimension (11), (12).
"""

from contextlib import nullcontext
from functools import partial
from typing import Any, Literal, Self

import numpy as np

from novum.base.callbacks import reporting
from novum.base.domains import Choice, Domain, Int, Null, Real
from novum.base.estimator import fits
from novum.base.history import History
from novum.decomposition import latent
from novum.decomposition.dimension import bic, free_parameters, log_evidence
from novum.decomposition.gaussian_factors import FactorModel
from novum.decomposition.latent import Factors
from novum.decomposition.plots import plot_spectrum
from novum.decomposition.spectrum import exact, fill_axes, fix_signs
from novum.exceptions import DataError, NotConverged, ParameterError
from novum.fold import Fit, fold
from novum.fold.blocks import Source
from novum.runtime.typing import Rows, RowWeights, Target
from novum.runtime.warn import warn

__all__ = ["ProbabilisticPCA"]


def factor_attributes(params: Factors, vectors: np.ndarray, dtype: np.dtype) -> dict[str, Any]:
    """Return the fitted attributes that parameters with loadings along `vectors` stand for."""
    noise = float(params.noise[0])
    excess = (params.loadings**2).sum(axis=0)
    return {
        "_mean": params.mean,
        "_loadings": params.loadings,
        "_noise": params.noise,
        "n_components_": len(vectors),
        "mean_": params.mean.astype(dtype),
        "components_": vectors.astype(dtype),
        "loadings_": params.loadings.astype(dtype),
        "explained_variance_": (excess + noise).astype(dtype),
        "explained_variance_ratio_": ((excess + noise) / (excess.sum() + noise * len(params.mean))).astype(dtype),
        "noise_variance_": noise,
    }


def turned_attributes(params: Factors, dtype: np.dtype) -> dict[str, Any]:
    """Return the same of loadings along any axes, after they are turned to the principal ones."""
    left, length, _ = np.linalg.svd(params.loadings, full_matrices=False)
    vectors = fix_signs(left.T)
    return factor_attributes(params._replace(loadings=np.ascontiguousarray(vectors.T * length)), vectors, dtype)


class ProbabilisticPCA(FactorModel):
    """Probabilistic principal component analysis; rows may have missing cells.

    Parameters
    ----------
    n_components : int, "mle", "bic" or None, default=None
        Number of factors: given; by Minka's Laplace approximation of the evidence (complete rows only); by Schwarz's
        criterion; or one less than there are columns.
    method : {"auto", "closed_form", "em"}, default="auto"
        "auto" takes the closed form where no cell is missing, else EM; both give the same maximum.
    max_iter : int, default=2000
        Most passes of EM.
    tol : float, default=1e-8
        EM stops when a pass raises the mean log-likelihood of a row by less.

    Attributes
    ----------
    components_ : array of shape (n_components, n_features)
        Orthonormal principal axes; the entry of largest size of each is positive.
    loadings_ : array of shape (n_features, n_components)
        W: the axes times the square roots of their variance in excess of the noise.
    explained_variance_, explained_variance_ratio_ : array of shape (n_components,)
        Variance along the axes (divided by n) and its share of the whole.
    noise_variance_ : float
        sigma^2.
    mean_ : array of shape (n_features,)
    n_components_, n_iter_ : int
        n_iter_ is the number of passes of EM, 1 for the closed form.
    log_likelihood_ : float
        Of all observed cells.
    log_evidence_ : array of shape (n_features - 1,)
        (11) for 1, 2, ... factors up to a constant; complete rows only, as `bic_`.
    bic_ : array of shape (n_features,)
        (12) for 0, 1, ... factors.
    history_ : History
        Log-likelihood before every pass of EM.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.decomposition import ProbabilisticPCA
    >>> X = np.array([[2.0, 0], [-2, 0], [0, 2], [0, -2], [3, 3], [-3, -3]])
    >>> model = ProbabilisticPCA(1).fit(X)
    >>> round(model.noise_variance_, 6), model.loadings_.ravel().round(6)
    (1.333333, array([1.732051, 1.732051]))
    >>> model.impute([[3.0, np.nan]]).round(4)
    array([[3.    , 2.0769]])
    """

    _squares_columns = True
    _domains: dict[str, Domain] = {
        "n_components": Int(0) | Choice("mle", "bic") | Null(),
        "method": Choice("auto", "closed_form", "em"),
        "max_iter": Int(1),
        "tol": Real(0),
    }
    _reports_passes = True
    components_: np.ndarray
    loadings_: np.ndarray
    explained_variance_: np.ndarray
    explained_variance_ratio_: np.ndarray
    noise_variance_: float
    mean_: np.ndarray
    n_components_: int
    n_iter_: int
    log_likelihood_: float
    log_evidence_: np.ndarray
    bic_: np.ndarray
    history_: History

    def __init__(
        self,
        n_components: int | Literal["mle", "bic"] | None = None,
        *,
        method: Literal["auto", "closed_form", "em"] = "auto",
        max_iter: int = 2000,
        tol: float = 1e-8,
    ) -> None:
        self.n_components = n_components
        self.method = method
        self.max_iter = max_iter
        self.tol = tol

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
        missing = latent.any_missing(source)
        if missing and (self.method == "closed_form" or self.n_components == "mle"):
            what = "method='closed_form'" if self.method == "closed_form" else "n_components='mle'"
            raise DataError(
                f"ProbabilisticPCA({what}) needs complete rows, and X has missing cells; use method='em' with a number of"
                f" components or 'bic'."
            )
        for name in ("log_evidence_", "bic_"):
            self.__dict__.pop(name, None)
        tries = source.n_features if self.n_components == "bic" and missing else 1
        options: dict[str, Any] = {"X": X, "sample_weight": sample_weight, "n_runs": tries}
        with reporting(
            self, self.max_iter, attributes=partial(turned_attributes, dtype=source.dtype), **options
        ) as report:
            if missing:
                self._fit_missing(source, report)
            else:
                self._fit_complete(source, report)
        return self

    def _check_components(self, n: int, p: int) -> None:
        most = min(n, p)
        if not isinstance(self.n_components, str) and self.n_components is not None and self.n_components > most:
            raise ParameterError(
                f"n_components={self.n_components} must be between 0 and min(n_samples, n_features)={most} in ProbabilisticPCA."
            )

    def _fit_complete(self, source: Source, report: Any) -> None:
        """Fit by (14), or by EM if requested."""
        p = source.n_features
        _, found = exact(source, p if source.n_rows is None else min(source.n_rows, p))
        values = np.zeros(p)
        values[: len(found.singular)] = found.singular**2 / found.weight
        self._check_components(int(np.ceil(found.weight)), p)
        if values[0] > 0:
            self.bic_ = bic(values, found.weight)
            if p > 1:
                self.log_evidence_ = log_evidence(values, found.weight)
        q = self._chosen(p, found.weight)
        found = fill_axes(found, q)
        floor = latent.LEAST_NOISE * max(values.mean(), np.finfo(float).tiny)
        noise = max(float(values[q:].mean()) if q < p else 0.0, floor)
        loadings = found.vectors[:q].T * np.sqrt(np.maximum(values[:q] - noise, 0.0))
        params = Factors(found.mean, np.ascontiguousarray(loadings), np.full(p, noise))
        if self.method != "em":
            fitted = np.full(p, noise)  # eigenvalues of the fitted covariance; (15) where the noise is above its floor
            fitted[:q] = np.maximum(values[:q], noise)
            likelihood = -found.weight / 2 * float(np.sum(np.log(2 * np.pi * fitted) + values / fitted))
            vars(self).update(factor_attributes(params, found.vectors[:q], source.dtype))
            self._keep_course(likelihood, None)
            return
        mean, variance, total = latent.column_moments(source, "ProbabilisticPCA")
        self._em(source, q, mean, variance, total.weight, report)

    def _fit_missing(self, source: Source, report: Any) -> None:
        """Fit by EM."""
        p = source.n_features
        mean, variance, total = latent.column_moments(source, "ProbabilisticPCA")
        self._check_components(int(np.ceil(total.weight)), p)
        if self.n_components != "bic":
            self._em(source, self._chosen(p, total.weight), mean, variance, total.weight, report)
            return
        best, least = {}, np.inf
        for q in range(min(p, int(np.ceil(total.weight)))):
            with report.run() if p > 1 else nullcontext(report) as passes:
                self._em(source, q, mean, variance, total.weight, passes)
            criterion = -2 * self.log_likelihood_ + float(free_parameters(p, np.array(q))) * np.log(total.weight)
            if criterion < least:
                best, least = dict(self.__dict__), criterion
        self.__dict__.update(best)

    def _chosen(self, p: int, weight: float) -> int:
        """Return the number of factors."""
        if self.n_components == "mle":
            return int(np.argmax(self.log_evidence_)) + 1 if p > 1 and hasattr(self, "log_evidence_") else 1
        if self.n_components == "bic":
            return int(np.argmin(self.bic_)) if hasattr(self, "bic_") else 0
        return max(1, min(p, int(np.ceil(weight))) - 1) if self.n_components is None else self.n_components

    def _em(self, source: Source, q: int, mean: Any, variance: Any, weight: float, report: Any) -> None:
        """Fit q factors by EM from the start that the pairwise observed cells give."""
        begin = latent.start(source, q, mean, variance)
        floor = np.full(len(mean), latent.LEAST_NOISE * max(float(variance.mean()), np.finfo(float).tiny))
        found = fold(
            begin,
            latent.factor_sums,
            partial(latent.maximize, spherical=True, floor=floor),
            source,
            objective=lambda sums: sums.likelihood,
            converged=lambda _a, _b, f: len(f) > 1 and f[-1] - f[-2] <= self.tol * weight,
            max_iter=self.max_iter,
            report=report,
        )
        if not found.converged:
            warn(
                f"ProbabilisticPCA: the likelihood still rose after max_iter={self.max_iter} passes; raise max_iter or tol.",
                NotConverged,
            )
        likelihood = source.total(latent.factor_sums, found.params).likelihood
        vars(self).update(turned_attributes(found.params, source.dtype))
        self._keep_course(likelihood, found)

    def _keep_course(self, likelihood: float, em: Fit | None) -> None:
        """Store what the fit came to beside its parameters."""
        self.log_likelihood_ = likelihood
        self.n_iter_ = 1 if em is None else em.n_iter
        self.history_ = History([] if em is None else em.history, name="log-likelihood")

    def aic(self, X: Rows) -> float:
        """Return Akaike's criterion, -2 log-likelihood + 2 parameters, for rows X in memory; lower is better."""
        p, q = self.loadings_.shape
        return -2 * float(self.score_samples(X).sum()) + 2 * float(free_parameters(p, np.array(q)))

    def bic(self, X: Rows) -> float:
        """Return Schwarz's criterion (12) of the fitted model for rows X in memory; lower is better."""
        scores = self.score_samples(X)
        p, q = self.loadings_.shape
        return -2 * float(scores.sum()) + float(free_parameters(p, np.array(q))) * float(np.log(len(scores)))

    def _picture_of_model(self, ax: Any) -> Any:
        """Draw the share of the variance of every component and of the first k together; return the axes."""
        return plot_spectrum(self.explained_variance_ratio_, ax)
