"""What all kernel machines share: reading rows, the kernel, the support vectors and the decision over them."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import column_or_1d

from novum.base.callbacks import by_learning, reporting
from novum.base.device_forms import is_elsewhere
from novum.base.domains import Bool, Choice, Domain, Function, Int, Real
from novum.base.estimator import Estimator
from novum.base.fitted import check_is_fitted
from novum.base.validation import check_weight, home_of, rows_at_hand
from novum.exceptions import DataError, DataWarning, NotConverged
from novum.fold.blocks import Block
from novum.kernels.choice import looks_numeric, things_of
from novum.report.legends import draw_legend
from novum.report.plots.plane import grid_over, without_names
from novum.report.style import ink
from novum.runtime import arrays
from novum.runtime.device_attributes import DeviceAttributes
from novum.runtime.message_text import first_few
from novum.runtime.threads import thread_count
from novum.runtime.warn import warn
from novum.svm.device_decision import DecisionThere, decision_there, sums_there
from novum.svm.dual import DualOptimum, Limits, report_moves
from novum.svm.kernel_choice import NAMES, Kernel, choose, matrix_of, weighted_sums

__all__ = ["COMMON_DOMAINS", "Decision", "KernelMachine", "Training", "part_sums", "single_decision"]

COMMON_DOMAINS: dict[str, Domain] = {
    "kernel": Choice(*NAMES) | Function(),
    "degree": Int(0),
    "gamma": Choice("scale", "auto") | Real(0),
    "coef0": Real(),
    "tol": Real(0, open="low"),
    "shrinking": Bool(),
    "cache_size": Real(0, open="low"),
    "verbose": Bool() | Int(0),
    "max_iter": Int(-1),
}
UNEQUAL = 1e3  # times the median standard deviation of the columns: from there on one column decides all distances
FEW, FEW_CELLS = 1024, 1 << 16  # rows and cells of points up to which one thread is done before a second has woken
REMEDY = "give a sample of the rows, or use LinearSVC, or Nystroem before it"


class Training(NamedTuple):
    """The rows of a fit as the solver takes them."""

    rows: Any  # as given: array, CSR matrix, kernel matrix, or a list of things that the kernel understands
    points: Any  # float64: rows about `origin`, CSR, or the kernel matrix
    kernel: Kernel
    origin: NDArray[np.float64] | None
    weight: NDArray[np.float64] | None
    used: NDArray[np.intp]  # numbers of the rows of positive weight


class Decision(NamedTuple):
    """What a decision over new rows needs."""

    kernel: Kernel
    parts: tuple[Any, ...]  # support vectors, a part per class; with a kernel matrix their rows in the fit
    coefficient: tuple[NDArray[np.float64], ...]
    origin: NDArray[np.float64] | None
    intercept: NDArray[np.float64]


def part_sums(decision: Decision | DecisionThere, X: Any) -> Any:
    """Return the sums of kernels over every part for every row, (n, parts, outputs)."""
    if isinstance(decision, DecisionThere):
        return sums_there(decision, X)
    X = arrays.to_numpy(X) if arrays.is_tensor(X) else X
    each = zip(decision.parts, decision.coefficient, strict=True)
    if decision.kernel.is_matrix:
        return np.stack([X[:, part] @ c.T for part, c in each], axis=1)
    return np.stack([weighted_sums(decision.kernel, part, c, decision.origin, X) for part, c in each], axis=1)


def single_decision(decision: Decision | DecisionThere, block: Block) -> Any:
    """Return the decision of a machine with one part and one output for the rows of a block."""
    return arrays.like(block.X, part_sums(decision, block.X)[:, 0, 0] + decision.intercept[0])


class KernelMachine(DeviceAttributes, Estimator):
    """A machine whose decision is a sum of kernels over support vectors."""

    _domains: dict[str, Domain] = COMMON_DOMAINS
    _target: str | None = None
    _squares_columns = True
    _squares_rows = True
    _reports_passes = True
    _pass_name = "step"
    support_: np.ndarray
    support_vectors_: Any
    dual_objective_: np.ndarray
    duality_gap_: np.ndarray
    kkt_violation_: np.ndarray
    fit_status_: float
    shape_fit_: list[Any] | tuple[Any, ...]
    _intercept_: Any
    _n_support: Any
    cache_size: float
    coef0: float
    degree: int
    dual_coef_: Any
    gamma: float | str
    kernel: Any
    max_iter: int
    shrinking: bool
    tol: float

    if TYPE_CHECKING:  # of every machine
        decision_function: Callable[..., Any]

    def _limits(self, points: Any) -> Limits:
        rows, columns = points.shape
        threads = 1 if rows <= FEW and rows * columns <= FEW_CELLS else thread_count(None)
        watched = bool(getattr(self, "_skl_callbacks", None))
        return Limits(self.tol, self.max_iter, self.cache_size, self.shrinking, threads, watched)

    def _read(self, X: Any, y: Any, sample_weight: Any) -> tuple[Training, Any]:
        """Return the rows and the target of a fit, after every check."""
        if home_of(X) == "memory" and isinstance(sample_weight, list | tuple | np.ndarray):
            self._check_counted(y, sample_weight)
        if callable(self.kernel) and home_of(X) == "memory" and not looks_numeric(X):
            return self._read_things(things_of(X), y, sample_weight)
        if self.kernel == "precomputed" and scipy.sparse.issparse(X):
            raise TypeError(
                f"{type(self).__name__}: Sparse precomputed kernels are not supported. Give kernel matrices as dense arrays."
            )
        X = rows_at_hand(self, X, f"{type(self).__name__} compares rows with each other", REMEDY)
        source = self._source(X, y, sample_weight, target=self._target).in_memory()
        return self._training(source.array(), source.weight), None if self._target is None else np.asarray(source.y)

    def _check_counted(self, y: Any, sample_weight: Any) -> NDArray[np.bool_] | None:
        """Return which rows count, where weights are numbers; raise LIBSVM's sentence where none does."""
        weight = np.asarray(sample_weight)
        if weight.ndim != 1 or weight.dtype.kind not in "fiub" or not len(weight):
            return None
        if not np.any(weight > 0) and not np.isnan(weight).any():
            what = (
                f"Negative values in data passed to `sample_weight` of {type(self).__name__}: the most is {weight.max():g}."
                if weight.min() < 0
                else f"Sample weights must contain at least one non-zero number. All given to {type(self).__name__} are zero."
            )
            raise DataError(
                f"Invalid input - all samples have zero or negative weights. {what} Give the rows that count a weight."
            )
        return weight > 0

    def _read_things(self, X: Any, y: Any, sample_weight: Any) -> tuple[Training, Any]:
        """Return rows that only the kernel understands (strings, sets, graphs), with their target."""
        if y is None and self._target is not None:
            raise DataError(f"This {type(self).__name__} estimator requires y to be passed, but the target y is None.")
        target = None if self._target is None else column_or_1d(y, warn=True)
        if target is not None:
            check_consistent_length(X, target)
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self, name):
                delattr(self, name)
        return self._training(X, check_weight(self, sample_weight, len(X))), target

    def _training(self, rows: Any, weight: NDArray[np.float64] | None) -> Training:
        n = rows.shape[0] if hasattr(rows, "shape") else len(rows)
        used = np.arange(n) if weight is None else np.flatnonzero(weight > 0)
        counted = (
            (rows, weight)
            if weight is None or len(used) == n or not hasattr(rows, "shape")
            else (rows[used], weight[used])
        )
        kernel = choose(self.kernel, self.gamma, self.coef0, self.degree, *counted)
        self._warn_unequal(counted[0])
        origin = None
        if kernel.function is not None:
            points: Any = matrix_of(type(self).__name__, kernel, rows, rows)
        elif scipy.sparse.issparse(rows):
            points = rows.astype(np.float64)
        else:
            points = np.ascontiguousarray(rows, dtype=np.float64)
            if kernel.is_matrix and points.shape[0] != points.shape[1]:
                raise DataError(
                    f"{type(self).__name__}: Precomputed matrix must be a square matrix. Input is a"
                    f" {points.shape[0]}x{points.shape[1]} matrix."
                )
            if kernel.name == "rbf":  # distances do not change, and differences of large numbers keep their digits
                origin = counted[0].mean(axis=0, dtype=np.float64)
                points = points - origin
        return Training(rows, points, kernel, origin, weight, used)

    def _warn_unequal(self, rows: Any) -> None:
        """Tell of columns so much wider than the others that these hardly count."""
        if callable(self.kernel) or self.kernel == "precomputed" or scipy.sparse.issparse(rows) or rows.shape[1] < 2:
            return
        deviation = rows.std(axis=0, dtype=np.float64)
        if deviation.max() <= UNEQUAL * deviation.min():
            return
        varying = np.sort(deviation[deviation > 0])
        usual = float(varying[(len(varying) - 1) // 2] + varying[len(varying) // 2]) / 2 if len(varying) else 0.0
        wide = np.flatnonzero(deviation > UNEQUAL * usual)
        if usual > 0 and len(wide):
            names = getattr(self, "feature_names_in_", np.arange(rows.shape[1]))[wide]
            which = f"column {names[0]} varies" if len(wide) == 1 else f"columns {first_few(names)} vary"
            warn(
                f"{type(self).__name__}: {which} more than {UNEQUAL:g} times as much as the others, so"
                " that distances hardly depend on those, and the solver may need long. Scale the columns"
                " (sklearn.preprocessing.StandardScaler).",
                DataWarning,
            )

    def _keep(self, training: Training, support: NDArray[np.intp]) -> None:
        """Set what does not depend on the kind of machine."""
        self.support_ = support.astype(np.int32)
        rows, self._kernel, self._origin = training.rows, training.kernel, training.origin
        self._gamma = training.kernel.gamma
        self.shape_fit_ = rows.shape if hasattr(rows, "shape") else (len(rows),)
        self._sparse = scipy.sparse.issparse(rows) and training.kernel.function is None
        if training.kernel.function is not None:
            self._rows_fit = rows if hasattr(rows, "shape") else list(rows)
        if training.kernel.is_matrix:
            self.support_vectors_ = np.empty((0, 0))
        else:
            self.support_vectors_ = rows[support].astype(np.float64)

    def _keep_account(self, machines: list[DualOptimum]) -> None:
        """Set the account of the solver."""
        self.dual_objective_ = np.array([m.objective for m in machines])
        self.duality_gap_ = np.array([m.gap for m in machines])
        self.kkt_violation_ = np.array([m.violation for m in machines])
        self.fit_status_ = 0 if all(m.converged for m in machines) else 1

    def _tell(self) -> None:
        """Warn of a solver that was cut short."""
        if self.fit_status_:
            warn(
                f"Solver terminated early (max_iter={self.max_iter}).  Consider pre-processing your data with StandardScaler or"
                f" MinMaxScaler. {type(self).__name__}: conditions are violated by {max(self.kkt_violation_):.3g},"
                f" tol={self.tol:g}; a larger max_iter or a smaller C helps too.",
                NotConverged,
            )

    def _keep_single(self, training: Training, machine: DualOptimum) -> None:
        """Set what a machine without classes has found."""
        carries = machine.coefficient != 0
        self._keep(training, training.used[carries])
        self._n_support = np.array([int(carries.sum())], dtype=np.int32)
        self._dual_coef_, self._intercept_ = machine.coefficient[None, carries], np.array([-machine.level])
        self.dual_coef_ = scipy.sparse.csr_matrix(self._dual_coef_) if self._sparse else self._dual_coef_
        self.intercept_: Any = self._intercept_.copy()
        self.n_iter_: Any = int(machine.steps)
        self._keep_account([machine])

    def _reported(self, solve: Callable[[int | None], DualOptimum], training: Training, options: dict[str, Any]) -> Any:
        """Return the machine that `solve(max_iter)` finds, None for all steps; its moves are reported."""
        attributes = by_learning(self, lambda twin, machine: twin._learn(training, machine))
        with reporting(self, None, attributes=attributes, objective_of="leaving", **options) as report:
            machine = solve(None)
            n = training.points.shape[0]
            steps = report_moves(machine, solve, report, training.used, n)
        return machine if steps is None else solve(steps)._replace(converged=True)

    def _decision(self, parts: list[NDArray[np.intp]], coefficient: NDArray[np.float64]) -> Decision:
        """Return the decision over parts of the support vectors."""
        if self._kernel.is_matrix:
            vectors: tuple[Any, ...] = tuple(self.support_[part] for part in parts)
        else:
            vectors = tuple(self.support_vectors_[part] for part in parts)
        lines = tuple(np.ascontiguousarray(coefficient[:, part]) for part in parts)
        return Decision(self._kernel, vectors, lines, self._origin, self._intercept_)

    def _ask(self, X: Any, function: Callable[[Any, Block], Any], params: Any) -> Any:
        """Return `function(params, block)` for every row of X, or of its kernels with the rows of the fit."""
        if is_elsewhere(X):
            decision, *rest = params if type(params) is tuple else (params,)
            there = decision_there(self, decision, X)
            return self._rows(X, function, (there, *rest) if rest else there)
        if self._kernel.function is None:
            return self._rows(X, function, params)
        if "n_features_in_" in vars(self):
            X = self._rows(X, rows_as_they_are)
        else:
            X = things_of(X)
        K = matrix_of(type(self).__name__, self._kernel, X, self._rows_fit)
        return function(params, Block(K, None, None, 0, {}))

    @property
    def n_support_(self) -> NDArray[np.int32]:
        """Number of support vectors of each class; of all for regression and one class."""
        check_is_fitted(self)
        return np.asarray(self._n_support, dtype=np.int32)

    @property
    def coef_(self) -> Any:
        """Weights of the columns, with a linear kernel."""
        if self.kernel != "linear":
            raise AttributeError(
                f"coef_ is only available when using a linear kernel, and this {type(self).__name__} has kernel={self.kernel!r}."
            )
        check_is_fitted(self)
        coef = self._linear_weights()
        if scipy.sparse.issparse(coef):
            coef.data.flags.writeable = False
        else:
            coef.flags.writeable = False
        return coef

    def _kept_rows(self) -> Any:
        if self.kernel == "precomputed" or callable(self.kernel):
            return None
        kept: Any = self.support_vectors_
        return (kept.toarray() if scipy.sparse.issparse(kept) else np.asarray(kept)), None

    def _picture_of_rows(self, X: Any, rows: Any, y: Any, ax: Any) -> Any:
        """Draw what the machine makes of rows; in the plane with its margins and rings around support vectors."""
        ax = super()._picture_of_rows(X, rows, y, ax)
        kept = self._kept_rows()
        if rows.shape[1] == 2 and kept is not None and hasattr(self, "classes_"):
            if len(self.classes_) > 2:
                ax.scatter(*kept[0].T, s=70, facecolors="none", edgecolors=ink(ax), linewidths=0.8, zorder=4)
            else:
                from novum.svm.plots import draw_support

                sign = np.where(np.ravel(self.dual_coef_) > 0, 1.0, -1.0)
                draw_support(ax, self, kept[0], sign, 70.0)
                draw_legend(ax)
                across, up, points = grid_over(rows)
                with without_names():
                    height = np.asarray(self.decision_function(points)).reshape(across.shape)
                ax.contour(across, up, height, levels=[-1, 1], colors=ink(ax), linestyles="dashed", linewidths=0.8)
        return ax

    def _linear_weights(self) -> Any:
        return self.dual_coef_ @ self.support_vectors_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        tags.input_tags.sparse = self.kernel != "precomputed"
        return tags


def rows_as_they_are(_: Any, block: Block) -> Any:
    """Return the rows of a block."""
    return arrays.to_numpy(block.X) if arrays.is_tensor(block.X) else block.X
