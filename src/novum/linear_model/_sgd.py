r"""Epochs of stochastic gradient descent for one linear function, until they stop helping.

    minimise  (1/n) sum_i c_i L(f(x_i), y_i) + alpha ((1 - rho)/2 |w|^2 + rho |w|_1),   f(x) = w'x + b          (1)
    one step  w <- max(0, 1 - eta (1 - rho) alpha) w - eta c_i L'(f(x_i), y_i) x_i                              (2)
    eta       eta0  |  1 / (alpha (t0 + t - 1)), t0 = alpha^(-3/4)  |  eta0 / t^power  |  passive-aggressive     (3)
    stop      when (1), measured on the way, or the score on rows held back, was not better than the best by tol
              for `patience` epochs; an adaptive rate is divided by 5 instead until it is 1e-6                   (4)

The steps themselves, the cumulative L1 penalty and the lazy average are in cpp/include/novum/sgd.h. The order of an epoch is
a function of the seed and of the step at which the epoch begins. Derivation: docs/theory/online_learning.md.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse

from novum import _core
from novum._random import purpose_code
from novum.exceptions import DataError

__all__ = ["LOSSES", "RATES", "Descent", "Machine", "Problem", "Settings", "Stopping", "descend", "offset_of"]

# Places in the enumerations of novum/sgd.h, and the edge of the loss where it is fixed.
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
        return _core.sgd.plan(
            code,
            self.epsilon if edge is None else edge,
            RATES[self.rate],
            1 / self.alpha_of_rate if optimal else eta0,
            1.0 if optimal else self.power,
            offset_of(self.alpha_of_rate) if optimal else 1.0,
            self.alpha,
            self.rho if self.alpha else 0.0,
            self.decay,
            self.batch,
            self.mean,
            float(self.first),
        )


class Problem(NamedTuple):
    """Rows with numbers or labels -1, +1 as targets."""

    X: Any  # (n, d) row-major or CSR
    y: np.ndarray  # (n,) float64
    weight: np.ndarray | None  # (n,)
    rows: np.ndarray | None  # those that take part; None: all


class Machine(NamedTuple):
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
    machine: Machine
    n_iter: int
    updates: list[float]  # of every epoch
    objective: list[float]  # (1) of every epoch, or the score


def offset_of(alpha: float) -> float:
    """Return t0 of (3): the first step is then alpha^(-1/4), the size of w that the penalty lets expect."""
    return alpha**-0.75


def kernel_of(X: Any) -> Callable:
    """Return the kernel with its rows bound."""
    if scipy.sparse.issparse(X):
        return lambda *rest: _core.sgd.sparse(X.data, X.indices, X.indptr, *rest)
    return lambda *rest: _core.sgd.dense(X, *rest)


def descend(
    problem: Problem,
    settings: Settings,
    start: Machine,
    stopping: Stopping,
    seed: int | None,
    score: Callable[[np.ndarray, float], float] | None = None,
) -> Descent:
    """Run epochs from `start` until (4); without a seed the rows are visited as they lie."""
    run, n = kernel_of(problem.X), problem.X.shape[0]
    w = start.coef.copy()
    averaged = max(0.0, start.t - settings.first) if settings.first else 0.0
    total = None if start.average_coef is None else start.average_coef * averaged
    paid = np.zeros_like(w) if settings.alpha and settings.rho else None
    numbers = np.array([start.intercept, start.average_intercept * averaged, 0.0, start.t, 0.0])
    chosen = np.arange(n) if problem.rows is None else problem.rows
    order = np.empty(len(chosen), np.int64)
    eta, plan = settings.eta0, settings.compiled(settings.eta0)
    best, waited = np.inf, 0
    updates: list[float] = []
    objective: list[float] = []
    while len(objective) < stopping.max_iter:
        if seed is not None:
            _core.sgd.shuffle(seed, PURPOSE, int(numbers[3]) % 2**32, order)
        visited = chosen if seed is None else order if problem.rows is None else chosen[order]
        numbers[4] = 0.0
        value = run(problem.y, problem.weight, visited, plan, w, total, paid, numbers) / len(chosen)
        if not (np.isfinite(numbers[0]) and np.isfinite(w).all()):
            raise DataError(
                f"Floating-point under-/overflow occurred at epoch #{len(objective) + 1}. Scaling input data with"
                f" StandardScaler or MinMaxScaler might help, or a smaller eta0 than {settings.eta0:g}."
            )
        if score is not None:
            value = -score(w, float(numbers[0]))
        updates.append(float(numbers[4]))
        objective.append(value if score is None else -value)
        if stopping.tol is not None:
            waited = waited + 1 if value > best - stopping.tol else 0
            best = min(best, value)
        if stopping.clean and not updates[-1]:
            break
        if waited >= stopping.patience:
            if settings.rate != "adaptive" or eta <= SLOWEST:
                break
            eta, waited = eta / SLOWER, 0
            plan = settings.compiled(eta)
    return Descent(finished(settings, w, total, numbers), len(objective), updates, objective)


def finished(settings: Settings, w: np.ndarray, total: np.ndarray | None, numbers: np.ndarray) -> Machine:
    """Return the machine after its last step."""
    averaged = max(1.0, numbers[3] - settings.first)
    mean = None if total is None else total / averaged
    return Machine(w, float(numbers[0]), mean, float(numbers[1]) / averaged, float(numbers[3]))
