r"""Epochs of stochastic gradient descent for one linear function, until they stop helping.

    minimise  (1/n) sum_i c_i L(f(x_i), y_i) + alpha ((1 - rho)/2 |w|^2 + rho |w|_1),   f(x) = w'x + b          (1)
    one step  w <- max(0, 1 - eta (1 - rho) alpha) w - eta c_i L'(f(x_i), y_i) x_i                              (2)
    eta       eta0  |  1 / (alpha (t0 + t - 1)), t0 = alpha^(-3/4)  |  eta0 / t^power  |  passive-aggressive     (3)
    stop      when (1), measured on the way, or the score on rows held back, was not better than the best by tol
              for `patience` epochs; an adaptive rate is divided by 5 instead until it is 1e-6                   (4)

The steps themselves, the cumulative L1 penalty and the lazy average are in cpp/include/novum/linear_model/sgd.h. The order
of an epoch is that of novum.fold.dealing in every home, numbered by the step at which an epoch or a bucket begins; a batch that a
portion cannot fill takes the first rows of the next. Derivation: docs/theory/online_learning.md.
"""

from collections.abc import Callable
from copy import copy
from typing import Any, NamedTuple, Self

import numpy as np
import scipy.sparse

from novum import _core
from novum.exceptions import DataError
from novum.runtime.random import purpose_code

__all__ = [
    "LOSSES",
    "RATES",
    "Descent",
    "LinearFunction",
    "Settings",
    "Stopping",
    "TargetRows",
    "Update",
    "offset_of",
]

# Places in the enumerations of novum/linear_model/sgd.h, and the edge of the loss where it is fixed.
LOSSES: dict[str, tuple[int, float | None]] = {
    "hinge": (0, 1.0),
    "perceptron": (0, 0.0),
    "sign": (1, 0.0),
    "squared_hinge": (2, 1.0),
    "log_loss": (3, 0.0),
    "modified_huber": (4, 0.0),
    "squared_error": (5, 0.0),
    "huber": (6, None),
    "epsilon_insensitive": (7, None),
    "squared_epsilon_insensitive": (8, None),
}
RATES = {"constant": 0, "adaptive": 0, "optimal": 1, "invscaling": 1, "pa1": 2, "pa2": 3}
SLOWER, SLOWEST = 5.0, 1e-6  # an adaptive rate: divided by the first, until it is below the second
PURPOSE = purpose_code("order of an epoch")


class Settings(NamedTuple):
    """What the steps depend on."""

    loss: str
    epsilon: float
    rate: str
    eta0: float
    power: float
    alpha: float  # 0: no penalty
    rho: float
    alpha_of_rate: float  # alpha of (3), which has a meaning without a penalty too
    decay: float  # of the steps of the intercept; 0: none
    batch: int
    mean: bool  # steps by the mean of a batch, or by its sum
    first: int  # step at which averaging begins; 0: never

    def compiled(self, eta0: float) -> Any:
        """Return the plan of the kernel at a step size."""
        code, edge = LOSSES[self.loss]
        optimal = self.rate == "optimal"
        return _core.linear_model.sgd.plan(
            code,
            epsilon=self.epsilon if edge is None else edge,
            rate=RATES[self.rate],
            eta0=1 / self.alpha_of_rate if optimal else eta0,
            power=1.0 if optimal else self.power,
            t0=offset_of(self.alpha_of_rate) if optimal else 1.0,
            alpha=self.alpha,
            rho=self.rho if self.alpha else 0.0,
            decay=self.decay,
            batch=self.batch,
            mean=self.mean,
            first=float(self.first),
        )


class TargetRows(NamedTuple):
    """Rows with numbers or labels -1, +1 as targets."""

    X: Any  # (n, d) row-major or CSR
    y: np.ndarray  # (n,) float64
    weight: np.ndarray | None  # (n,)
    rows: np.ndarray | None  # those that take part; None: all

    def take(self, rows: np.ndarray) -> "TargetRows":
        """Return some rows, copied."""
        return TargetRows(self.X[rows], self.y[rows], None if self.weight is None else self.weight[rows], None)


