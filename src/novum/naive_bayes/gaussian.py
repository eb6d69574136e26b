r"""Gaussian naive Bayes: within a class every attribute is normal, independently of the others.

    p(x, c) = pi_c prod_j N(x_j | mu_cj, v_cj)                                                     (1)
    log p(x, c) = log pi_c - 1/2 sum_j log(2 pi v_cj) - 1/2 sum_j (x_j - mu_cj)^2 / v_cj           (2)

Maximum likelihood needs, about a shift s_c near the class mean, the sums over the rows of each class of

    w,   w (x - s_c),   w (x - s_c)^2                                                              (3)
    mu = s + first/mass,   v = second/mass - (first/mass)^2 + epsilon                              (4)

with epsilon a fraction of the largest variance of an attribute over all classes. Sets of moments merge exactly:

    v = (n v1 + m v2)/(n+m) + n m (mu1 - mu2)^2/(n+m)^2                                            (5)

so `partial_fit` in any portions equals one `fit`. Derivation: docs/theory/gaussian_naive_bayes.md.
"""

from typing import Any, NamedTuple, Self

import numpy as np

from novum import _core
from novum.base.candidacy import Candidacy
from novum.base.classes import labels_of
from novum.base.domains import ArrayLike, Domain, Null, Real
from novum.base.estimator import Estimator, fits
from novum.base.generative import BayesRule, checked_priors
from novum.engines.moments import device_products
from novum.exceptions import ParameterError
from novum.fold.blocks import Block, Source
from novum.report.axes import drawing_axes
from novum.report.plots import draw_ellipses
from novum.runtime import arrays
from novum.runtime.typing import Numbers, Rows, RowWeights, Target

__all__ = ["GaussianNB"]

FAR_SHIFT = 1e4  # squared distance of shift and class mean, in variances, beyond which (4) would lose four digits
MOST_OFF_CENTER = (
    1e6  # squared distance of class means in deviations up to which a square may be multiplied out: ten digits stay
)
PILOT_ROWS = 1024  # rows on a device that say where the means are
MOST_SQUARES = 64  # columns up to which all their products on a device cost no more than reading them


class GaussianSums(NamedTuple):
    """The sums (3)."""

    mass: np.ndarray  # (k,)
    first: np.ndarray  # (k, d)
    second: np.ndarray  # (k, d)


class Moments(NamedTuple):
    """Mass, mean and variance (without epsilon) of every class."""

    mass: np.ndarray  # (k,)
    mean: np.ndarray  # (k, d)
    variance: np.ndarray  # (k, d)


class Density(NamedTuple):
    """The parameters of (2), ready for the kernel."""

    mean: np.ndarray  # (k, d)
    precision: np.ndarray  # (k, d)
    constant: np.ndarray  # (k,): log pi - 1/2 sum log(2 pi v)


def class_sums(shift: np.ndarray, block: Block) -> GaussianSums:
    """Return (3) for one block."""
    k, d = shift.shape
    if not isinstance(block.X, np.ndarray):
        if d <= MOST_SQUARES and device_products.takes(block.X, 0):
            mass, first, second = device_products.class_products(block.X, block.y, block.weight, shift)
            return GaussianSums(mass, first, np.diagonal(second, axis1=1, axis2=2).copy())
        member = arrays.one_hot(block.X, block.y, k)  # (rows, k)
        weighted = member if block.weight is None else member * block.weight[:, None]
        offset = arrays.double(block.X) - member @ arrays.like(block.X, shift, "float64")
        parts = (weighted.sum(0), weighted.T @ offset, weighted.T @ (offset * offset))
        return GaussianSums(*map(arrays.to_numpy, parts))
    sums = GaussianSums(np.zeros(k), np.zeros((k, d)), np.zeros((k, d)))
    _core.moments.diagonal.class_moments(block.X, np.ascontiguousarray(block.y), block.weight, shift, *sums)
    return sums


def about(shift: np.ndarray, sums: GaussianSums) -> Moments:
    """Return (4), without epsilon; a class that did not occur keeps its shift as mean."""
    mass = np.where(sums.mass > 0, sums.mass, 1.0)[:, None]
    offset = sums.first / mass
    return Moments(sums.mass, shift + offset, np.maximum(sums.second / mass - offset**2, 0.0))


