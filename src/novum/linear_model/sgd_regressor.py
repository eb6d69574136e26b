r"""Linear regression by stochastic gradient descent; least mean squares (LMS) where the loss is squared and nothing is penalised.

    squared_error  (y - f)^2 / 2:   w <- w + eta (y - f) x                                                      (1)
    huber          (y - f)^2 / 2 up to |y - f| = epsilon, then linear                                           (2)
    epsilon_insensitive  max(0, |y - f| - epsilon),  and its square                                             (3)

Steps: novum.linear_model.online.epochs.
"""

from functools import partial
from typing import Any, Literal, Self

import numpy as np
from sklearn.metrics import r2_score
from sklearn.model_selection import ShuffleSplit
from sklearn.utils.validation import column_or_1d

from novum.base.callbacks import SILENT, by_learning, reporting
from novum.base.domains import Choice, Domain
from novum.base.estimator import fits
from novum.base.fitted import check_is_fitted
from novum.base.history import History
from novum.base.sklearn_base import RegressorMixin
from novum.exceptions import DataError
from novum.fold.blocks import Block, Source
from novum.fold.dealing import deal_of_table
from novum.linear_model.decisions import SparseCoefficients, dense_coef
from novum.linear_model.least_squares.model import Line, predict_block
from novum.linear_model.online.descents import Problem, descend, descend_by_portions, descend_together
from novum.linear_model.online.epochs import (
    Descent,
    LinearFunction,
    Settings,
    Stopping,
    TargetRows,
)
from novum.linear_model.online.learner import COMMON, STEPS, Data, OnlineLearner, data_of
from novum.linear_model.online.schedules import schedule_of
from novum.optimize import Schedule
from novum.runtime.typing import Numbers, Rows, RowWeights, Seed, Target

__all__ = ["SGDRegressor"]

LOSSES = ("squared_error", "huber", "epsilon_insensitive", "squared_epsilon_insensitive")


def determination(X: Any, y: np.ndarray, weight: np.ndarray | None, coef: np.ndarray, intercept: float) -> float:
    """Return R^2 on rows held back."""
    return float(r2_score(y, X @ coef + intercept, sample_weight=weight))


def portion(block: Block) -> TargetRows:
    """Return the rows of a block."""
    data = data_of(block.X, block.y, block.weight)
    return TargetRows(data.X, data.y.astype(np.float64), data.weight, data.rows)


