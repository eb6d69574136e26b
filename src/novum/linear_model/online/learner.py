r"""What the online learners share: their parameters, their data and the state that epochs continue from.

Rows are visited one by one, in the order of novum.fold.dealing wherever they are. A row of weight zero is absent: it is neither
visited nor counted as a step.
"""

import numbers
from typing import Any, NamedTuple

import numpy as np

from novum.base.domains import Bool, Choice, Domain, Int, Null, RandomState, Real
from novum.base.estimator import Estimator
from novum.exceptions import DataError, NotConverged, ParameterError
from novum.fold.blocks import Source
from novum.linear_model.decisions import dense_coef
from novum.linear_model.online.epochs import LinearFunction, Settings, Stopping
from novum.runtime.random import seed_of
from novum.runtime.warn import warn

__all__ = ["COMMON", "STEPS", "Data", "OnlineLearner", "data_of"]

SPARSE_DECAY = 0.01  # scikit-learn's: the intercept has an entry in every row, sparse columns have few
COMMON: dict[str, Domain] = {
    "penalty": Choice("l2", "l1", "elasticnet") | Null(),
    "alpha": Real(0),
    "l1_ratio": Real(0, 1) | Null(),
    "fit_intercept": Bool(),
    "max_iter": Int(1),
    "tol": Real(0) | Null(),
    "shuffle": Bool(),
    "verbose": Bool() | Int(0),
    "eta0": Real(0, open="low"),
    "random_state": RandomState(),
    "early_stopping": Bool(),
    "validation_fraction": Real(0, 1, open="both"),
    "n_iter_no_change": Int(1),
    "warm_start": Bool(),
    "average": Bool() | Int(1),
    "batch_size": Int(1) | Null(),
}
STEPS: dict[str, Domain] = {  # of those whose steps are chosen
    "epsilon": Real(0),
    "learning_rate": Choice("constant", "optimal", "invscaling", "adaptive", "pa1", "pa2"),
    "power_t": Real(),
}


class Data(NamedTuple):
    """Training rows in memory: all, or those of a block."""

    X: Any  # (n, d) row-major, or CSR
    y: np.ndarray
    weight: np.ndarray | None
    rows: np.ndarray | None  # those of positive weight, where some have none


def data_of(X: Any, y: Any, weight: np.ndarray | None) -> Data:
    """Return rows with those that take part."""
    rows = None if weight is None or weight.all() else np.flatnonzero(weight)
    return Data(X, np.asarray(y), weight, rows)