def class_moments(source: Source, k: int) -> Moments:
    """Return the moments of every class: one pass about the means of the first block, a second if they were far off."""
    start = np.zeros((k, source.n_features))
    block = source.first()
    if source.on_device:  # some of the rows are near the means too, and spare a pass
        some = slice(None, None, max(1, block.rows // PILOT_ROWS))
        block = Block(block.X[some], block.y[some], None if block.weight is None else block.weight[some])
    everything = arrays.row_mean(block.X, block.weight)
    pilot = about(start + everything, class_sums(start + everything, block))
    sums = source.total(class_sums, pilot.mean)
    moments = about(pilot.mean, sums)
    with np.errstate(over="ignore"):  # numbers near the largest: both sides infinite, and nothing is far
        far = (moments.mean - pilot.mean) ** 2 > FAR_SHIFT * moments.variance
    if (far & (moments.variance > 0)).any():
        moments = about(moments.mean, source.total(class_sums, moments.mean))
    return moments


def merge_moments(a: Moments, b: Moments) -> Moments:
    """Return (5)."""
    mass = a.mass + b.mass
    share = np.divide(b.mass, mass, out=np.zeros_like(mass), where=mass > 0)[:, None]
    gap = b.mean - a.mean
    mean = np.where(a.mass[:, None] > 0, a.mean + share * gap, b.mean)
    between = np.where((a.mass > 0)[:, None] & (b.mass > 0)[:, None], share * (1 - share) * gap**2, 0.0)
    return Moments(mass, mean, (1 - share) * a.variance + share * b.variance + between)


def total_variance(m: Moments) -> np.ndarray:
    """Return the variance of every attribute over all classes together."""
    share = (m.mass / m.mass.sum())[:, None]
    mean = (share * m.mean).sum(axis=0)
    return (share * (m.variance + (m.mean - mean) ** 2)).sum(axis=0)


def tensor_joint_log(density: Density, X: Any) -> Any:
    """Return (2) of a tensor: the square multiplied out about the mean of the means, in float64, where that keeps ten digits."""
    center = density.mean.mean(axis=0)
    gap = density.mean - center
    if (gap**2 * density.precision).max(initial=0.0) > MOST_OFF_CENTER:
        mean, precision = arrays.like(X, density.mean, "float64"), arrays.like(X, density.precision, "float64")
        squared = [(((arrays.double(X) - mean[c]) ** 2) @ precision[c])[:, None] for c in range(len(mean))]
        found = arrays.like(X, density.constant, "float64") - 0.5 * arrays.concat(squared)
    else:
        z = arrays.center(X, center)
        linear = density.constant - 0.5 * (gap**2 * density.precision).sum(axis=1)
        found = arrays.like(X, linear, "float64") + z @ arrays.like(X, (density.precision * gap).T, "float64")
        found -= 0.5 * (z * z) @ arrays.like(X, np.ascontiguousarray(density.precision.T), "float64")
    return found.to(X.dtype)


def joint_log(density: Density, block: Block) -> Any:
    """Return (2) for every row and class."""
    X = block.X
    if not isinstance(X, np.ndarray):
        return tensor_joint_log(density, X)
    out = np.empty((len(X), len(density.constant)), X.dtype)
    _core.moments.diagonal.diagonal_log_density(
        X, density.mean.astype(X.dtype), density.precision.astype(X.dtype), density.constant, out
    )
    return out


class GaussianNB(BayesRule, Estimator):
    """Gaussian naive Bayes.

    Parameters
    ----------
    priors : array-like of shape (n_classes,), default=None
        Probabilities of the classes; None takes their shares of the data.
    var_smoothing : float, default=1e-9
        Fraction of the largest variance of an attribute that is added to every variance.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    class_count_, class_prior_ : array of shape (n_classes,)
    theta_, var_ : array of shape (n_classes, n_features)
        Mean and variance of every attribute in every class.
    epsilon_ : float
        What was added to the variances.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.naive_bayes import GaussianNB
    >>> X = np.array([[-1.0, -1], [-2, -1], [-3, -2], [1, 1], [2, 1], [3, 2]])
    >>> model = GaussianNB().fit(X, [1, 1, 1, 2, 2, 2])
    >>> model.predict([[-0.8, -1]])
    array([1])
    """

    _squares_columns = True
    _rows_need_blas = False
    _candidacy = Candidacy(rank=2, search=({"var_smoothing": 0.01}, {"var_smoothing": 0.1}))
    _domains: dict[str, Domain] = {"priors": ArrayLike() | Null(), "var_smoothing": Real(0)}
    _takes_gaps = False
    class_count_: np.ndarray
    class_prior_: np.ndarray
    theta_: np.ndarray
    var_: np.ndarray
    epsilon_: float

    def __init__(self, *, priors: Numbers | None = None, var_smoothing: float = 1e-9) -> None:
        self.priors = priors
        self.var_smoothing = var_smoothing

    def _picture_of_model(self, ax: Any) -> Any:
        """Draw the density of every class: a curve of one column, ellipses of more; return the axes."""
        ax = drawing_axes(ax)
        covariances = np.asarray(self.var_, np.float64)[:, :, None] * np.eye(self.n_features_in_)
        prior = np.asarray(self.class_prior_, np.float64)
        draw_ellipses(
            self,
            rows=None,
            means=np.asarray(self.theta_, np.float64),
            covariances=covariances,
            weights=prior,
            labels=None,
            ax=ax,
            names=self.classes_,
        )
        return ax

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Fit from scratch.

        Parameters
        ----------
        X : array-like, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            None for a scan, which brings its target.
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts; zero leaves it out.
        """
        source = self._source(X, y, sample_weight, target="classes")
        self.classes_, coded = labels_of(source)
        return self._learn(class_moments(coded, len(self.classes_)), source)

    @fits
    def partial_fit(
        self, X: Rows, y: Target = None, classes: Numbers | None = None, sample_weight: RowWeights = None
    ) -> Self:
        """Learn from one more portion; the result is that of `fit` on all portions together.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.
        classes : array-like of shape (n_classes,)
            All labels that can ever occur; needed at the first call.
        """
        first = not hasattr(self, "_moments_mass")
        if first and classes is None:
            raise ParameterError(
                "classes must be passed on the first call to partial_fit. Give every label that can occur."
            )
        known = np.unique(np.asarray(classes)) if classes is not None else self.classes_
        if not first and classes is not None and not np.array_equal(known, self.classes_):
            raise ParameterError(
                f"`classes={classes!r}` is not the same as on last call to partial_fit, was: {self.classes_!r}."
                f" GaussianNB learns a fixed set of classes; name them all at the first call."
            )
        source = self._source(X, y, sample_weight, target="classes", reset=first)
        self.classes_, coded = labels_of(source, known)
        moments = class_moments(coded, len(known))
        if not first:
            moments = merge_moments(Moments(self._moments_mass, self._moments_mean, self._moments_variance), moments)
        return self._learn(moments, source)

    def _learn(self, moments: Moments, source: Source) -> Self:
        """Turn moments into fitted attributes."""
        dtype = source.dtype
        self._moments_mass, self._moments_mean, self._moments_variance = moments
        self.epsilon_ = float(self.var_smoothing * total_variance(moments).max())
        self.theta_ = moments.mean.astype(dtype)
        self.var_ = (moments.variance + self.epsilon_).astype(dtype)
        self.class_count_ = moments.mass.astype(dtype)
        prior = (
            moments.mass / moments.mass.sum()
            if self.priors is None
            else checked_priors("GaussianNB", self.priors, len(moments.mass))
        )
        self.class_prior_ = prior.astype(dtype)
        return self

    def _density(self) -> Density:
        """Return the parameters of (2)."""
        floor = 4 * float(
            np.finfo(self.theta_.dtype).tiny
        )  # a constant attribute has no variance: keep its inverse finite
        variance = np.maximum(self.var_.astype(np.float64), floor)
        with np.errstate(divide="ignore"):  # a class of prior zero
            log_prior = np.log(self.class_prior_.astype(np.float64))
        return Density(
            self.theta_.astype(np.float64), 1 / variance, log_prior - 0.5 * np.log(2 * np.pi * variance).sum(axis=1)
        )

    def _joint(self) -> Any:
        return joint_log, self._density()

    def parameter_count(self) -> int:
        """Return the number of free parameters: class priors, and a mean and a variance per class and feature."""
        k, d = self.theta_.shape
        return k - 1 + 2 * k * d