class LinearFunction(NamedTuple):
    """A linear function in training."""

    coef: np.ndarray  # (d,)
    intercept: float
    average_coef: np.ndarray | None  # (d,) float64
    average_intercept: float
    t: float  # the next step, from 1


class Stopping(NamedTuple):
    max_iter: int
    tol: float | None
    patience: int
    clean: bool  # also stop after an epoch without an update: every later one would be the same


class Descent(NamedTuple):
    machine: LinearFunction
    n_iter: int
    updates: list[float]  # of every epoch
    objective: list[float]  # (1) of every epoch, or the score


class Update(NamedTuple):
    """A step that changed a machine."""

    machine: int
    rows: np.ndarray  # of the batch, by number; one where batch_size is 1
    before: np.ndarray  # (d + 1,), the intercept last
    after: np.ndarray  # (d + 1,)


def offset_of(alpha: float) -> float:
    """Return t0 of (3): the first step is then alpha^(-1/4), the size of w that the penalty lets expect."""
    return alpha**-0.75


def kernel_of(X: Any) -> Callable:
    """Return the kernel with its rows bound."""
    if scipy.sparse.issparse(X):
        return lambda **rest: _core.linear_model.sgd.sparse(X.data, X.indices, X.indptr, **rest)
    return lambda **rest: _core.linear_model.sgd.dense(X, **rest)


def stacked(a: TargetRows, b: TargetRows) -> TargetRows:
    """Return the rows of a, then those of b; neither leaves any out."""
    X = scipy.sparse.vstack([a.X, b.X], "csr") if scipy.sparse.issparse(a.X) else np.concatenate([a.X, b.X])
    weight = None if a.weight is None or b.weight is None else np.concatenate([a.weight, b.weight])
    return TargetRows(X, np.concatenate([a.y, b.y]), weight, None)


