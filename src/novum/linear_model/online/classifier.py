r"""Classifiers that step row by row: two classes by one linear function, K classes by K, each against the rest.

    y_i = +1 for rows of class k, -1 for the others;   predict argmax_k w_k'x + b_k                             (1)

With two classes there is one function, positive for the second. `class_weight` multiplies the steps of the positive class, and
those of the other class where there are two.
"""

from functools import partial
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.utils import compute_class_weight

from novum.base.callbacks import SILENT, by_learning, reporting
from novum.base.classes import labels_of
from novum.base.domains import Choice, ClassWeight, Domain, Int, Null
from novum.base.estimator import fits
from novum.base.history import History
from novum.exceptions import DataError, ParameterError
from novum.fold.blocks import Block, Source
from novum.fold.dealing import deal_of_table
from novum.linear_model.decisions import LinearDecisions
from novum.linear_model.online.descents import Problem, descend, descend_by_portions, descend_together
from novum.linear_model.online.epochs import (
    Descent,
    LinearFunction,
    Settings,
    Stopping,
    TargetRows,
)
from novum.linear_model.online.learner import COMMON, Data, OnlineLearner, data_of
from novum.runtime.pool import map_ordered
from novum.runtime.threads import thread_count
from novum.runtime.typing import Numbers, Rows, RowWeights, Target

__all__ = ["CLASSIFIER_DOMAINS", "OnlineClassifier"]

CLASSIFIER_DOMAINS: dict[str, Domain] = {
    **COMMON,
    "n_jobs": Int() | Null(),
    "class_weight": Choice("balanced") | ClassWeight() | Null(),
}


class Held(NamedTuple):
    """Rows held back to judge the epochs."""

    X: Any
    y: np.ndarray  # -1 and +1
    weight: np.ndarray | None


def accuracy(held: Held, coef: np.ndarray, intercept: float) -> float:
    """Return the share of rows on the right side."""
    right = np.where(held.X @ coef + intercept > 0, 1.0, -1.0) == held.y
    return float(np.average(right, weights=held.weight))


def signed_targets(code: np.ndarray, k: int, n_classes: int) -> np.ndarray:
    """Return the targets (1) of machine k."""
    return np.where(code == (1 if n_classes == 2 else k), 1.0, -1.0)


def weights_of(data: Data, y: np.ndarray, positive: float, negative: float) -> np.ndarray | None:
    """Return the weights of rows and classes together, None where all are one."""
    if positive == 1 and negative == 1:
        return data.weight
    by_class = np.where(y > 0, positive, negative)
    return by_class if data.weight is None else by_class * data.weight


def signed_problem(index: int, by_class: np.ndarray, data: Data) -> TargetRows:
    """Return the rows as machine `index` sees them, with the weights of the classes in theirs."""
    y = signed_targets(data.y, index, len(by_class))
    positive, negative = (by_class[1], by_class[0]) if len(by_class) == 2 else (by_class[index], 1.0)
    return TargetRows(data.X, y, weights_of(data, y, positive, negative), data.rows)


def portion(index: int, by_class: np.ndarray, block: Block) -> TargetRows:
    """Return the rows of a block as machine `index` sees them."""
    return signed_problem(index, by_class, data_of(block.X, block.y, block.weight))


class Sizes(NamedTuple):
    rows: np.ndarray  # (k,)


def class_sizes(k: int, block: Block) -> Sizes:
    """Return the number of rows of every class."""
    return Sizes(np.bincount(np.asarray(block.y), minlength=k))


def joint_history(descents: list[Descent], name: str) -> History:
    """Return the objective of every epoch, averaged over the machines; one that has stopped keeps its last value."""
    longest = max(d.n_iter for d in descents)
    padded = np.array([d.objective + [d.objective[-1]] * (longest - d.n_iter) for d in descents])
    updates = np.array([d.updates + [0.0] * (longest - d.n_iter) for d in descents])
    return History(padded.mean(axis=0).tolist(), {"updates": updates.sum(axis=0).tolist()}, name=name)