class OnlineLearner(Estimator):
    """Base of the learners that step row by row."""

    _mean_of_batch = True  # steps by the mean slope of a batch; the perceptron takes the sum
    _passive_loss = ""  # the loss that passive-aggressive steps are defined for
    _stops_clean = False
    _reports_passes = True
    _pass_name = "epoch"
    t_: float
    alpha: float
    average: bool | int
    batch_size: int | None
    early_stopping: bool
    epsilon: float
    eta0: float
    fit_intercept: bool
    l1_ratio: float | None
    learning_rate: str
    loss: str
    max_iter: int
    n_iter_: int
    n_iter_no_change: int
    penalty: str | None
    power_t: float
    random_state: Any
    shuffle: bool
    tol: float | None

    def _steps(self) -> tuple[str, float, str, float]:
        """Return loss, epsilon, learning rate and power of t."""
        return self.loss, self.epsilon, self.learning_rate, self.power_t

    def _first_start(self: Any, coef: Any, intercept: Any) -> tuple[Any, Any]:
        """Return where a fit begins: at what was given, else with `warm_start` at the last fit."""
        self._check_steps()
        if self.warm_start and hasattr(self, "coef_"):
            coef = self.coef_ if coef is None else coef
            intercept = self.intercept_ if intercept is None else intercept
        return coef, intercept

    def _check_steps(self, partial: bool = False) -> None:
        """Refuse combinations that scikit-learn refuses."""
        name = type(self).__name__
        loss, _, rate, _ = self._steps()
        if self.early_stopping and partial:
            raise ParameterError(
                f"early_stopping should be False with partial_fit: {name} sees one portion and cannot hold rows back."
            )
        if rate == "optimal" and self.alpha == 0:
            raise ParameterError(
                "alpha must be > 0 since learning_rate is 'optimal'. alpha is used to compute the optimal learning rate."
                f" {name}(alpha=0): choose learning_rate='invscaling' or 'constant' instead."
            )
        if rate in ("pa1", "pa2") and loss != self._passive_loss:
            raise ParameterError(
                f"Learning rate '{rate}' only works with loss '{self._passive_loss}'. {name}(loss={loss!r}): change one."
            )
        if self.penalty == "elasticnet" and self.l1_ratio is None:
            raise ParameterError(f"l1_ratio must be set when penalty is 'elasticnet': {name}(l1_ratio=0.15) mixes.")

    def _settings(self, source: Source) -> Settings:
        loss, epsilon, rate, power = self._steps()
        rho = {"l2": 0.0, "l1": 1.0, "elasticnet": self.l1_ratio or 0.0, None: 0.0}[self.penalty]
        alpha = 0.0 if self.penalty is None else float(self.alpha)
        decay = SPARSE_DECAY if source.sparse else 1.0
        n = source.n_rows
        size = self.batch_size or n or 1
        return Settings(
            loss=loss,
            epsilon=float(epsilon),
            rate=rate,
            eta0=float(self.eta0),
            power=float(power),
            alpha=alpha,
            rho=float(rho),
            alpha_of_rate=float(self.alpha),
            decay=decay if self.fit_intercept else 0.0,
            batch=max(1, min(size, n or size)),
            mean=self._mean_of_batch,
            first=int(self.average),
        )

    def _stopping(self, max_iter: int) -> Stopping:
        clean = self._stops_clean and self.penalty is None and not self.average
        return Stopping(max_iter, self.tol, self.n_iter_no_change, clean)

    def _seed(self) -> int | None:
        return seed_of(self.random_state) if self.shuffle else None

    def _open(self, X: Any, y: Any, sample_weight: Any, target: str, reset: bool) -> Source:
        """Return the rows after every check; raises where they are needed in memory and are not there."""
        source = self._source(X, y, sample_weight, target=target, reset=reset)
        name = type(self).__name__
        if not source.at_hand and source.lists_rows:
            raise DataError(
                f"{name} steps from row to row, which a tensor is not made for; give it X.numpy(force=True), or"
                " partial_fit with one portion after the other."
            )
        if not source.at_hand and (self.early_stopping or self.batch_size is None):
            what = (
                "early_stopping=True holds rows back"
                if self.early_stopping
                else "batch_size=None takes all rows at once"
            )
            raise DataError(
                f"{name}: {what} and needs them in memory, not in a {source.home}; set it otherwise, or call partial_fit with"
                " one portion after the other."
            )
        return source

    def _in_memory(self, source: Source) -> Data:
        return data_of(source.array(), source.y, source.weight)  # type: ignore[attr-defined]

    def _given(self, name: str, init: Any, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
        """Return a start as an array of a shape, zero where none was given."""
        if init is None:
            return np.zeros(shape, dtype)
        value = np.asarray(dense_coef(init), dtype=dtype)
        if value.size != np.prod(shape) or (len(shape) > 1 and shape[0] > 1 and value.shape != shape):
            raise ParameterError(
                f"Provided {name} does not match dataset: {type(self).__name__}.fit got shape {value.shape} where the"
                f" {shape} of coefficients and data is needed."
            )
        return value.reshape(shape).copy()

    def _machines(self, k: int, d: int, dtype: Any, coef: Any, intercept: Any) -> list[LinearFunction]:
        """Return k machines at the start of a fit."""
        w, b = self._given("coef_init", coef, (k, d), dtype), self._given("intercept_init", intercept, (k,), np.float64)
        average = np.zeros(d) if self.average else None
        return [LinearFunction(w[i], float(b[i]), average, 0.0, 1.0) for i in range(k)]

    def _resumed(self) -> list[LinearFunction]:
        """Return the machines as the last portion left them."""
        name = "_standard_" if hasattr(self, "_standard_coef") else ""
        w = np.atleast_2d(dense_coef(getattr(self, f"{name}coef" if name else "coef_")))
        b = np.atleast_1d(getattr(self, f"{name}intercept" if name else "intercept_"))
        if not self.average:
            return [LinearFunction(w[i], float(b[i]), None, 0.0, self.t_) for i in range(len(w))]
        known = hasattr(self, "_average_coef")
        a = np.atleast_2d(self._average_coef).astype(np.float64) if known else np.zeros(w.shape)
        c = np.atleast_1d(self._average_intercept) if known else np.zeros(len(w))
        return [LinearFunction(w[i], float(b[i]), a[i], float(c[i]), self.t_) for i in range(len(w))]

    def _keep_machines(self, machines: list[LinearFunction], dtype: Any) -> tuple[np.ndarray, np.ndarray]:
        """Store what the next portion needs; return coefficients and intercepts to predict with."""
        coef = np.stack([m.coef for m in machines])
        intercept = np.array([m.intercept for m in machines], dtype)
        self.t_ = max(m.t for m in machines)
        for name in ("_standard_coef", "_standard_intercept", "_average_coef", "_average_intercept"):
            self.__dict__.pop(name, None)
        if not self.average:
            return coef, intercept
        self._standard_coef, self._standard_intercept = coef, intercept
        self._average_coef = np.array([m.average_coef for m in machines], dtype)
        self._average_intercept = np.array([m.average_intercept for m in machines], dtype)
        begun = int(self.average) <= self.t_ - 1
        return (self._average_coef, self._average_intercept) if begun else (coef, intercept)

    def _report(self) -> None:
        """Warn of a fit that the number of epochs cut short, and of a power that scikit-learn no longer takes."""
        if self.tol is not None and self.n_iter_ == self.max_iter and not getattr(self, "_clean", False):
            warn(
                "Maximum number of iteration reached before convergence. Consider increasing max_iter to improve the fit."
                f" {type(self).__name__}(max_iter={self.max_iter}, tol={self.tol:g}).",
                NotConverged,
            )
        if self._steps()[3] < 0:
            warn(
                "Negative values for `power_t` are deprecated in version 1.8 and will raise an error in 1.10. Use values in"
                " the range [0.0, inf) instead.",
                FutureWarning,
            )

    def _split_state(self) -> Any:
        """Return `random_state` as scikit-learn's splitters take it."""
        state = self.random_state
        known = state is None or isinstance(state, numbers.Integral | np.random.RandomState)
        return state if known else seed_of(state) % 2**32

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