class SGDRegressor(SparseCoefficients, RegressorMixin, OnlineLearner):
    """Linear regression by stochastic gradient descent.

    Parameters
    ----------
    loss : {"squared_error", "huber", "epsilon_insensitive", "squared_epsilon_insensitive"}, default="squared_error"
    penalty, alpha, l1_ratio, fit_intercept, max_iter, tol, shuffle, verbose, epsilon, random_state, eta0, \
n_iter_no_change, validation_fraction, warm_start, average, batch_size
        As in SGDClassifier.
    learning_rate : {"invscaling", "optimal", "constant", "adaptive", "pa1", "pa2"}, default="invscaling"
    power_t : float, default=0.25
        Exponent of "invscaling".
    early_stopping : bool, default=False
        Judge the epochs by R^2 on rows held back.

    Attributes
    ----------
    coef_ : array of shape (n_features,)
    intercept_ : array of shape (1,)
    n_iter_, n_updates_, t_, history_
        As in SGDClassifier.

    Examples
    --------
    One step of least mean squares, from zero:

    >>> import numpy as np
    >>> from novum.linear_model import SGDRegressor
    >>> lms = SGDRegressor(penalty=None, learning_rate="constant", eta0=0.1, fit_intercept=False)
    >>> lms.partial_fit([[1.0, 2.0]], [4.0]).coef_
    array([0.4, 0.8])
    """

    _passive_loss = "epsilon_insensitive"
    _domains: dict[str, Domain] = {**COMMON, **STEPS, "loss": Choice(*LOSSES)}
    intercept_: np.ndarray
    n_iter_: int
    n_updates_: int
    history_: History

    def __init__(
        self,
        loss: Literal["squared_error", "huber", "epsilon_insensitive", "squared_epsilon_insensitive"] = "squared_error",
        *,
        penalty: Literal["l2", "l1", "elasticnet"] | None = "l2",
        alpha: float = 0.0001,
        l1_ratio: float | None = 0.15,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float | None = 1e-3,
        shuffle: bool = True,
        verbose: bool | int = 0,
        epsilon: float = 0.1,
        random_state: Seed = None,
        learning_rate: Literal["constant", "optimal", "invscaling", "adaptive", "pa1", "pa2"] = "invscaling",
        eta0: float = 0.01,
        power_t: float = 0.25,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        warm_start: bool = False,
        average: bool | int = False,
        batch_size: int | None = 1,
    ) -> None:
        self.loss = loss
        self.penalty = penalty
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.verbose = verbose
        self.epsilon = epsilon
        self.random_state = random_state
        self.learning_rate = learning_rate
        self.eta0 = eta0
        self.power_t = power_t
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.warm_start = warm_start
        self.average = average
        self.batch_size = batch_size

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
        coef_init : array-like of shape (n_features,), default=None
            Where to start; None: zero.
        intercept_init : array-like of shape (1,), default=None
        sample_weight : array-like of shape (n_samples,), default=None
            Multiplies the steps of a row; zero leaves it out.
        """
        start = self._first_start(coef_init, intercept_init)
        source = self._numbers(X, y, sample_weight, True)
        (machine,) = self._machines(1, source.n_features, source.dtype, *start)
        attributes = by_learning(self, lambda twin, descents: twin._keep(descents[0], source.dtype))
        options: dict[str, Any] = {"X": X, "y": y, "sample_weight": sample_weight, "objective_of": "during"}
        with reporting(self, self.max_iter, attributes=attributes, **options) as report:
            self._learn(source, machine, self.max_iter, report)
        self._report()
        return self

    @fits
    def partial_fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Run one epoch over one more portion, from where the last ended; parameters as in `fit`."""
        first = not hasattr(self, "coef_")
        if first:
            self._check_steps(partial=True)
        source = self._numbers(X, y, sample_weight, first)
        dtype = source.dtype
        (machine,) = self._machines(1, source.n_features, dtype, None, None) if first else self._resumed()
        self._learn(source, machine._replace(coef=machine.coef.astype(dtype, copy=False)), 1, SILENT)
        return self

    def _numbers(self, X: Any, y: Any, sample_weight: Any, reset: bool) -> Source:
        flat = y if y is None or type(y).__module__.startswith("dask") else column_or_1d(y, warn=True)
        source = self._open(X, flat, sample_weight, "numeric", reset)
        if source.n_targets > 1:
            raise DataError(
                f"{type(self).__name__}: y should be a 1d array, got {source.n_targets} target columns instead."
            )
        return source

    def _learn(self, source: Source, machine: LinearFunction, max_iter: int, report: Any) -> None:
        """Train and store."""
        settings, stopping = self._settings(source), self._stopping(max_iter)
        if source.at_hand:
            done = self._descended(self._in_memory(source), settings, machine, stopping, report)
        else:
            (done,) = descend_by_portions(
                source, [portion], settings, [machine], stopping, seed=self._seed(), n_jobs=1, report=report
            )
        self._keep(done, source.dtype)

    def _keep(self, done: Descent, dtype: np.dtype) -> None:
        """Store what the machine has come to."""
        coef, self.intercept_ = self._keep_machines([done.machine], dtype)
        self.coef_ = coef[0]
        for name in ("_standard_coef", "_average_coef"):
            if hasattr(self, name):
                setattr(self, name, getattr(self, name)[0])
        self.n_iter_, self.n_updates_ = done.n_iter, int(sum(done.updates))
        name = "validation score" if self.early_stopping else "objective"
        self.history_ = History(done.objective, {"updates": done.updates}, name=name)

    def _descended(
        self, data: Data, settings: Settings, machine: LinearFunction, stopping: Stopping, report: Any
    ) -> Descent:
        """Train on rows in memory."""
        y, rows, score = data.y.astype(np.float64), data.rows, None
        if self.early_stopping:
            splitter = ShuffleSplit(test_size=self.validation_fraction, random_state=self._split_state())
            kept, held = next(splitter.split(y[:, None]))
            weight = None if data.weight is None else data.weight[held]
            if weight is not None and not weight.any():
                raise DataError(
                    "The sample weights for validation set are all zero, consider using a different random state."
                )
            rows = np.sort(kept if data.weight is None else kept[data.weight[kept] > 0])
            score = partial(determination, data.X[held], y[held], weight)
        problem, seed = TargetRows(data.X, y, data.weight, rows), self._seed()
        deal = deal_of_table(data.X.shape, seed or 0)
        if report.listens:
            return descend_together([Problem(problem, machine, score)], settings, stopping, seed, deal, report)[0]
        return descend(problem, settings, machine, stopping, seed, deal, score)

    def schedule(self) -> Schedule:
        """Return the step sizes as a schedule of novum.optimize, which knows whether they meet Robbins and Monro."""
        return schedule_of(self)

    def predict(self, X: Rows) -> Any:
        """Return the prediction for every row of X."""
        check_is_fitted(self)
        line = Line(np.atleast_2d(dense_coef(self.coef_)), np.atleast_1d(self.intercept_), True)
        return self._rows(X, predict_block, line)