class OnlineClassifier(LinearDecisions, OnlineLearner):
    """Base of the classifiers that step row by row."""

    n_iter_: int
    n_updates_: int
    history_: History
    class_weight: Any
    early_stopping: bool
    max_iter: int
    n_jobs: int | None
    validation_fraction: float
    warm_start: bool

    @fits
    def fit(
        self,
        X: Rows,
        y: Target = None,
        coef_init: Numbers | None = None,
        intercept_init: Numbers | None = None,
        sample_weight: RowWeights = None,
    ) -> Self:
        """Fit from scratch, or with `warm_start` from the last fit.

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan or Dask collection of shape (n_samples, n_features)
            The order of the rows is the same in every home.
        y : array-like of shape (n_samples,)
            None for a scan, which brings its target.
        coef_init : array-like of shape (n_classes, n_features), default=None
            Where to start; one row for two classes. None: zero.
        intercept_init : array-like of shape (n_classes,), default=None
        sample_weight : array-like of shape (n_samples,), default=None
            Multiplies the steps of a row; zero leaves it out.
        """
        start = self._first_start(coef_init, intercept_init)
        source = self._open(X, y, sample_weight, "classes", True)
        self.classes_, coded = labels_of(source)
        machines = self._machines(self._n_machines(), source.n_features, source.dtype, *start)
        attributes = by_learning(self, lambda twin, descents: twin._keep(descents, source.dtype))
        options: dict[str, Any] = {"X": X, "y": y, "sample_weight": sample_weight, "objective_of": "during"}
        with reporting(self, self.max_iter, attributes=attributes, **options) as report:
            self._learn(coded, machines, self.max_iter, report)
        self._report()
        return self

    @fits
    def partial_fit(
        self, X: Rows, y: Target = None, classes: Numbers | None = None, sample_weight: RowWeights = None
    ) -> Self:
        """Run one epoch over one more portion, from where the last ended.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.
        classes : array-like of shape (n_classes,)
            All labels that can ever occur; needed at the first call.
        """
        first = not hasattr(self, "classes_")
        if first:
            self._check_steps(partial=True)
            self._check_portions(classes)
        known = self.classes_ if classes is None else np.unique(np.asarray(classes))
        if not first and not np.array_equal(known, self.classes_):
            raise ParameterError(
                f"`classes={classes!r}` is not the same as on last call to partial_fit, was: {self.classes_!r}."
                f" {type(self).__name__} learns a fixed set of classes; name them all at the first call."
            )
        source = self._open(X, y, sample_weight, "classes", first)
        self.classes_, coded = labels_of(source, known)
        k, d, dtype = self._n_machines(), source.n_features, source.dtype
        machines = self._machines(k, d, dtype, None, None) if first else self._resumed()
        self._learn(coded, [m._replace(coef=m.coef.astype(dtype, copy=False)) for m in machines], 1, SILENT)
        return self

    def _check_portions(self, classes: Any) -> None:
        if classes is None:
            raise ParameterError(
                "classes must be passed on the first call to partial_fit. Give every label that can occur."
            )
        if self.class_weight == "balanced":
            raise ParameterError(
                "class_weight 'balanced' is not supported for partial_fit. In order to use 'balanced' weights, use"
                " compute_class_weight('balanced', classes=classes, y=y). In place of y you can use a large enough sample of"
                " the full training set target to properly estimate the class frequency distributions. Pass the resulting"
                " weights as the class_weight parameter."
            )

    def _n_machines(self) -> int:
        count = len(self.classes_)
        if count < 2:
            raise DataError(
                f"The number of classes has to be greater than one; got {count} class. {type(self).__name__} needs rows of"
                " two classes to find what sets them apart."
            )
        return 1 if count == 2 else count

    def _learn(self, source: Source, machines: list[LinearFunction], max_iter: int, report: Any) -> None:
        """Train all machines on rows with class codes and store them."""
        if self.class_weight == "balanced":
            count = source.without_features().total(class_sizes, len(self.classes_)).rows
            expanded = count.sum() / (len(count) * np.maximum(1, count))
        elif self.class_weight is None:
            expanded = np.ones(len(self.classes_))
        else:
            expanded = compute_class_weight(self.class_weight, classes=self.classes_, y=self.classes_)
        stopping = self._stopping(max_iter)
        if source.at_hand:
            data = self._in_memory(source)
            descents = self._descended(data, self._settings(source), expanded, machines, stopping, report)
        else:
            problems = [partial(portion, index, expanded) for index in range(len(machines))]
            options: dict[str, Any] = {"seed": self._seed(), "n_jobs": self.n_jobs, "report": report}
            descents = descend_by_portions(source, problems, self._settings(source), machines, stopping, **options)
        self._keep(descents, source.dtype)

    def _keep(self, descents: list[Descent], dtype: np.dtype) -> None:
        """Store what the machines have come to."""
        self.coef_, self.intercept_ = self._keep_machines([d.machine for d in descents], dtype)
        self.n_iter_ = max(d.n_iter for d in descents)
        self.n_updates_ = int(sum(sum(d.updates) for d in descents))
        self._clean = False
        if not self.n_iter_:
            return
        self.history_ = joint_history(descents, "validation score" if self.early_stopping else "objective")
        self._clean = all(not d.updates[-1] for d in descents)

    def _descended(
        self,
        data: Data,
        settings: Settings,
        expanded: np.ndarray,
        machines: list[LinearFunction],
        stopping: Stopping,
        report: Any,
    ) -> list[Descent]:
        """Train one machine after the other, or several at a time, on rows in memory; side by side where somebody listens."""
        held, seed = self._held_back(data, data.y) if self.early_stopping else None, self._seed()
        deal = deal_of_table(data.X.shape, seed or 0)
        rows = data.rows
        if held is not None:
            kept = np.ones(len(data.y), bool)
            kept[held] = False
            rows = np.flatnonzero(kept if data.weight is None else kept & (data.weight > 0))

        def problem_of(index: int) -> Problem:
            problem = signed_problem(index, expanded, data)._replace(rows=rows)
            score = None
            if held is not None:
                weight = None if data.weight is None else data.weight[held]
                score = partial(accuracy, Held(data.X[held], problem.y[held], weight))
            return Problem(problem, machines[index], score)

        if report.listens:
            problems = [problem_of(index) for index in range(len(machines))]
            return descend_together(problems, settings, stopping, seed, deal, report)

        def train(index: int) -> Descent:
            problem = problem_of(index)
            return descend(problem.rows, settings, problem.start, stopping, seed, deal, problem.score)

        threads = 1 if len(machines) == 1 else min(thread_count(self.n_jobs), len(machines))
        return list(map_ordered(train, range(len(machines)), threads))

    def _held_back(self, data: Data, code: np.ndarray) -> np.ndarray:
        """Return the rows that judge the epochs."""
        splitter = StratifiedShuffleSplit(test_size=self.validation_fraction, random_state=self._split_state())
        _, held = next(splitter.split(np.zeros((len(code), 1)), code))
        if data.weight is not None and not data.weight[held].any():
            raise DataError(
                "The sample weights for validation set are all zero, consider using a different random state."
                f" {type(self).__name__} holds back a share of {self.validation_fraction:g} of the rows."
            )
        return held
