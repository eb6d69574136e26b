r"""A metric learned from data: the linear map A under which rows of one kind lie close together.

    d(x, y)^2 = |A x - A y|^2 = (x - y)' M (x - y),   M = A'A                                      (1)

From classes (neighborhood components, Goldberger et al. 2005): row i picks j != i as its neighbor with probability p_ij, and A
makes it likely that both are of one class,

    p_ij = exp(-d_ij^2) / sum_{k != i} exp(-d_ik^2)                                                (2)
    minimize  -1/n sum_i sum_{j: y_j = y_i} p_ij + alpha/2 |A|^2                                   (3)

From pairs: those called similar should lie within a threshold b that is learned too, the others beyond,

    minimize  mean log(1 + exp(s (d^2 - b))) + alpha/2 |A|^2,   s = 1 if similar, -1 if not        (4)
"""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from novum.base import validation
from novum.base.classes import distinct
from novum.base.domains import Domain, Int, Null, Real
from novum.base.estimator import Estimator, fits
from novum.base.fitted import check_is_fitted
from novum.base.history import History
from novum.base.sklearn_base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from novum.exceptions import DataError, ParameterError
from novum.fold.blocks import Block
from novum.fold.homes.memory import ArrayTiles
from novum.neighbors.bandwidth import mean_deviation
from novum.neighbors.base import read_rows
from novum.optimize import lbfgs
from novum.runtime import arrays
from novum.runtime.typing import Numbers, Rows, Target

__all__ = ["MetricLearner"]


def components_loss(flat: NDArray, X: NDArray, same: NDArray, alpha: float) -> tuple[float, NDArray]:
    """Return (3) and its gradient; same (n, n): whether two rows are of one class."""
    n, d = X.shape
    A = flat.reshape(-1, d)
    Z = X @ A.T
    square = (Z**2).sum(1)
    logit = 2 * Z @ Z.T - square[:, None] - square[None]  # -d_ij^2
    np.fill_diagonal(logit, -np.inf)
    logit -= logit.max(1, keepdims=True)
    p = np.exp(logit)
    p /= p.sum(1, keepdims=True)
    right = np.where(same, p, 0.0)
    hit = right.sum(1)
    # The derivative of (3) by -d_ij^2 is -w_ij / n with w below; sums over pairs of x_ij x_ij' are a Laplacian of w.
    w = right - p * hit[:, None]
    w = w + w.T
    laplacian = (w.sum(1)[:, None] * X) - w @ X
    gradient = 2 / n * (A @ (X.T @ laplacian)) + alpha * A
    return float(-hit.mean() + alpha / 2 * (A**2).sum()), gradient.ravel()


def pairs_loss(flat: NDArray, difference: NDArray, sign: NDArray, alpha: float) -> tuple[float, NDArray]:
    """Return (4) and its gradient; the last entry is b."""
    A, threshold = flat[:-1].reshape(-1, difference.shape[1]), flat[-1]
    Z = difference @ A.T
    margin = sign * ((Z**2).sum(1) - threshold)
    slope = sign * expit(margin) / len(sign)
    gradient = 2 * (Z * slope[:, None]).T @ difference + alpha * A
    value = float(np.logaddexp(0, margin).mean() + alpha / 2 * (A**2).sum())
    return value, np.append(gradient.ravel(), -slope.sum())


def principal_start(X: NDArray, rows: int) -> NDArray:
    """Return the identity, or the leading principal directions if A has fewer rows than columns."""
    if rows == X.shape[1]:
        return np.eye(rows)
    return np.linalg.svd(X - X.mean(0), full_matrices=False)[2][:rows]


def map_block(A: NDArray, block: Block) -> Any:
    """Return A x for every row, in the dtype and home of the block."""
    X = arrays.to_numpy(block.X) if arrays.is_tensor(block.X) else block.X
    return (X.astype(np.float64, copy=False) @ A.T.astype(np.float64)).astype(X.dtype, copy=False)


class MetricLearner(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):
    """Mahalanobis metric learned from classes or from pairs; as a transformer, rows in which it is the Euclidean one.

    From classes every step compares all pairs of rows, so the cost grows with the square of their number: for more than a
    thousand or two, fit it on a sample and transform the rest.

    Parameters
    ----------
    n_components : int, default=None
        Rows of A, at most n_features; None takes n_features.
    alpha : float, default=1e-3
        Strength of the penalty on A, for rows scaled to unit variance.
    max_iter : int, default=200
        Most steps of L-BFGS.
    tol : float, default=1e-4
        Stop where no component of the gradient exceeds this.

    Attributes
    ----------
    components_ : array of shape (n_components, n_features)
        A of eq. (1).
    mahalanobis_ : array of shape (n_features, n_features)
        M of eq. (1): `KNeighborsClassifier(metric="mahalanobis", metric_params={"VI": mahalanobis_})`.
    threshold_ : float
        b of eq. (4), on squared distances; NaN if learned from classes.
    n_iter_ : int
    history_ : History
        The objective after every step.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.neighbors import MetricLearner
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 50)
    >>> X = np.column_stack([y + 0.1 * rng.normal(size=100), 10 * rng.normal(size=100)])  # the second column is noise
    >>> M = MetricLearner().fit(X, y).mahalanobis_
    >>> bool(M[0, 0] > 1000 * M[1, 1])
    True
    """

    _domains: dict[str, Domain] = {
        "n_components": Int(1) | Null(),
        "alpha": Real(0),
        "max_iter": Int(1),
        "tol": Real(0),
    }
    n_jobs = None
    components_: np.ndarray
    mahalanobis_: np.ndarray
    threshold_: float
    n_iter_: int
    history_: History

    def __init__(
        self, n_components: int | None = None, *, alpha: float = 1e-3, max_iter: int = 200, tol: float = 1e-4
    ) -> None:
        self.n_components = n_components
        self.alpha = alpha
        self.max_iter = max_iter
        self.tol = tol

    @fits
    def fit(
        self, X: Rows, y: Target = None, *, similar: Numbers | None = None, dissimilar: Numbers | None = None
    ) -> Self:
        """Learn A.

        Parameters
        ----------
        X : array-like, frame or scan of shape (n_samples, n_features)
            All pairs of rows are compared: some thousands of them at most.
        y : array-like of shape (n_samples,), default=None
            Classes. Left out if pairs are given.
        similar, dissimilar : array-like of shape (n_pairs, 2), default=None
            Numbers of rows that belong together, and of rows that do not.
        """
        paired = similar is not None or dissimilar is not None
        brings_classes = getattr(X, "has_target", False) and not paired  # a scan
        X, y = read_rows(self, X, y, target="classes" if y is not None or brings_classes else None)
        if y is None and not paired:
            raise DataError(
                "This MetricLearner estimator requires y to be passed, but the target y is None. Give classes, or pairs of rows as"
                " similar= and dissimilar=."
            )
        d = X.shape[1]
        k = d if self.n_components is None else int(self.n_components)
        if k > d:
            raise ParameterError(f"MetricLearner: n_components={k} exceeds the {d} columns of X; give at most {d}.")
        scale = mean_deviation(X, None)
        rows = (X.astype(np.float64) - X.mean(0, dtype=np.float64)) / scale
        start = principal_start(rows, k)
        if paired:
            difference, sign = self._pairs(rows, similar, dissimilar)
            begin = np.append(start.ravel(), np.median(((difference @ start.T) ** 2).sum(1)))
            found = lbfgs(
                lambda a: pairs_loss(a, difference, sign, self.alpha),
                begin,
                gradient=True,
                tol=self.tol,
                max_iter=self.max_iter,
            )
            A, self.threshold_ = found.x[:-1].reshape(k, d), float(found.x[-1])
        else:
            y = validation.check_target(self, ArrayTiles(X), y, "classes")
            if len(rows) < 2:
                raise DataError(f"MetricLearner compares rows: at least 2 are needed, got n_samples = {len(rows)}.")
            code = distinct(np.asarray(y))[1]
            same = code[:, None] == code[None]
            np.fill_diagonal(same, False)
            found = lbfgs(
                lambda a: components_loss(a, rows, same, self.alpha),
                start.ravel(),
                gradient=True,
                tol=self.tol,
                max_iter=self.max_iter,
            )
            A, self.threshold_ = found.x.reshape(k, d), float("nan")
        self.components_ = (A / scale).astype(X.dtype)
        self.mahalanobis_ = self.components_.T @ self.components_
        self.n_iter_, self.history_ = max(1, found.n_iter), History(found.history, name="loss")
        return self

    def _pairs(self, X: NDArray, similar: Any, dissimilar: Any) -> tuple[NDArray, NDArray]:
        """Return the differences of the pairs, and which sign each has in (4)."""
        lists = []
        for name, pairs in (("similar", similar), ("dissimilar", dissimilar)):
            pairs = np.zeros((0, 2), np.intp) if pairs is None else np.asarray(pairs)
            if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype.kind not in "iu":
                raise DataError(
                    f"MetricLearner: {name} must hold pairs of row numbers, shape (n_pairs, 2); got {pairs.shape}."
                )
            if pairs.size and (pairs.min() < 0 or pairs.max() >= len(X)):
                raise DataError(f"MetricLearner: {name} names rows outside 0 to {len(X) - 1}.")
            lists.append(pairs)
        if not len(lists[0]) or not len(lists[1]):
            raise DataError(
                "MetricLearner: both similar and dissimilar pairs are needed; either alone is met by a map to a point."
            )
        both = np.concatenate(lists)
        return X[both[:, 0]] - X[both[:, 1]], np.repeat([1.0, -1.0], [len(lists[0]), len(lists[1])])

    def transform(self, X: Rows) -> Any:
        """Return A x for every row."""
        check_is_fitted(self)
        return self._rows(X, map_block, self.components_)

    @property
    def _n_features_out(self) -> Any:
        return len(self.components_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
