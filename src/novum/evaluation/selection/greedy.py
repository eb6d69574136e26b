r"""Feature selection by greedy steps: from nothing adding the best feature, or from all dropping the least useful.

    forward:   F_0 = {},   F_{m+1} = F_m + argmax_j score(F_m + j)                                 (1)
    backward:  F_p = all,  F_{m-1} = F_m - argmax_j score(F_m - j)                                 (2)

The score is a criterion on the training rows (C_p, AIC, BIC, adjusted R^2: no other rows are needed because each parameter is
charged for) or a cross-validated one. Without a requested number of features, steps are taken to the end of the path and the best
set on it is kept: a step that gains nothing may lead to one that does. The path begins, or ends, with no features at all: the
mean or the shares of the classes (novum.evaluation.selection.empty_model), which is what noise deserves.

A score that chose the features is no estimate of how well they do. For that, selection goes inside the folds: a Pipeline of
scikit-learn's SequentialFeatureSelector with `criterion_scorer` and a model, cross-validated as a whole.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.metrics import check_scoring
from sklearn.model_selection import cross_val_score

from novum.evaluation.scores.score_names import check_one_score
from novum.evaluation.selection.criteria import ExactFit, Uncounted, model_criteria
from novum.evaluation.selection.empty_model import EmptyClassifier, EmptyRegressor, has_intercept, no_columns
from novum.exceptions import DataError, DataWarning, ParameterError
from novum.report.axes import drawing_axes
from novum.report.legends import draw_legend
from novum.report.numbers import counted, num
from novum.report.result import Result
from novum.report.style import series
from novum.report.tables import html_text
from novum.runtime.checks import check_choice, check_count, check_number
from novum.runtime.sklearn_private import take_rows
from novum.runtime.typing import Fittable, Rows, Splitter, Target
from novum.runtime.warn import warn

__all__ = ["SelectionPath", "backward_selection", "criterion_scorer", "forward_selection"]

CRITERIA = ("cp", "aic", "bic", "adjusted_r2")


@dataclass(frozen=True)
class CriterionScorer:
    """A criterion as a scorer: higher is better, so C_p, AIC and BIC are negated."""

    scoring: str
    noise_variance: float | None

    @property
    def __name__(self) -> str:
        return self.scoring

    def __call__(self, estimator: Any, X: Any, y: Any = None) -> float:
        """Return the criterion of a fitted model on the rows it was fitted on."""
        found = model_criteria(estimator, X, y, noise_variance=self.noise_variance)
        if self.scoring == "adjusted_r2":
            return found.adjusted_r2
        return -{"cp": found.mallows_cp, "aic": found.aic, "bic": found.bic}[self.scoring]


def criterion_scorer(scoring: str, *, noise_variance: float | None = None) -> Callable[..., float]:
    """Return a criterion as a scorer for scikit-learn's sequential selector, searches and `forward_selection`.

    Parameters
    ----------
    scoring : {"cp", "aic", "bic", "adjusted_r2"}
        C_p, AIC and BIC are negated: higher is better.
    noise_variance : float, default=None
        Of C_p, from the model with all features; needed there.

    Returns
    -------
    callable
        `(fitted, X, y) -> float`, on the training rows: use it with `cv=[(rows, rows)]`.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.feature_selection import SequentialFeatureSelector
    >>> from novum.evaluation import criterion_scorer
    >>> from novum.linear_model import LinearRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 5)); y = 2 * X[:, 1] - X[:, 3] + 0.5 * rng.normal(size=60)
    >>> rows = np.arange(60)
    >>> selector = SequentialFeatureSelector(
    ...     LinearRegression(), scoring=criterion_scorer("bic"), cv=[(rows, rows)], n_features_to_select="auto", tol=1e-9
    ... )
    >>> selector.fit(X, y).get_support(indices=True)
    array([1, 3])
    """
    check_choice("criterion_scorer", "scoring", scoring, CRITERIA)
    if noise_variance is not None:
        noise_variance = check_number("criterion_scorer", "noise_variance", noise_variance, 0, open_low=True)
    elif scoring == "cp":
        raise ParameterError("criterion_scorer('cp'): give noise_variance, RSS/(N - d) of the model with all features.")
    return CriterionScorer(scoring, noise_variance)


@dataclass(frozen=True, repr=False)
class SelectionPath(Result):
    """The path of a greedy selection.

    Attributes
    ----------
    sets : list of tuple of int
        The features after every step, in the order of the path; the empty set is one of them.
    scores : list of float
        Of each set; higher is better.
    support : ndarray of bool
        The features kept.
    names : list of str
    scoring : str
    """

    sets: list[tuple[int, ...]]
    scores: list[float]
    support: np.ndarray
    names: list[str]
    scoring: str

    def plot(self, ax: Any = None) -> Any:
        """Draw the score against the number of features, the set kept marked."""
        ax = drawing_axes(ax)
        sizes = [len(one) for one in self.sets]
        ax.plot(sizes, self.scores, "o-", color=series(ax, 0))
        kept = int(self.support.sum())
        ax.plot(kept, self.scores[sizes.index(kept)], "o", ms=10, mfc="none", color=series(ax, 3), label="kept")
        ax.set(xlabel="number of features", ylabel=f"{self.scoring} (higher is better)")
        draw_legend(ax)
        return ax

    def to_frame(self) -> Any:
        """Return the path as a pandas frame."""
        import pandas as pd

        rows = [[self.names[j] for j in one] for one in self.sets]
        return pd.DataFrame({"n_features": [len(one) for one in self.sets], "score": self.scores, "features": rows})

    def __repr__(self) -> str:
        kept = [self.names[j] for j in np.flatnonzero(self.support)]
        lines = [f"  {counted(len(one), 'feature'):12}  {num(score):.6g}" for one, score in zip(self.sets, self.scores)]
        return "\n".join([f"selection by {self.scoring}: kept {', '.join(kept) or 'none'}", *lines])

    def _repr_html_(self) -> str:
        return html_text(repr(self))


def columns_of(X: Any, features: tuple[int, ...]) -> Any:
    return take_rows(X, list(features), axis=1)


def greedy(estimator: Any, X: Any, y: Any, scoring: Any, n_features: Any, cv: Any, forward: bool) -> SelectionPath:
    """Return the path (1) or (2)."""
    owner = "forward_selection" if forward else "backward_selection"
    if np.ndim(X) != 2 or np.shape(X)[0] != len(y):
        raise DataError(f"{owner}: X must have rows and columns and one row per entry of y; got {np.shape(X)}.")
    p = np.shape(X)[1]
    count = None if n_features is None else check_count(owner, "n_features", n_features)
    if count is not None and count > p:
        raise ParameterError(f"{owner}(n_features={count}): X has {counted(p, 'feature')}.")
    names = [str(name) for name in X.columns] if hasattr(X, "columns") else [f"x{j}" for j in range(p)]
    label, score = scorer_of(owner, estimator, X, y, scoring, cv, forward)
    current: tuple[int, ...] = () if forward else tuple(range(p))
    sets, scores = [current], [score(current)]
    end = count if count is not None else p if forward else 0
    while len(current) != end:
        others = [j for j in range(p) if (j in current) != forward]
        tried = [tuple(sorted({*current, j})) if forward else tuple(i for i in current if i != j) for j in others]
        values = [score(one) for one in tried]
        if np.isnan(values).all():
            if count is not None or not np.isfinite(scores).any():
                raise DataError(
                    f"{owner}(scoring={label!r}): with {counted(len(tried[0]), 'feature')} no set has a score: "
                    "as many parameters as the"
                    f" {counted(len(y), 'row')} fit them exactly; ask for fewer features or a cross-validated score."
                )
            break  # from here on every set fits the rows exactly
        best = int(np.nanargmax(values))
        current = tried[best]
        sets.append(current)
        scores.append(float(values[best]))
    kept = sets[-1] if count is not None else sets[int(np.nanargmax(scores))]
    support = np.zeros(p, bool)
    support[list(kept)] = True
    return SelectionPath(sets, scores, support, names, label)


def scorer_of(owner: str, estimator: Any, X: Any, y: Any, scoring: Any, cv: Any, forward: bool) -> tuple[str, Callable]:
    """Return the name and the function that scores a set of features."""
    empty = (
        EmptyClassifier(has_intercept(estimator))
        if is_classifier(estimator)
        else EmptyRegressor(has_intercept(estimator))
    )
    if isinstance(scoring, str) and scoring in CRITERIA:
        if cv is not None:
            raise ParameterError(
                f"{owner}(scoring={scoring!r}, cv={cv!r}): a criterion is for the training rows; leave cv out."
            )
        variance = None
        if scoring == "cp":
            full = model_criteria(clone(estimator).fit(X, y), X, y)
            rss = float(np.sum((np.asarray(y) - clone(estimator).fit(X, y).predict(X)) ** 2))
            if len(y) <= full.n_parameters:
                raise DataError(f"{owner}(scoring='cp'): needs more rows than features, to estimate the noise.")
            variance = rss / (len(y) - full.n_parameters)
        criterion = criterion_scorer(scoring, noise_variance=variance)

        def score(features: tuple[int, ...]) -> float:
            part = columns_of(X, features) if features else no_columns(y)
            try:
                return criterion(clone(estimator if features else empty).fit(part, y), part, y)
            except ExactFit:
                if not forward:
                    raise
                return float("nan")
            except Uncounted as problem:
                raise ParameterError(
                    f"{owner}(scoring={scoring!r}): the parameters of {type(estimator).__name__} cannot be counted; pass a"
                    " score that is cross-validated, such as scoring='accuracy' or 'r2'."
                ) from problem

        if forward and np.shape(X)[1] >= len(y):
            warn(
                f"{owner}(scoring={scoring!r}): {counted(np.shape(X)[1], 'feature')} for "
                f"{counted(len(y), 'row')}; a criterion does not charge for"
                " the search among them and keeps noise. A cross-validated score is safer.",
                DataWarning,
            )
        return scoring, score
    check_one_score(owner, scoring, CRITERIA)
    scorer = check_scoring(estimator, scoring)
    empty_scorer = check_scoring(empty, scoring)
    folds = 5 if cv is None else cv
    label = scoring if isinstance(scoring, str) else getattr(scoring, "__name__", "score")
    return label, lambda features: float(
        cross_val_score(
            estimator if features else empty,
            columns_of(X, features) if features else no_columns(y),
            y,
            scoring=scorer if features else empty_scorer,
            cv=folds,
        ).mean()
    )


def forward_selection(
    estimator: Fittable,
    X: Rows,
    y: Target,
    *,
    scoring: str | Callable[..., Any] | None = "bic",
    n_features: int | None = None,
    cv: Splitter = None,
) -> SelectionPath:
    """Add one feature after another, each time the one that helps most, and keep the best set of the path.

    Parameters
    ----------
    estimator : estimator
    X : array-like or frame of shape (n_samples, n_features)
    y : array-like
    scoring : {"cp", "aic", "bic", "adjusted_r2"}, or a scikit-learn score, default="bic"
        A criterion is taken on the training rows, a score is cross-validated.
    n_features : int, default=None
        Stop at so many and keep them; None keeps the best set of the whole path.
    cv : int or splitter, default=None
        Of a score; five folds by default.

    Returns
    -------
    SelectionPath
        `support`, `sets`, `scores`, `plot()`.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.evaluation import forward_selection
    >>> from novum.linear_model import LinearRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 4)); y = 2 * X[:, 1] - X[:, 3] + 0.5 * rng.normal(size=60)
    >>> forward_selection(LinearRegression(), X, y).sets[:2]
    [(), (1,)]
    """
    return greedy(estimator, X, y, scoring, n_features, cv, True)


def backward_selection(
    estimator: Fittable,
    X: Rows,
    y: Target,
    *,
    scoring: str | Callable[..., Any] | None = "bic",
    n_features: int | None = None,
    cv: Splitter = None,
) -> SelectionPath:
    """Drop one feature after another, each time the one that is missed least, and keep the best set of the path.

    Parameters
    ----------
    estimator, X, y, scoring, n_features, cv
        As in `forward_selection`.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.evaluation import backward_selection
    >>> from novum.linear_model import LinearRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 4)); y = 2 * X[:, 1] - X[:, 3] + 0.5 * rng.normal(size=60)
    >>> backward_selection(LinearRegression(), X, y, scoring="cp").support
    array([False,  True, False,  True])
    """
    return greedy(estimator, X, y, scoring, n_features, cv, False)