class Epochs:
    """A machine on its way: it visits the rows of an epoch portion by portion, then closes the epoch, until (4) says `done`.

    Without a seed the rows of a portion are visited as they lie.
    """

    _in_journals = True  # novum.runtime.journal.values

    def __init__(self, settings: Settings, start: LinearFunction, stopping: Stopping, seed: int | None) -> None:
        self.settings, self.stopping, self.seed = settings, stopping, seed
        averaged = max(0.0, start.t - settings.first) if settings.first else 0.0
        self.w = start.coef.copy()
        self.total = None if start.average_coef is None else start.average_coef * averaged
        self.paid = np.zeros_like(self.w) if settings.alpha and settings.rho else None
        self.numbers = np.array([start.intercept, start.average_intercept * averaged, 0.0, start.t, 0.0])
        self.eta = settings.eta0
        self.best, self.waited, self.done = np.inf, 0, False
        self.loss, self.rows = 0.0, 0  # of the epoch so far
        self.rest: TargetRows | None = None  # in their order: the beginning of a batch that the next portion fills
        self.updates: list[float] = []
        self.objective: list[float] = []
        self.steps: list[Update] | None = None  # those of a copy that is to write them down

    def __copy__(self) -> Self:
        """Return the machine with arrays of its own, which may then be stepped while this one stays."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin.w, twin.numbers = self.w.copy(), self.numbers.copy()
        twin.total = None if self.total is None else self.total.copy()
        twin.paid = None if self.paid is None else self.paid.copy()
        return twin

    @property
    def step(self) -> int:
        """Number of the next step: what orders depend on."""
        return int(self.numbers[3]) % 2**32

    def visit(self, problem: TargetRows, last: bool = True) -> None:
        """Step over the rows of one portion; a short batch waits for the next one unless this is the last."""
        order = np.arange(problem.X.shape[0]) if problem.rows is None else problem.rows
        if self.seed is not None:
            places = np.empty(len(order), np.int64)
            _core.linear_model.sgd.shuffle(self.seed, PURPOSE, self.step, places)
            order = places if problem.rows is None else order[places]
        batch = self.settings.batch
        if self.rest is not None:
            missing = batch - len(self.rest.y)
            head, order = stacked(self.rest, problem.take(order[:missing])), order[missing:]
            if len(head.y) < batch and not last:
                self.rest = head
                return
            self.rest = None
            self._run(head, np.arange(len(head.y)))
        full = len(order) if last else len(order) // batch * batch
        if full:
            self._run(problem, order[:full])
        if full < len(order):
            self.rest = problem.take(order[full:])

    def line(self) -> np.ndarray:
        """Return weights and intercept as they are, copied."""
        return np.append(self.w, self.numbers[0])

    def _run(self, problem: TargetRows, order: np.ndarray) -> None:
        """Step over rows in an order."""
        if self.steps is None:
            self._run_batches(problem, order)
            return
        for begin in range(0, len(order), self.settings.batch):
            batch, before = order[begin : begin + self.settings.batch], self.line()
            self._run_batches(problem, batch)
            after = self.line()
            if not np.array_equal(before, after):
                self.steps.append(Update(0, batch, before, after))

    def _run_batches(self, problem: TargetRows, order: np.ndarray) -> None:
        self.loss += kernel_of(problem.X)(
            y=problem.y,
            weight=problem.weight,
            order=order,
            plan=self.settings.compiled(self.eta),
            w=self.w,
            total=self.total,
            paid=self.paid,
            numbers=self.numbers,
        )
        self.rows += len(order)
        if not (np.isfinite(self.numbers[0]) and np.isfinite(self.w).all()):
            raise self._overflow(len(self.objective) + 1)

    def _overflow(self, epoch: int) -> DataError:
        return DataError(
            f"Floating-point under-/overflow occurred at epoch #{epoch}. Scaling input data with"
            f" StandardScaler or MinMaxScaler might help, or a smaller eta0 than {self.settings.eta0:g}."
        )

    def visit_all(self, problem: TargetRows) -> None:
        """Visit and close epoch after epoch over the same rows until (4), all in one call of the core."""
        X, stopping = problem.X, self.stopping
        rows = (X.data, X.indices, X.indptr) if scipy.sparse.issparse(X) else (X,)
        run: Any = _core.linear_model.sgd.dense_epochs if len(rows) == 1 else _core.linear_model.sgd.sparse_epochs
        self.objective, self.updates, finite = run(
            *rows,
            y=problem.y,
            weight=problem.weight,
            order=np.arange(X.shape[0]) if problem.rows is None else problem.rows,
            plan=self.settings.compiled(self.eta),
            w=self.w,
            total=self.total,
            paid=self.paid,
            numbers=self.numbers,
            seed=self.seed,
            purpose=PURPOSE,
            stopping=_core.linear_model.sgd.stopping(
                stopping.max_iter, stopping.tol, stopping.patience, stopping.clean, self.settings.rate == "adaptive"
            ),
        )
        if not finite:
            raise self._overflow(len(self.objective))
        self.done = True

    def close(self, score: Callable[[np.ndarray, float], float] | None = None) -> None:
        """End an epoch: keep its objective, or the score, and decide whether there is another."""
        stopping = self.stopping
        value = self.loss / max(1, self.rows) if score is None else -score(self.w, float(self.numbers[0]))
        self.updates.append(float(self.numbers[4]))
        self.objective.append(value if score is None else -value)
        self.loss, self.rows, self.numbers[4] = 0.0, 0, 0.0
        if stopping.tol is not None:
            self.waited = self.waited + 1 if value > self.best - stopping.tol else 0
            self.best = min(self.best, value)
        self.done = len(self.objective) >= stopping.max_iter or (stopping.clean and not self.updates[-1])
        if self.waited >= stopping.patience and not self.done:
            if self.settings.rate != "adaptive" or self.eta <= SLOWEST:
                self.done = True
            else:
                self.eta, self.waited = self.eta / SLOWER, 0

    def snapshot(self) -> Descent:
        """Return a copy of what the epochs have come to."""
        return copy(self).result()

    def result(self) -> Descent:
        """Return what the epochs came to."""
        machine = finish_machine(self.settings, self.w, self.total, self.numbers)
        return Descent(machine, len(self.objective), self.updates[:], self.objective[:])


def finish_machine(settings: Settings, w: np.ndarray, total: np.ndarray | None, numbers: np.ndarray) -> LinearFunction:
    """Return the machine after its last step."""
    averaged = max(1.0, numbers[3] - settings.first)
    mean = None if total is None else total / averaged
    return LinearFunction(w, float(numbers[0]), mean, float(numbers[1]) / averaged, float(numbers[3]))
