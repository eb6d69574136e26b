r"""Naive Bayes with a family of its own for every column: categories, normal numbers, counts, times, shares.

    log p(x, c) = log pi_c + sum_j log p_j(x_j | theta_cj)                                         (1)

p_j is any distribution of numbers in `novum.distributions`; its parameters come from its statistics over the rows of the class.
Categories are smoothed as in (9) of `novum.naive_bayes.categorical`, by the mode under Dirichlet(alpha + 1). A missing cell drops
out of the sum, in `fit` and in predictions.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, Self

import numpy as np

from novum.base.classes import labels_of
from novum.base.domains import ArrayLike, Choice, Domain, Instance, Null, Real
from novum.base.estimator import Estimator, fits
from novum.base.fitted import check_is_fitted
from novum.base.frames import coded_frame, frame_levels, is_frame
from novum.base.generative import BayesRule, checked_priors
from novum.distributions import (
    Bernoulli,
    Beta,
    Categorical,
    Dirichlet,
    Distribution,
    Exponential,
    Gamma,
    Normal,
    Poisson,
    StudentT,
    Uniform,
)
from novum.distributions.learning.labelled_rows import ColumnGroup, learn_parts, parts_log_prob
from novum.exceptions import DataError, ParameterError
from novum.fold.blocks import Block, Source
from novum.naive_bayes.categorical import merge_ranges, range_of
from novum.runtime import arrays
from novum.runtime.random import Stream, seed_of
from novum.runtime.typing import Numbers, Rows, RowWeights, Seed, Target

__all__ = ["FAMILIES", "MixedNB"]

FAMILIES: dict[str, type] = {
    "bernoulli": Bernoulli,
    "beta": Beta,
    "categorical": Categorical,
    "exponential": Exponential,
    "gamma": Gamma,
    "normal": Normal,
    "poisson": Poisson,
    "student_t": StudentT,
    "uniform": Uniform,
}


class MixedParameters(NamedTuple):
    columns: list[tuple[int, ...]]
    distributions: list[list[Any]]  # (classes, parts)
    log_prior: np.ndarray  # (k,)


def joint_log(model: MixedParameters, block: Block) -> Any:
    """Return (1) of every row and class, in the dtype and home of the block."""
    score = parts_log_prob(model.columns, model.distributions, block.X)
    score = score + arrays.like(score, model.log_prior)
    return score.to(block.X.dtype) if arrays.is_tensor(score) else score.astype(block.X.dtype, copy=False)


def family_of(value: Any) -> type:
    """Return the class of distributions that a name or a class stands for."""
    if isinstance(value, str) and value in FAMILIES:
        return FAMILIES[value]
    if isinstance(value, type) and issubclass(value, Distribution) and not value._event_ndim:
        return value
    raise ParameterError(
        f"MixedNB(families=...): {value!r} is no family of numbers; name one of {', '.join(FAMILIES)}, or give a class of"
        " novum.distributions."
    )


class MixedNB(BayesRule, Estimator):
    """Naive Bayes with a family of its own for every column.

    Parameters
    ----------
    families : "auto", dict or sequence, default="auto"
        Names ("normal", "poisson", "bernoulli", "categorical", "exponential", "gamma", "beta", "student_t", "uniform") or classes
        of `novum.distributions`; a dict from column name or number, or one for every column. Columns that are not named are
        normal, or categorical where they are so by `categorical_features`.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Which columns are categories: those of a frame that are no numbers; or names, numbers or a mask of columns. In an array
        categories are coded 0, 1, 2, ...
    alpha : float, default=1.0
        Added to the count of every category.
    priors : array-like of shape (n_classes,), default=None
        Probabilities of the classes; None takes their shares of the data.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    class_count_, class_prior_ : array of shape (n_classes,)
    columns_ : list of tuples
        Columns of every group that shares a family.
    distributions_ : list of lists
        For every class, the distribution of every group: a batch over its columns.
    levels_ : dict
        Levels of the columns of a frame that are no numbers.

    Examples
    --------
    >>> import pandas as pd
    >>> from novum.naive_bayes import MixedNB
    >>> X = pd.DataFrame({"sky": ["sun", "rain", "rain", "sun"], "degrees": [25.0, 12, 14, 28], "calls": [1, 4, 6, 0]})
    >>> model = MixedNB(families={"calls": "poisson"}).fit(X, ["out", "in", "in", "out"])
    >>> model.predict(pd.DataFrame({"sky": ["rain", None], "degrees": [15.0, 24.0], "calls": [3, 1]}))
    array(['in', 'out'], dtype='<U3')
    """

    _squares_columns = True
    _domains: dict[str, Domain] = {
        "families": Choice("auto") | Instance(dict) | ArrayLike(),
        "categorical_features": Choice("from_dtype") | ArrayLike() | Null(),
        "alpha": Real(0),
        "priors": ArrayLike() | Null(),
    }
    _scores_show_gaps = False
    levels_: dict[str, list[Any]]
    class_count_: np.ndarray
    class_prior_: np.ndarray
    columns_: list[Any]
    distributions_: list[Any]

    def __init__(
        self,
        *,
        families: str | Mapping[Any, str] | Sequence[str] = "auto",
        categorical_features: Literal["from_dtype"] | Numbers | None = "from_dtype",
        alpha: float = 1.0,
        priors: Numbers | None = None,
    ) -> None:
        self.families = families
        self.categorical_features = categorical_features
        self.alpha = alpha
        self.priors = priors

    def _coded(self, X: Any, learn: bool) -> Any:
        """Return X with codes for levels, where it is a frame."""
        if not hasattr(X, "columns") or not is_frame(X):
            return X
        if learn:
            self.levels_ = frame_levels(X) if self.categorical_features is not None else {}
        return coded_frame("MixedNB", X, self.levels_) if self.levels_ else X

    def _families(self, source: Source) -> list[type]:
        """Return the family of every column."""
        d = source.n_features
        names = list(getattr(self, "feature_names_in_", [])) or list(source.names or [])

        def position(column: Any) -> int:
            found = names.index(column) if column in names else column
            if not isinstance(found, int | np.integer) or not -d <= found < d:
                raise ParameterError(f"MixedNB: there is no column {column!r} among {names or f'{d} columns'}.")
            return int(found) % d

        chosen: list[type] = [Normal] * d
        for name in self.levels_:
            chosen[position(name)] = Categorical
        marked: Any = self.categorical_features
        if marked is not None and not isinstance(marked, str):
            mask = np.asarray(marked)
            for column in np.flatnonzero(mask).tolist() if mask.dtype == bool else list(marked):
                chosen[position(column)] = Categorical
        if isinstance(self.families, dict):
            for column, value in self.families.items():
                chosen[position(column)] = family_of(value)
        elif not isinstance(self.families, str):
            if len(self.families) != d:
                raise ParameterError(f"MixedNB(families=...): {len(self.families)} families for {d} columns.")
            chosen = [family_of(value) for value in self.families]
        return chosen

    def _parts(self, source: Source) -> list[ColumnGroup]:
        """Return the groups of columns: all columns of a family together, every column of categories for itself."""
        chosen = self._families(source)
        names = list(getattr(self, "feature_names_in_", []))
        parts: list[ColumnGroup] = []
        for family in dict.fromkeys(chosen):
            columns = tuple(j for j, one in enumerate(chosen) if one is family)
            if family is not Categorical:
                parts.append(ColumnGroup(columns, family, {}))
        categories = [j for j, one in enumerate(chosen) if one is Categorical]
        if categories:
            high = source.total(range_of, None, merge_ranges).high
            for j in categories:
                known = len(self.levels_.get(names[j], [])) if names else 0
                number = max(known, int(np.nan_to_num(high[j], neginf=0)) + 1, 1)
                prior = Dirichlet(np.full(number, self.alpha + 1.0)) if self.alpha > 0 else None
                parts.append(ColumnGroup((j,), Categorical, {"n_categories": number}, prior, Categorical))
        return parts

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
        self.levels_ = {}
        source = self._source(self._coded(X, True), y, sample_weight, target="classes")
        self.classes_, coded = labels_of(source)
        parts = self._parts(coded)
        mass, self.distributions_ = learn_parts("MixedNB", coded, len(self.classes_), parts)
        self.columns_ = [part.columns for part in parts]
        self.class_count_ = mass
        self.class_prior_ = (
            mass / mass.sum() if self.priors is None else checked_priors("MixedNB", self.priors, len(mass))
        )
        return self

    def _rows(self, X: Rows, function: Any, params: Any = None, verify: bool = True, *, shows: bool = False) -> Any:
        check_is_fitted(self)
        return super()._rows(self._coded(X, False), function, params, verify, shows=shows)

    def _joint(self) -> Any:
        with np.errstate(divide="ignore"):  # a class of prior zero
            return joint_log, MixedParameters(self.columns_, self.distributions_, np.log(self.class_prior_))

    def sample(self, n_samples: int = 1, random_state: Seed = None) -> Any:
        """Draw rows with their classes from the fitted model; categories come as codes.

        Parameters
        ----------
        n_samples : int, default=1
        random_state : int, numpy Generator, RandomState, SeedSequence or None, default=None

        Returns
        -------
        X, array of shape (n_samples, n_features), and y, array of shape (n_samples,)
        """
        check_is_fitted(self)
        if n_samples < 1:
            raise DataError(f"MixedNB.sample(n_samples={n_samples!r}): draw at least one row.")
        seed = seed_of(random_state)
        code = np.searchsorted(np.cumsum(self.class_prior_), Stream(seed).uniform("class", 0, n_samples, 1)[:, 0])
        X = np.empty((n_samples, self.n_features_in_))
        for c in range(len(self.classes_)):
            mine = np.flatnonzero(code == c)
            for p, (columns, distribution) in enumerate(zip(self.columns_, self.distributions_[c])):
                drawn = np.reshape(
                    distribution.sample(len(mine), np.random.SeedSequence([seed, c, p])), (len(mine), -1)
                )
                X[np.ix_(mine, np.array(columns))] = drawn
        return X, self.classes_[code]

    def parameter_count(self) -> int:
        """Return the number of free parameters: class priors, and those of every column's distribution in every class."""
        check_is_fitted(self)
        per_class = sum(len(columns) * one.n_parameters for columns, one in zip(self.columns_, self.distributions_[0]))
        return len(self.classes_) - 1 + len(self.classes_) * per_class

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags
