"""What the two gradient boosting estimators share: reading the data, holding rows back, the iterations, raw scores.

The model and its formulas: novum.ensemble.boosting.newton. How columns become codes: novum.engines.trees.bins.
"""

import itertools
import logging
import numbers
from collections.abc import Callable
from copy import copy
from functools import partial
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from novum import _core
from novum.base import validation
from novum.base.callbacks import reporting
from novum.base.domains import ArrayLike, Bool, Choice, Domain, Function, Instance, Int, Null, RandomState, Real
from novum.engines.trees.histograms import Growing, pack
from novum.engines.trees.passes.survey import Survey
from novum.ensemble.boosting.categories import as_numbers, category_counts, learn_categories
from novum.ensemble.boosting.coded_rows import Prepared, prepare_rows, room_for_codes, targets_of
from novum.ensemble.boosting.home_fit import fit_blocks, refuse_on_device
from novum.ensemble.boosting.newton import NO_TREES, Trees, boost, boosted_attributes, should_stop
from novum.ensemble.boosting.raw_scores import BoostedModel, BoostedTrees, raw_of_block
from novum.ensemble.boosting.slopes import FOLDED, Descent
from novum.ensemble.boosting.stopping import Scores
from novum.exceptions import DataError, ParameterError
from novum.fold.blocks import Source
from novum.runtime import sklearn_private
from novum.runtime.checks import is_false
from novum.runtime.random import Stream, seed_of
from novum.runtime.threads import thread_count

__all__ = ["HistGradientBoosting"]

EARLY_STOPPING_ROWS = 10_000  # beyond so many, early_stopping="auto" holds rows back, as in scikit-learn
WORTH_THREAD = 2**15  # cells that are worth one more thread: with fewer each, threads would wait for each other
MOST_CODES = 255  # one byte, less the code of a missing value
logger = logging.getLogger("novum")


class Boosting(NamedTuple):
    """What the iterations of a fit in memory work with."""

    team: Any  # _core.runtime.threads.Team: the threads
    descent: Descent
    growing: Growing
    rows: Prepared
    trees: Trees  # those that are there already
    start: NDArray  # (outputs,): raw scores before the first tree


def column_sets(owner: str, interaction_cst: Any, d: int) -> list[set[int]] | None:
    """Return the sets of columns that may follow each other, or None for no limits; columns in none form one more."""
    if interaction_cst is None:
        return None
    if isinstance(interaction_cst, str):
        sizes = {"no_interactions": 1, "pairwise": 2}
        return [set(group) for group in itertools.combinations(range(d), sizes[interaction_cst])]
    try:
        sets = [set(group) for group in interaction_cst]
    except TypeError:
        raise ParameterError(
            f"Interaction constraints must be a sequence of tuples or lists, got: {interaction_cst!r}."
            f" Give {owner} one set of column numbers per group."
        ) from None
    for group in sets:
        if not all(isinstance(j, numbers.Integral) and 0 <= int(j) < d for j in group):
            raise ParameterError(
                "Interaction constraints must consist of integer indices in"
                f" [0, n_features - 1] = [0, {d - 1}], specifying the"
                f" position of features, got invalid indices: {group!r}"
            )
    rest = set(range(d)).difference(*sets)
    return [*sets, rest] if rest else sets


