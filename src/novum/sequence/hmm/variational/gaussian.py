r"""Variational hidden Markov model with Gaussian emissions.

    beta = beta0 + N,   mean = (beta0 m0 + N xbar) / beta,   v = v0 + N
    S = S0 + sum of w gamma (x - mean)(x - mean)' + beta0 (mean - m0)(mean - m0)'                   (26)

for matrices; variances are the same in one dimension, feature by feature ("diag") or, with v = v0 + d N and the sum over the
features, together ("spherical"). "tied" has one v and S for all states.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.base.domains import ArrayLike, Choice, Domain, Null, Real
from novum.base.parameters import stores
from novum.engines.gaussians.covariance import covariance_parameters, dense, shape_of
from novum.exceptions import ParameterError
from novum.sequence.hmm.base import Letters
from novum.sequence.hmm.bundles import Bundle
from novum.sequence.hmm.emissions.gaussian import FORMS, Gaussian, GaussianSums, spread_covariance
from novum.sequence.hmm.gaussian import GaussianHMM
from novum.sequence.hmm.starts import clustered_rows, column_spread
from novum.sequence.hmm.variational.base import VARIATIONAL_DOMAINS, VariationalBase
from novum.sequence.hmm.variational.conjugate import expected_log_det, kl_means, kl_wishart

__all__ = ["VariationalGaussianHMM"]

START_SCALE = 1e-3  # of the prior, and added to the covariance of the start, as in hmmlearn


class NormalWishart(NamedTuple):
    """Posterior or prior of the emissions."""

    mean: NDArray  # (k, d)
    beta: NDArray  # (k,)
    degrees: NDArray  # (k,), tied ()
    scale: NDArray  # as covariances of the form


def covariance_of(form: str, law: NormalWishart) -> NDArray:
    """Return S / v."""
    degrees = np.asarray(law.degrees, np.float64)
    return law.scale / degrees.reshape(degrees.shape + (1,) * (law.scale.ndim - degrees.ndim))


def log_det_scale(form: str, scale: NDArray, d: int) -> NDArray:
    """Return log |S| as E log |L| needs it: of matrices; of every feature; of a variance."""
    return np.linalg.slogdet(scale)[1] if form in ("full", "tied") else np.log(scale)


def expected_emission(form: str, law: NormalWishart) -> Gaussian:
    """Return (22)."""
    k, d = law.mean.shape
    covars = covariance_of(form, law)
    logs = log_det_scale(form, law.scale, d)
    if form in ("full", "tied"):
        whole = expected_log_det(law.degrees, logs, d)
        precision = d * np.log(law.degrees) - logs
    elif form == "diag":
        whole = expected_log_det(law.degrees[:, None], logs, 1).sum(axis=1)
        precision = (np.log(law.degrees)[:, None] - logs).sum(axis=1)
    else:
        whole, precision = d * expected_log_det(law.degrees, logs, 1), d * (np.log(law.degrees) - logs)
    excess = np.broadcast_to(0.5 * (whole - precision), (k,)) - 0.5 * d / law.beta
    return Gaussian(form, law.mean, covars, np.ascontiguousarray(excess))


def updated(form: str, law: NormalWishart, prior: NormalWishart, sums: GaussianSums, params: str) -> NormalWishart:
    """Return (26) of the parts that `params` names: m means, c covariances."""
    d = law.mean.shape[1]
    mass = sums.mass
    beta, mean = law.beta, law.mean
    if "m" in params:
        beta = prior.beta + mass
        mean = (prior.beta[:, None] * prior.mean + mass[:, None] * law.mean + sums.first) / beta[:, None]
    if "c" not in params:
        return NormalWishart(mean, beta, law.degrees, law.scale)
    step, gap = mean - law.mean, mean - prior.mean
    if form in ("diag", "spherical"):
        square = sums.second - 2 * step * sums.first + mass[:, None] * step**2 + prior.beta[:, None] * gap**2
        if form == "diag":
            return NormalWishart(mean, beta, prior.degrees + mass, prior.scale + np.maximum(square, 0))
        return NormalWishart(mean, beta, prior.degrees + d * mass, prior.scale + np.maximum(square, 0).sum(axis=1))
    cross = sums.first[:, :, None] * step[:, None, :]
    moved = mass[:, None, None] * step[:, :, None] * step[:, None, :] - cross - np.swapaxes(cross, 1, 2)
    moved = moved + prior.beta[:, None, None] * gap[:, :, None] * gap[:, None, :]
    if form == "tied":
        scale = prior.scale + sums.second + moved.sum(axis=0)
        return NormalWishart(mean, beta, prior.degrees + mass.sum(), (scale + scale.T) / 2)
    scale = prior.scale + sums.second + moved
    return NormalWishart(mean, beta, prior.degrees + mass, (scale + np.swapaxes(scale, 1, 2)) / 2)


def divergence(form: str, law: NormalWishart, prior: NormalWishart) -> float:
    """Return KL of a posterior from its prior."""
    k, d = law.mean.shape
    gap = law.mean - prior.mean
    inverse = np.linalg.inv(dense(form, covariance_of(form, law), k, d))
    square = np.einsum("ki,kij,kj->k", gap, inverse, gap)
    found = kl_means(law.beta, prior.beta, square, d)
    logs, logs0 = log_det_scale(form, law.scale, d), log_det_scale(form, prior.scale, d)
    degrees, degrees0 = np.asarray(law.degrees), np.asarray(prior.degrees)
    if form in ("full", "tied"):
        trace = np.trace(np.linalg.solve(law.scale, prior.scale), axis1=-2, axis2=-1)
        return found + kl_wishart(degrees, logs, degrees0, logs0, trace, d)
    if form == "diag":
        degrees, degrees0 = degrees[:, None], degrees0[:, None]
    return found + kl_wishart(degrees, logs, degrees0, logs0, prior.scale / law.scale, 1)


class VariationalGaussianHMM(VariationalBase, GaussianHMM):
    """Hidden Markov model with Gaussian emissions and posteriors for all its parameters; states that are not needed fade.

    Parameters
    ----------
    n_components : int, default=1
        States, at most.
    covariance_type : {"spherical", "diag", "full", "tied"}, default="full"
        A variance per state; a variance per state and feature; a matrix per state; one matrix for all states.
    startprob_prior, transmat_prior : float or None, default=None
        Parameters of the Dirichlet priors; None is 1/n_components.
    means_prior : array-like of shape (n_components, n_features) or None, default=None
        None is the mean of the rows.
    beta_prior : array-like of shape (n_components,) or None, default=None
        Weight of the prior of the means, in rows; None is 1.
    dof_prior : array-like of shape (n_components,), float for "tied", or None, default=None
        Degrees of freedom of the prior of the precisions; None is the number of features.
    scale_prior : array-like in the shape of the covariances, or None, default=None
        Scale of the prior of the precisions; None is 1e-3 on the diagonal.
    algorithm : {"viterbi", "map"}, default="viterbi"
        What `predict` and `decode` return: the most probable path, or the most probable state of every row.
    random_state : int, numpy Generator, RandomState, SeedSequence or None, default=None
    n_iter : int, default=200
        Most passes; 0 keeps the start.
    tol : float, default=1e-6
        Stop when a pass raises the bound by less.
    verbose : bool or int, default=False
        Whether to log every pass, to the logger "novum".
    params, init_params : str, default="stmc"
        Parts that are learned, and parts that are started afresh: s startprob, t transmat, m means, c covariances.
    [implementation]
    n_init : int, default=10
        Starts to try; the one with the largest bound after 20 passes goes on.
    n_jobs : int or None, default=None
        Threads over bundles of sequences.

    Attributes
    ----------
    startprob_prior_, startprob_posterior_, transmat_prior_, transmat_posterior_ : array
        Dirichlet parameters of the chain.
    means_prior_, means_posterior_ : array of shape (n_components, n_features)
    beta_prior_, beta_posterior_ : array of shape (n_components,)
    dof_prior_, dof_posterior_ : array of shape (n_components,), or a number if "tied"
    scale_prior_, scale_posterior_ : array
        In the shape of the covariances.
    startprob_, transmat_, means_, covars_ : array
        What all answers use: means of the posteriors, and scale over degrees of freedom.
    [learned]

    [order of states]

    Examples
    --------
    >>> import numpy as np
    >>> from novum.sequence import VariationalGaussianHMM
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(0, 1, 80), rng.normal(6, 1, 80)])
    >>> model = VariationalGaussianHMM(3, random_state=0).fit(X)
    >>> np.bincount(model.predict(X), minlength=3)
    array([80, 80,  0])
    """

    _letters = {}
    _parts = {
        "m": ("means_prior_", "means_posterior_", "beta_prior_", "beta_posterior_"),
        "c": ("dof_prior_", "dof_posterior_", "scale_prior_", "scale_posterior_"),
    }
    _domains: dict[str, Domain] = {
        **VARIATIONAL_DOMAINS,
        "covariance_type": Choice(*FORMS),
        "means_prior": ArrayLike() | Null(),
        "beta_prior": ArrayLike() | Null(),
        "dof_prior": ArrayLike() | Real(0, open="low") | Null(),
        "scale_prior": ArrayLike() | Null(),
        "params": Letters("stmc"),
        "init_params": Letters("stmc"),
    }

    @stores
    def __init__(
        self, n_components: int = 1, covariance_type: str = "full", startprob_prior: float | None = None,
        transmat_prior: float | None = None, means_prior: Any = None, beta_prior: Any = None, dof_prior: Any = None,
        scale_prior: Any = None, algorithm: str = "viterbi", random_state: Any = None, n_iter: int = 200,
        tol: float = 1e-6, verbose: bool = False, params: str = "stmc", init_params: str = "stmc",
        implementation: str = "log", *, n_init: int = 10, n_jobs: int | None = None
    ) -> None: ...  # fmt: skip

    @property
    def means_(self) -> NDArray:
        """Means of the posterior."""
        if "means_posterior_" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__} has no means_ before fit.")
        return np.asarray(self.means_posterior_, np.float64)

    @means_.setter
    def means_(self, value: Any) -> None:
        self.means_posterior_ = np.asarray(value, np.float64)

    def _check(self) -> None:
        if self.covariance_type not in FORMS:
            raise ParameterError(
                f"{type(self).__name__}: covariance_type must be one of {FORMS}; got {self.covariance_type!r}."
            )
        super()._check()

    def _prepare(self, source: Any) -> None: ...

    def _start_emission(self, bundle: Bundle, rng: Any, letter: str, run: int) -> None:
        k, form = self.n_components, self.covariance_type
        rows = self._sample_rows(bundle)
        d = rows.shape[1]
        centers, which = clustered_rows(rows, k, rng, run)
        counts = np.maximum(np.bincount(which, minlength=k) * (len(bundle.X) / len(rows)), 1.0)
        if letter == "m":
            given = self.means_prior
            self.means_prior_ = np.tile(rows.mean(axis=0), (k, 1)) if given is None else np.asarray(given, np.float64)
            self.beta_prior_ = np.ones(k) if self.beta_prior is None else np.asarray(self.beta_prior, np.float64)
            self.means_posterior_, self.beta_posterior_ = centers, counts
            return
        tied = form == "tied"
        if self.dof_prior is None:
            self.dof_prior_ = float(d) if tied else np.full(k, float(d))
        else:
            self.dof_prior_ = self.dof_prior
        self.dof_posterior_ = float(counts.sum()) if tied else np.maximum(counts, d) * (d if form == "spherical" else 1)
        eye = START_SCALE * np.eye(d)
        self.scale_prior_ = (
            spread_covariance(form, eye, k) if self.scale_prior is None else np.asarray(self.scale_prior, np.float64)
        )
        covars = spread_covariance(form, column_spread(rows)[1] + eye, k)
        law = NormalWishart(centers, counts, np.asarray(self.dof_posterior_), covars)
        self.scale_posterior_ = covars * (covars / covariance_of(form, law))

    def _check_posteriors(self) -> None:
        super()._check_posteriors()
        owner, k, form = type(self).__name__, self.n_components, self.covariance_type
        d = self.n_features_in_
        shapes: dict[str, tuple[int, ...]] = dict.fromkeys(("means_prior_", "means_posterior_"), (k, d))
        for name, shape in shapes.items():
            values = np.asarray(getattr(self, name), np.float64)
            if values.shape != shape:
                raise ParameterError(f"{owner}: {name} must have shape {shape}; got {values.shape}.")
            setattr(self, name, values)
        degrees = () if form == "tied" else (k,)
        for part in ("prior_", "posterior_"):
            self._set_positive(f"beta_{part}", (k,))
            self._set_positive(f"dof_{part}", degrees)
            scale = np.asarray(getattr(self, f"scale_{part}"), np.float64)
            if scale.shape != shape_of(form, k, d):
                raise ParameterError(
                    f"{owner}: scale_{part} must have shape {shape_of(form, k, d)}, found {scale.shape}."
                )
            setattr(self, f"scale_{part}", scale)

    def _law(self, part: str) -> NormalWishart:
        names = ("means", "beta", "dof", "scale")
        return NormalWishart(*(np.asarray(getattr(self, f"{name}_{part}_"), np.float64) for name in names))

    def _posterior(self) -> NormalWishart:
        return self._law("posterior")

    def _expected_emission(self, posterior: NormalWishart) -> Gaussian:
        return expected_emission(self.covariance_type, posterior)

    def _update(self, posterior: NormalWishart, sums: GaussianSums) -> NormalWishart:
        return updated(self.covariance_type, posterior, self._law("prior"), sums, self.params)

    def _divergence(self, posterior: NormalWishart) -> float:
        return divergence(self.covariance_type, posterior, self._law("prior"))

    def _learned_posterior(self, posterior: NormalWishart, order: NDArray | None) -> dict[str, Any]:
        found = {}
        for part, law in (("prior", self._law("prior")), ("posterior", posterior)):
            for name, value in zip(("means", "beta", "dof", "scale"), law):
                shared = self.covariance_type == "tied" and name in ("dof", "scale")
                found[f"{name}_{part}_"] = value if order is None or shared else value[order]
        if self.covariance_type == "tied":
            found |= {name: float(found[name]) for name in ("dof_prior_", "dof_posterior_")}
        law = NormalWishart(*(np.asarray(found[f"{name}_posterior_"]) for name in ("means", "beta", "dof", "scale")))
        found["_covars_"] = covariance_of(self.covariance_type, law)
        return found

    def _emission(self) -> Gaussian:
        return Gaussian(self.covariance_type, self.means_, np.asarray(self._covars_, np.float64))

    def _collapsed(self, emission: Any) -> tuple[list[int], str]:
        return [], ""

    def _one_state_bic(self, source: Any) -> float | None:
        return None

    def _counts(self) -> dict[str, int]:
        k, d = self.n_components, self.n_features_in_
        return {"s": k - 1, "t": k * (k - 1), "m": k * d, "c": covariance_parameters(self.covariance_type, k, d)}
