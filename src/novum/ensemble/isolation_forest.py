r"""Isolation forests (Liu, Ting and Zhou 2008): what random cuts soon separate from the rest is odd.

Every tree draws psi rows and cuts them at random thresholds of random columns, to depth ceil(log2 psi). With h_t(x) the cuts
above the leaf of x in tree t and m the rows in this leaf,

    path_t(x) = h_t(x) + c(m)                                                                      (1)
    c(m) = 2 (log(m - 1) + gamma) - 2 (m - 1) / m,   c(2) = 1,   c(m) = 0 for m < 2                (2)
    score(x)  = -2^(- mean_t path_t(x) / c(psi))                                                   (3)

(2) is the mean length of an unsuccessful search in a binary search tree of m keys: what a leaf of m rows would still need.
"""

import numbers
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from novum.base.domains import Bool, Choice, Domain, Int, Null, RandomState, Real, Share
from novum.base.estimator import Estimator, fits
from novum.base.fitted import check_is_fitted
from novum.base.sklearn_base import OutlierMixin
from novum.base.validation import check_weight, open_rows, read_in_passes
from novum.engines.trees.exact import Rules, grow, layout_of, number_target, prepare
from novum.engines.trees.input_table import read_table
from novum.ensemble.forest.samples import tree_seeds
from novum.ensemble.forest.votes import Votes, cells, means, votes_of
from novum.ensemble.isolation_rows import PURPOSE, parts_by_passes, percentile_by_passes, present_rows
from novum.exceptions import DataWarning, ParameterError
from novum.fold.blocks import Block
from novum.runtime.journal import each_step
from novum.runtime.pool import map_ordered
from novum.runtime.random import Stream, seed_of
from novum.runtime.threads import thread_count
from novum.runtime.typing import Rows, RowWeights, Seed, Target
from novum.runtime.warn import warn
from novum.tree.regressor import ExtraTreeRegressor

__all__ = ["IsolationForest"]

DEFAULT_ROWS = 256  # psi: more rows than that hide anomalies in the crowd (Liu et al., section 3)
MIDDLE = -0.5  # score of a row whose paths are as long as c(psi): neither odd nor plain


def path_correction(m: Any) -> NDArray:
    """Return (2)."""
    m = np.asarray(m, np.float64)
    out = np.where(m == 2, 1.0, 0.0)
    many = m > 2
    large = np.where(many, m, 3.0)
    return np.where(many, 2 * (np.log(large - 1) + np.euler_gamma) - 2 * (large - 1) / large, out)


class Paths(NamedTuple):
    """What the trees say of rows, and how it is read."""

    votes: Votes  # (1) of every node
    scale: float  # c(psi)
    offset: float = 0.0
    mark: bool = False  # say -1 or 1


def scores(params: Paths, block: Block) -> NDArray:
    """Return (3) of every row less the offset, in the dtype of the rows; or whether it is odd."""
    X = cells(block)
    path = means(params.votes, X)[:, 0]
    exponent = path / params.scale if params.scale > 0 else np.ones_like(path)
    score = (-(2.0**-exponent)).astype(X.dtype, copy=False)
    if params.offset:
        score = score - params.offset
    return np.where(score < 0, -1, 1) if params.mark else score


class IsolationForest(OutlierMixin, Estimator):
    """Isolation forest: finds rows that few random cuts set apart.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.
    max_samples : "auto", int or float, default="auto"
        Rows per tree, psi; "auto" is the lesser of 256 and all, a float a share.
    contamination : "auto" or float, default="auto"
        Share of odd rows in the training data, which sets `offset_`; "auto" sets it to -0.5.
    max_features : int or float, default=1.0
        Columns per tree, drawn without replacement; a float is a share.
    bootstrap : bool, default=False
        Whether rows are drawn with replacement.
    n_jobs : int, default=None
        Threads; None uses what the process may use. Results do not depend on it.
    random_state : int, Generator, RandomState or None, default=None
        Seeds the draws: tree t is a function of the seed and t.
    verbose : int, default=0
        Kept for scikit-learn's sake; nothing is printed.
    warm_start : bool, default=False
        Whether `fit` keeps the trees it has and adds those that `n_estimators` requests.

    Attributes
    ----------
    estimators_ : list of ExtraTreeRegressor
    estimator_ : ExtraTreeRegressor
        The tree that is grown, unfitted.
    estimators_features_, estimators_samples_ : list of arrays
        Columns and rows drawn for every tree.
    max_samples_ : int
        Rows per tree.
    offset_ : float
        Score below which a row is odd.

    Examples
    --------
    >>> from novum.ensemble import IsolationForest
    >>> IsolationForest(random_state=0).fit([[-1.1], [0.3], [0.5], [100.0]]).predict([[0.1], [0.0], [90.0]])
    array([ 1,  1, -1])
    """

    _domains: dict[str, Domain] = {
        "n_estimators": Int(1),
        "max_samples": Choice("auto") | Int(1) | Share(numbers.Real, 0.0, 1.0, "low"),
        "contamination": Choice("auto") | Real(0.0, 0.5, "low"),
        "max_features": Int(1) | Share(numbers.Real, 0.0, 1.0, "low"),
        "bootstrap": Bool(),
        "n_jobs": Int() | Null(),
        "random_state": RandomState(),
        "verbose": Int(0) | Bool(),
        "warm_start": Bool(),
    }
    estimators_: list[ExtraTreeRegressor]
    _seed: int
    categorical_features = None  # cuts at random thresholds mean nothing for categories
    max_samples_: int
    offset_: float

    def __init__(
        self,
        *,
        n_estimators: int = 100,
        max_samples: Literal["auto"] | float = "auto",
        contamination: Literal["auto"] | float = "auto",
        max_features: float = 1.0,
        bootstrap: bool = False,
        n_jobs: int | None = None,
        random_state: Seed = None,
        verbose: int | bool = 0,
        warm_start: bool = False,
    ) -> None:
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.contamination = contamination
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start

    @property
    def estimator_(self) -> Any:
        """The tree that is grown, unfitted."""
        return ExtraTreeRegressor(max_features=1)

    def _sizes(self, n: int, d: int) -> tuple[int, int]:
        """Return how many rows and columns a tree draws."""
        size: Any = self.max_samples  # checked by its domain
        width: Any = self.max_features
        if isinstance(size, str):
            size = min(DEFAULT_ROWS, n)
        elif isinstance(size, numbers.Integral) and int(size) > n:
            warn(
                f"max_samples ({size}) is greater than the total number of samples ({n}). max_samples will be set to n_samples"
                " for estimation.",
                DataWarning,
            )
            size = n
        elif not isinstance(size, numbers.Integral):
            size = int(size * n)
        if isinstance(width, numbers.Integral) and int(width) > d:
            raise ParameterError(
                f"max_features must be in (0, n_features]. IsolationForest(max_features={width}) was given {d} columns."
            )
        width = int(width) if isinstance(width, numbers.Integral) else max(1, int(width * d))
        return max(1, int(size)), width

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Grow the trees.

        Only the rows that are drawn are brought into memory, the same ones wherever they lie.
        sample_weight: rows are drawn in proportion to it.

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts; zero leaves it out.
        """
        before = list(self.estimators_) if self.warm_start and hasattr(self, "estimators_") else []
        in_passes = read_in_passes(X)
        if in_passes:
            source = self._source(X, None, sample_weight)
            present = present_rows(source)
            n, self._present, self._sample_weight, self._unknown = sum(present.rows), None, None, present.weighted
        else:
            table = read_table(self, X, {})
            weight = check_weight(self, sample_weight, table.X.shape[0])
            self._present = None if weight is None else np.flatnonzero(weight)  # rows of weight zero are not there
            self._sample_weight = None if weight is None else weight[self._present]
            n = table.X.shape[0] if self._present is None else len(self._present)
            self._unknown = False
        self._n_present = n
        self.max_samples_, self._max_features = self._sizes(n, self.n_features_in_)
        seeds = self._seeds(before)
        threads = thread_count(self.n_jobs)
        if in_passes:
            parts = parts_by_passes(source, present, seeds, self.max_samples_, self.bootstrap)
            grown = map_ordered(lambda item: self._tree(*item), zip(parts, seeds), threads)
        else:
            cells = table.X.tocsr() if not isinstance(table.X, np.ndarray) else table.X

            def trees(some: list[int]) -> Iterator[Any]:
                return map_ordered(lambda seed: self._tree(cells[self._rows_drawn(seed)], seed), some, threads)

            grown = iter(each_step("tree", seeds, trees))
        self.estimators_ = before + list(grown)
        self.offset_ = MIDDLE
        if self.contamination != "auto" and in_passes:
            self.offset_ = percentile_by_passes(source, present, scores, self._paths(), 100.0 * self.contamination)
        elif self.contamination != "auto":
            score = scores(self._paths(), Block(cells if weight is None else cells[self._present]))
            self.offset_ = float(np.percentile(score, 100.0 * self.contamination))
        return self

    def _seeds(self, before: list[Any]) -> list[int]:
        """Return the seeds of the trees that a fit adds to the ones before."""
        if self.n_estimators < len(before):
            raise ParameterError(
                f"n_estimators={self.n_estimators} must be larger or equal to len(estimators_)={len(before)} when"
                " warm_start==True. Give IsolationForest more trees, or warm_start=False to begin anew."
            )
        if before and self.n_estimators == len(before):
            warn("Warm-start fitting without increasing n_estimators does not fit new trees.", DataWarning)
        self._seed = self._seed if before else seed_of(self.random_state)
        return tree_seeds(self._seed, len(before), self.n_estimators - len(before))

    def _rows_drawn(self, seed: int) -> NDArray:
        """Return the rows that the tree with this seed draws."""
        if self._unknown:
            raise ParameterError(
                "IsolationForest: the rows drawn are not known after a fit outside memory with weights, which are not kept."
            )
        stream, n, weight = Stream(seed), self._n_present, self._sample_weight
        if not self.bootstrap:
            rows = stream.choice(PURPOSE, 0, n, min(self.max_samples_, n), weight)
        elif weight is None:
            rows = stream.integers(PURPOSE, 0, self.max_samples_, high=n)
        else:
            rows = stream.choice_with_replacement(PURPOSE, 0, self.max_samples_, weight)
        return rows if self._present is None else self._present[rows]

    def _columns_drawn(self, seed: int) -> NDArray:
        """Return the columns that the tree with this seed draws."""
        if self._max_features == self.n_features_in_:
            return np.arange(self.n_features_in_)
        return np.sort(Stream(seed).choice("isolated columns", 0, self.n_features_in_, self._max_features))

    def _tree(self, part: Any, seed: int) -> ExtraTreeRegressor:
        """Return one tree of the rows drawn for it: random cuts of targets that mean nothing."""
        part = part if self._max_features == part.shape[1] else part[:, self._columns_drawn(seed)]
        depth = max(1, int(np.ceil(np.log2(max(self.max_samples_, 2)))))
        rules = Rules(max_features=1, random=True, max_depth=depth)
        levels, sparse = [0] * part.shape[1], not isinstance(part, np.ndarray)
        target = number_target("squared_error", Stream(seed).uniform("isolated targets", 0, part.shape[0])[:, None])
        member = ExtraTreeRegressor(max_features=1, max_depth=depth, random_state=seed)
        member.tree_ = grow(prepare(part, levels, layout_of(rules, part.shape[1], sparse)), target, rules, None, seed)
        member.n_features_in_, member.n_outputs_, member.max_features_ = part.shape[1], 1, 1
        member.levels_, member.is_categorical_ = {}, np.zeros(part.shape[1], bool)
        return member

    def _paths(self) -> Paths:
        """Return (1) of every node of every tree, and c(psi)."""
        trees = [member.tree_ for member in self.estimators_]
        paths = [(tree.depths() + path_correction(tree.n_node_samples))[:, None] for tree in trees]
        votes = votes_of(self, trees, paths, self.estimators_features_)
        return Paths(votes, float(path_correction(self.max_samples_)))

    @property
    def estimators_features_(self) -> Any:
        """Columns drawn for every tree, list of arrays."""
        return [self._columns_drawn(member.random_state) for member in self.estimators_]

    @property
    def estimators_samples_(self) -> Any:
        """Rows drawn for every tree, list of arrays."""
        return [self._rows_drawn(member.random_state) for member in self.estimators_]

    def score_samples(self, X: Rows) -> Any:
        """Return (3): the lower, the odder.

            score(x)  = -2^(- mean_t path_t(x) / c(psi))    (3)

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples,)
        """
        check_is_fitted(self)
        return self._read(X)

    def decision_function(self, X: Rows) -> Any:
        """Return the scores less `offset_`: negative for odd rows.

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples,)
        """
        check_is_fitted(self)
        return self._read(X, offset=self.offset_)

    def predict(self, X: Rows) -> Any:
        """Return -1 for odd rows and 1 for the others.

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples,)
        """
        check_is_fitted(self)
        return self._read(X, offset=self.offset_, mark=True)

    def _read(self, X: Any, **reading: Any) -> Any:
        """Return what the trees say of new rows, read in some way."""
        return open_rows(self, X, n_jobs=self.n_jobs).rows(scores, self._paths()._replace(**reading))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        return tags