class HistGradientBoosting(BoostedTrees):
    """Base of the gradient boosting estimators; a subclass knows the loss and what raw scores mean."""

    _domains: dict[str, Domain] = {
        "learning_rate": Real(0, None, open="low"),
        "max_iter": Int(1),
        "max_leaf_nodes": Int(2) | Null(),
        "max_depth": Int(1) | Null(),
        "min_samples_leaf": Int(1),
        "l2_regularization": Real(0),
        "max_features": Real(0, 1, open="low"),
        "max_bins": Int(2, MOST_CODES),
        "categorical_features": ArrayLike() | Choice("from_dtype") | Null(),
        "monotonic_cst": ArrayLike() | Instance(dict) | Null(),
        "interaction_cst": Instance(list) | Instance(tuple) | Choice("pairwise", "no_interactions") | Null(),
        "warm_start": Bool(),
        "early_stopping": Choice("auto") | Bool(),
        "scoring": Instance(str) | Function() | Null(),
        "validation_fraction": Real(0, 1, open="both") | Int(1) | Null(),
        "n_iter_no_change": Int(1),
        "tol": Real(0),
        "verbose": Int(0) | Bool(),
        "random_state": RandomState(),
    }
    _reports_passes = True
    _target = "numeric"
    loss: str
    _seed: int
    train_score_: NDArray
    validation_score_: NDArray
    n_trees_per_iteration_: int
    do_early_stopping_: bool
    categorical_features: Any
    early_stopping: str | bool
    interaction_cst: Any
    l2_regularization: float
    learning_rate: float
    max_bins: int
    max_depth: int | None
    max_features: float
    max_iter: int
    max_leaf_nodes: int | None
    min_samples_leaf: int
    monotonic_cst: Any
    n_iter_no_change: int
    random_state: Any
    tol: float
    validation_fraction: float | None
    verbose: int | bool
    warm_start: bool

    def _descent(self, target: NDArray, weight: NDArray | None) -> Descent:
        raise NotImplementedError

    def _encoded(self, y: NDArray, *, fitted: bool = False) -> NDArray:
        raise NotImplementedError

    def _weighted(self, target: NDArray, weight: NDArray | None) -> NDArray | None:
        return weight

    def _blocks(self, source: Source) -> tuple[Source, Survey, NDArray | None]:
        raise NotImplementedError

    def _fit(self, X: Any, y: Any, sample_weight: Any, X_val: Any, y_val: Any, sample_weight_val: Any) -> Any:
        """Fit to rows wherever they live."""
        held = None
        if X_val is not None or y_val is not None:
            for name, other, value in (("X_val", "y_val", y_val), ("y_val", "X_val", X_val)):
                if value is None:
                    raise DataError(f"{name} is provided, but {other} was not provided. Give both, or neither.")
            if is_false(self.early_stopping):
                raise ParameterError(
                    "X_val and y_val are passed to fit while at the same time early_stopping is False. When passing X_val and"
                    " y_val to fit, early_stopping should be set to either 'auto' or True."
                )
            held = (X_val, y_val, sample_weight_val)
        source, encoder, mask = self._opened(X, y, sample_weight)
        if source.on_device:
            refuse_on_device(type(self).__name__, self.loss, held)
        if source.on_device or (not source.lists_rows and self.loss in FOLDED):
            self._fit_in_passes(X, y, source, held)
            return self
        target, weight = targets_of(source)
        target = self._encoded(target)
        weight = self._weighted(target, weight)
        self._fit_listed(X, y, source, target, weight, held=held, encoder=encoder, mask=mask)
        return self

    def _fit_in_passes(self, X: Any, y: Any, source: Source, held: tuple[Any, Any, Any] | None) -> None:
        """Fit to rows in files or on a cluster; those in files as if they were in memory, if their codes fit there."""
        if source.n_targets > 1:
            raise DataError(
                f"{type(self).__name__}: y should be a 1d array, got {source.n_targets} target columns; fit one per column."
            )
        source, found, factor = self._blocks(source)
        with room_for_codes(source, found.rows, self._descent(np.empty(0), None).outputs) as room:
            if not room:
                given = None if held is None else self._held_back(held, None, None)
                fit_blocks(self, X, y, source, found=found, factor=factor, held=given, stop_rows=EARLY_STOPPING_ROWS)
                return
            target, weight = targets_of(source)
            target = np.ascontiguousarray(target, np.float64)
            weight = self._weighted(target, weight)
            self._fit_listed(X, y, source, target, weight, held=held, encoder=None, mask=None)

    def _fit_listed(
        self,
        X: Any,
        y: Any,
        source: Source,
        target: NDArray,
        weight: NDArray | None,
        *,
        held: tuple[Any, Any, Any] | None,
        encoder: Any,
        mask: NDArray | None,
    ) -> None:
        """Fit to rows whose targets and codes are in memory."""
        d = source.n_features
        counts = category_counts(type(self).__name__, mask, encoder, d, self.max_bins)
        again = self.warm_start and hasattr(self, "_nodes")
        seed = self._seed if again else seed_of(self.random_state)
        growing = self._growing(d, mask, seed)
        stops = len(target) > EARLY_STOPPING_ROWS if self.early_stopping == "auto" else bool(self.early_stopping)
        held = None if held is None else self._held_back(held, encoder, mask)
        share = self.validation_fraction if stops and held is None else None
        n_threads = min(thread_count(), 1 + len(target) * d // WORTH_THREAD)
        team = _core.runtime.threads.Team(n_threads)
        stream = Stream(seed)
        by_class = target if self._target == "classes" else None
        rows = prepare_rows(
            source,
            target=target,
            weight=weight,
            held=held,
            share=share,
            by_class=by_class,
            stream=stream,
            categories=counts,
            max_bins=self.max_bins,
            n_threads=n_threads,
        )
        descent = self._descent(rows.target, rows.weight)
        if again:
            if self.max_iter < self.n_iter_:
                raise ParameterError(
                    f"max_iter={self.max_iter} must be larger than or equal to n_iter_={self.n_iter_} when warm_start==True."
                    " The trees of the last fit are kept; raise max_iter to add more."
                )
            trees, start = self._trees, self._start
        else:
            trees, start = NO_TREES, descent.start(rows.target, rows.weight)
        self._seed = seed
        self.is_categorical_, self._encoder = mask, encoder
        self._fit_boosted(X, y, Boosting(team, descent, growing, rows, trees, start), stops, again)
        self.do_early_stopping_ = stops

    def _fit_boosted(self, X: Any, y: Any, boosting: Boosting, stops: bool, again: bool) -> None:
        """Run the iterations and set what they lead to."""
        team, descent, growing, rows, trees, start = boosting
        model = BoostedModel(pack(trees.nodes, trees.root, trees.sets, descent.outputs), start)
        train, held = rows.with_raw(raw_of_block, model)
        rows.source.forget()  # codes are all that is looked at from here on
        scores = Scores(self, descent, team, rows, train, held) if stops else None
        if scores is not None and again:
            scores.resume(self.train_score_, self.validation_score_)
        elif scores is not None:
            scores.look()
        attributes = partial(boosted_attributes, before=trees, start=start, weighted=rows.weight is not None)
        with reporting(self, self.max_iter, X=X, y=y, attributes=attributes, objective_of="leaving") as report:
            report.begin(list)
            heard = report.listens or self.verbose

            def after(iteration: int, trees: Callable[[], Any]) -> bool:
                loss = -descent.score(team, train.target, train.raw, train.weight) if heard else 0.0
                if self.verbose:
                    logger.info("%s: iteration %d, loss %.6g", type(self).__name__, iteration + 1, loss)
                stop = scores is not None and scores.look()
                return bool(report(iteration + 1, loss, trees)) or stop

            made = boost(
                team,
                descent=descent,
                growing=growing,
                bins=rows.bins,
                train=train,
                held=held,
                iterations=range(len(trees.root) // descent.outputs, self.max_iter),
                after=after,
            )
        vars(self).update(attributes(made))
        self.train_score_ = np.array(scores.train if scores else [])
        self.validation_score_ = np.array(scores.held if scores else [])

    def first_passes(self, max_iter: int) -> Self:
        """Return the fitted model as it was after its first iterations.

        Parameters
        ----------
        max_iter : int
            How many; all that there are, where there are fewer.
        """
        check_is_fitted(self)
        found, trees = copy(self), min(max_iter, self.n_iter_) * self.n_trees_per_iteration_
        found.max_iter = min(max_iter, self.n_iter_)
        if trees < len(self._root):
            found._nodes, found._root = self._nodes[: self._root[trees]].copy(), self._root[:trees].copy()
        found.train_score_, found.validation_score_ = (
            self.train_score_[: max_iter + 1],
            self.validation_score_[: max_iter + 1],
        )
        return found

    def _opened(self, X: Any, y: Any, sample_weight: Any) -> tuple[Source, Any, NDArray | None]:
        """Return rows after all checks, the encoder of their categories and which columns it is for."""
        if validation.home_of(X) != "memory":
            named = self.categorical_features
            if named is not None and not isinstance(named, str) and np.size(named):
                raise ParameterError(
                    f"{type(self).__name__}: categorical_features need rows in memory; encode the columns on the way with"
                    " scan.through(encoder)."
                )
            return self._source(X, y, sample_weight, target=self._target), None, None
        mask, encoder = learn_categories(X, self.categorical_features)
        if y is not None:
            y = column_or_1d(y, warn=True)
        return self._source(as_numbers(X, mask, encoder), y, sample_weight, target=self._target), encoder, mask

    def _held_back(self, held: tuple[Any, Any, Any], encoder: Any, mask: NDArray | None) -> tuple[Any, NDArray, Any]:
        """Return validation rows that were given, as a source, with their encoded target and weights."""
        X, y, weight = held
        source = validation.open_rows(self, as_numbers(X, mask, encoder))
        y = column_or_1d(y, warn=True)
        check_consistent_length(y, np.empty(source.n_rows or 0))
        return source, self._encoded(y, fitted=True), validation.check_weight(self, weight, len(y))

    def _growing(self, d: int, mask: NDArray | None, seed: int) -> Growing:
        """Return what limits the trees, after the checks that need the columns."""
        if self.monotonic_cst is not None and getattr(self, "n_trees_per_iteration_", 1) > 1:
            raise ParameterError(
                "monotonic constraints are not supported for multiclass classification. Leave monotonic_cst out, or fit one"
                " class against the rest."
            )
        monotone = np.asarray(sklearn_private.check_monotonic_cst(self, self.monotonic_cst), np.int8)
        if mask is not None and monotone[mask].any():
            raise ParameterError("Categorical features cannot have monotonic constraints.")
        sets = column_sets(type(self).__name__, self.interaction_cst, d)
        return Growing(
            learning_rate=float(self.learning_rate),
            max_leaf_nodes=self.max_leaf_nodes,
            max_depth=self.max_depth,
            min_samples_leaf=int(self.min_samples_leaf),
            l2_regularization=float(self.l2_regularization),
            max_features=float(self.max_features),
            monotone=np.ascontiguousarray(monotone),
            together=[sorted(int(j) for j in group) for group in sets or []],
            seed=seed,
        )

    def _should_stop(self, scores: list[float]) -> bool:
        return should_stop(scores, self.n_iter_no_change, self.tol)

    def _check_interaction_cst(self, n_features: int) -> list[set[int]] | None:
        return column_sets(type(self).__name__, self.interaction_cst, n_features)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags
