r"""Stability selection: keep the features that are chosen again and again on halves of the rows.

A selection that takes q features is run on B pairs of complementary halves of the rows (Shah, Samworth 2013). The share of the 2B
halves that chose feature j estimates its probability of being chosen; kept are those with

    P^_j = #(halves that chose j) / 2B  >=  threshold                                              (1)

and, where features without an effect are exchangeable and the choice is no worse than guessing, at most

    E[false features] <= q^2 / ((2 threshold - 1) p)                (Meinshausen, Buehlmann 2010)  (2)

of p features are kept falsely. Unless a number q is given it is the largest whose bound (2) does not exceed `max_false`.
"""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier

from novum.base.domains import Domain, Int, Methods, Null, RandomState, Real
from novum.base.estimator import fits
from novum.exceptions import DataError
from novum.fold.gathering import all_rows
from novum.linear_model.penalized.paths import lasso_path
from novum.preprocessing.dependent import ColumnSelector
from novum.report.axes import drawing_axes
from novum.report.legends import draw_legend
from novum.report.style import series, shade
from novum.runtime.random import Stream, seed_of
from novum.runtime.typing import Fittable, Rows, Seed, Target

__all__ = ["StabilitySelection"]

PATH = 30  # penalties of the lasso path along which features enter
SMALLEST = 0.02  # of the first penalty that matters: what enters later is noise
ITERATIONS = 20_000  # correlated columns of few rows are slow


def excess(threshold: float) -> float:
    """Return 2 threshold - 1 without the rounding error that would cost a feature where the root below is whole."""
    return round(2 * threshold - 1, 12)


def false_bound(q: float, threshold: float, p: int) -> float:
    """Return (2)."""
    return q * q / (excess(threshold) * p)


def most_selected(max_false: float, threshold: float, p: int) -> int:
    """Return the largest q whose bound (2) does not exceed `max_false`, at least one."""
    return max(1, int(np.sqrt(max_false * excess(threshold) * p) + 1e-9))


def entries(X: NDArray, y: NDArray, q: int) -> NDArray:
    """Return the q features that enter the lasso path first, columns centred and scaled."""
    scale = X.std(0)
    Z = (X - X.mean(0)) / np.where(scale > 0, scale, 1.0)
    r = y - y.mean(0)
    if not r.any() or not Z.any():
        return np.arange(0)
    _, weights, _ = lasso_path(Z, r, alphas=PATH, eps=SMALLEST, max_iter=ITERATIONS)
    active = weights != 0  # (p, alphas)
    first = np.where(active.any(1), active.argmax(1), PATH)
    size = np.abs(weights).max(1)
    order = np.lexsort((-size, first))[:q]
    return order[first[order] < PATH]


def importances(model: Any, p: int) -> NDArray:
    """Return how much a fitted model uses each feature."""
    for name in ("coef_", "feature_importances_"):
        if hasattr(model, name):
            values = np.abs(np.atleast_2d(np.asarray(getattr(model, name), dtype=np.float64)))
            return values.reshape(-1, p).max(0)
    raise DataError(
        f"StabilitySelection: {type(model).__name__} has neither coef_ nor feature_importances_; pass one that has."
    )


class StabilitySelection(ColumnSelector):
    """Keep the features that a selection chooses on most halves of the rows.

    Parameters
    ----------
    estimator : estimator, default=None
        Features are chosen by its `coef_` or `feature_importances_`: the largest `n_selected`, without zeros. None takes the
        features that enter the lasso path first; y must then be numbers.
    threshold : float, default=0.7
        Share of the halves that must choose a feature for it to be kept, above one half.
    n_selected : int, default=None
        q, features chosen on a half; None takes the most that `max_false` allows.
    max_false : float, default=1.0
        Bound on the expected number of features kept falsely.
    n_pairs : int, default=50
        B, pairs of complementary halves.
    random_state : int, Generator, RandomState, SeedSequence or None, default=0

    Attributes
    ----------
    selection_probabilities_ : array of shape (n_features,)
        Share of the halves that chose each feature.
    support_ : array of bool of shape (n_features,)
    n_selected_ : int
        q.
    error_bound_ : float
        Bound on the expected number of features kept falsely, from the number chosen per half on average.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.evaluation import StabilitySelection
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 40)); y = X[:, 3] - X[:, 7] + 0.5 * rng.normal(size=100)
    >>> model = StabilitySelection().fit(X, y)
    >>> model.get_support(indices=True), bool(model.error_bound_ <= 1)
    (array([3, 7]), True)
    """

    _domains: dict[str, Domain] = {
        "estimator": Methods("fit", "get_params") | Null(),
        "threshold": Real(0.5, 1, "low"),
        "n_selected": Int(1) | Null(),
        "max_false": Real(0, None, "low"),
        "n_pairs": Int(1),
        "random_state": RandomState(),
    }
    selection_probabilities_: np.ndarray
    support_: np.ndarray
    n_selected_: int
    error_bound_: float

    def __init__(
        self,
        estimator: Fittable | None = None,
        *,
        threshold: float = 0.7,
        n_selected: int | None = None,
        max_false: float = 1.0,
        n_pairs: int = 50,
        random_state: Seed = 0,
    ) -> None:
        self.estimator = estimator
        self.threshold = threshold
        self.n_selected = n_selected
        self.max_false = max_false
        self.n_pairs = n_pairs
        self.random_state = random_state

    def _choose(self, X: NDArray, y: NDArray, q: int) -> NDArray:
        """Return the features chosen on some rows."""
        if self.estimator is None:
            return entries(X, np.asarray(y, dtype=np.float64), q)
        if is_classifier(self.estimator) and len(np.unique(y)) < 2:
            return np.arange(0)  # a half with one class chooses nothing
        found = importances(clone(self.estimator).fit(X, y), X.shape[1])
        order = np.argsort(-found, kind="stable")[:q]
        return order[found[order] > 0]

    @fits
    def fit(self, X: Rows, y: Target = None) -> Self:
        """Choose features on halves of the rows and keep those chosen often.

        Gathered in memory.

        Parameters
        ----------
        X : array-like, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            None for a scan, which brings its target.
        """
        classes = self.estimator is not None and is_classifier(self.estimator)
        if self.estimator is None and any(isinstance(label, str) for label in np.asarray(y).ravel()[:1]):
            raise DataError(
                "StabilitySelection: y holds labels; pass a classifier with coef_ or feature_importances_ as estimator."
            )
        source = self._source(X, y, target="classes" if classes else "numeric")
        rows, target, _ = all_rows(source, "StabilitySelection")
        rows = rows.astype(np.float64)
        n, p = rows.shape
        if n < 4:
            raise DataError(
                f"StabilitySelection works on halves of the rows: at least 4 are needed, got n_samples = {n}."
            )
        if target.ndim == 2 and target.shape[1] != 1:
            raise DataError(
                f"StabilitySelection: y has {target.shape[1]} columns; choose features for one target at a time."
            )
        target = target.reshape(n)
        q = min(p, self.n_selected or most_selected(self.max_false, self.threshold, p))
        draws, count, chosen_in_all = Stream(seed_of(self.random_state)), np.zeros(p), 0
        for pair in range(self.n_pairs):
            order = draws.permutation("halves", pair, n)
            for half in (order[: n // 2], order[n // 2 : 2 * (n // 2)]):
                features = self._choose(rows[half], target[half], q)
                count[features] += 1
                chosen_in_all += len(features)
        self.selection_probabilities_ = count / (2 * self.n_pairs)
        self.support_ = self.selection_probabilities_ >= self.threshold
        self.n_selected_ = q
        self.error_bound_ = false_bound(chosen_in_all / (2 * self.n_pairs), self.threshold, p)
        return self

    def _picture_of_model(self, ax: Any) -> Any:
        """Draw the selection probabilities and the threshold."""
        ax = drawing_axes(ax)
        colors = np.where(self.support_, series(ax, 3), shade(ax, 0.8))
        ax.bar(np.arange(len(self.support_)), self.selection_probabilities_, color=colors)
        ax.axhline(
            self.threshold,
            color=series(ax, 0),
            ls="--",
            lw=1,
            label=f"threshold; at most {self.error_bound_:.2g} false",
        )
        ax.set(xlabel="feature", ylabel="share of halves that chose it", ylim=(0, 1))
        draw_legend(ax)
        return ax

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
