r"""The perceptron in the space of a kernel: it counts its mistakes on every row, and needs nothing of a row but kernels.

    f(x) = sum_i a_i k(x, x_i)                                                                                         (1)
    rows in turn; where t_i f(x_i) <= 0, a mistake:   a_i <- a_i + eta t_i,   t_i = +1 or -1                            (2)

until a sweep without mistakes. Zero counts as a mistake, or a = 0 would never change. So a_i = eta t_i m_i with m_i the number of
mistakes on row i; eta scales f alone. If some function u of norm one has t_i u(x_i) >= g for all rows, and k(x_i, x_i) <= R^2,
there are at most (R / g)^2 mistakes (Novikoff 1962). Where no function separates the classes it goes on for ever: use the average
of (1) over all steps then (Freund and Schapire 1999). There is no bias; a constant in the kernel makes one.
"""

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets

from novum.base.classes import distinct
from novum.base.domains import Bool, Choice, Domain, Function, Instance, Int, Null, RandomState, Real
from novum.base.estimator import fits
from novum.base.fitted import check_is_fitted
from novum.base.history import History
from novum.base.sklearn_base import ClassifierMixin
from novum.exceptions import DataError, NotConverged
from novum.fold.blocks import Block
from novum.kernels.base import number_of_samples
from novum.kernels.choice import NAMES, KernelChoice
from novum.kernels.kernel_machine import KernelLearner
from novum.runtime import arrays
from novum.runtime.random import Stream, seed_of
from novum.runtime.typing import Rows, Seed, Target
from novum.runtime.warn import warn

__all__ = ["KernelPerceptron"]

Array = NDArray[np.float64]
WHOLE = 1 << 25  # kernels (256 MiB) up to which all are computed at once; beyond, those of the rows with mistakes


class PerceptronFit(NamedTuple):
    """What came of the sweeps over one set of signs."""

    coefficient: Array  # (n,): a, or its average over the steps
    mistakes: NDArray[np.int64]  # (n,)
    history: list[int]  # mistakes in every sweep
    converged: bool


class Expansion(NamedTuple):
    """Parameters of (1)."""

    kernel: KernelChoice
    rows: Any  # those with mistakes; of a kernel matrix the numbers of their columns
    coefficient: Array  # (rows, machines)


def kernel_rows(choice: KernelChoice, rows: Any) -> Callable[[int], Array]:
    """Return a function of i that returns k(x_i, x_j) for all j."""
    n = number_of_samples(rows)
    program = None
    if n * n > WHOLE and isinstance(rows, np.ndarray) and not choice.is_matrix:
        known = choice.compiled(rows.shape[1])
        program = None if known is None else known.compile(rows)
    if program is None:
        K = np.asarray(choice.between(rows), dtype=np.float64)
        return lambda i: K[i]
    kept: dict[int, Array] = {}

    def row(i: int) -> Array:
        if i not in kept:
            kept[i] = np.asarray(program.rows([i])[0], dtype=np.float64)
        return kept[i]

    return row


def sweep_until_clean(
    row: Callable[[int], Array],
    sign: Array,
    eta: float,
    max_iter: int,
    average: bool,
    order: Callable[[int], NDArray[np.int64] | None],
) -> PerceptronFit:
    """Repeat (2) until a sweep has no mistake; `order(sweep)` is the order of the rows, None as they are."""
    n = len(sign)
    a, late, f = np.zeros(n), np.zeros(n), np.zeros(n)  # late: every change times the step it was made at
    mistakes, history = np.zeros(n, np.int64), []
    for sweep in range(max_iter):
        turn, at, count = order(sweep), 0, 0
        signs = sign if turn is None else sign[turn]
        while at < n:
            ahead = f[at:] if turn is None else f[turn[at:]]
            wrong = signs[at:] * ahead <= 0
            if not wrong.any():
                break
            at += int(np.argmax(wrong))
            i = at if turn is None else int(turn[at])
            step = eta * sign[i]
            a[i] += step
            late[i] += step * (sweep * n + at)
            f += step * row(i)
            mistakes[i] += 1
            count += 1
            at += 1
        history.append(count)
        if not count:
            break
    clean = history[-1] == 0
    total = len(history) * n
    return PerceptronFit(a - late / total if average else a, mistakes, history, clean)


def scores(params: Expansion, block: Block) -> Any:
    """Return (1) of every machine for every row of a block, (rows, machines)."""
    X = arrays.to_numpy(block.X) if arrays.is_tensor(block.X) else block.X
    if params.kernel.is_matrix:
        return np.asarray(X[:, params.rows], dtype=np.float64) @ params.coefficient
    if not number_of_samples(params.rows):
        return np.zeros((number_of_samples(X), params.coefficient.shape[1]))
    return params.kernel.times(X, params.rows, params.coefficient)


def decision(params: Expansion, block: Block) -> Any:
    """Return (1), flat where there is one machine."""
    out = scores(params, block)
    out = out[:, 0] if out.shape[1] == 1 else out
    numbers = arrays.is_tensor(block.X) or (hasattr(block.X, "dtype") and block.X.dtype.kind == "f")
    return arrays.like(block.X, out) if numbers else out


def labels(params: tuple[Expansion, NDArray[Any]], block: Block) -> Any:
    """Return the class of every row of a block."""
    expansion, classes = params
    out = scores(expansion, block)
    return classes[(out[:, 0] > 0).astype(np.intp) if out.shape[1] == 1 else out.argmax(axis=1)]


class KernelPerceptron(ClassifierMixin, KernelLearner):
    """Perceptron with a kernel; more than two classes are learned one against the rest.

    Parameters
    ----------
    kernel : str, Kernel or callable, default="rbf"
        A name of `sklearn.metrics.pairwise.kernel_metrics`, a kernel of `novum.kernels`, a function of two rows, or "precomputed":
        then X is the kernel matrix.
    gamma : float, default=None
        Of "rbf", "laplacian", "poly", "sigmoid" and "chi2"; None: one over the number of columns ("chi2": one).
    degree : float, default=3
        Of "poly".
    coef0 : float, default=1
        Of "poly" and "sigmoid".
    kernel_params : dict, default=None
        Keywords of a function.
    learning_rate : float, default=1.0
        eta of (2).
    max_iter : int, default=1000
        Most sweeps over the rows.
    average : bool, default=False
        Whether to average (1) over all steps.
    shuffle : bool, default=False
        Whether every sweep takes the rows in an order of its own.
    random_state : int, numpy Generator, RandomState, SeedSequence or None, default=None
        Of these orders.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    dual_coef_ : array of shape (1, n_support) or (n_classes, n_support)
        a of (1), of rows on which mistakes were made.
    mistakes_ : array of the same shape
        How many.
    support_ : array of shape (n_support,)
        Which rows they are.
    support_vectors_ : array, sparse matrix or list of n_support rows
        Empty with kernel="precomputed".
    n_iter_ : int
        Sweeps; of several machines the most.
    history_ : History
        Mistakes in every sweep, of all machines together.

    Examples
    --------
    >>> from novum.kernels import KernelPerceptron, Polynomial
    >>> X, label = [[-1, -1], [-1, 1], [1, -1], [1, 1]], [-1, 1, 1, -1]
    >>> model = KernelPerceptron(Polynomial(degree=2)).fit(X, label)
    >>> model.dual_coef_, model.decision_function(X)
    (array([[-1.,  1.,  1., -1.]]), array([-8.,  8.,  8., -8.]))
    """

    _domains: dict[str, Domain] = {
        "kernel": Choice(*NAMES) | Function(),
        "gamma": Real(0) | Null(),
        "degree": Real(0),
        "coef0": Real(),
        "kernel_params": Instance(dict) | Null(),
        "learning_rate": Real(0, open="low"),
        "max_iter": Int(1),
        "average": Bool(),
        "shuffle": Bool(),
        "random_state": RandomState(),
    }
    classes_: np.ndarray
    dual_coef_: np.ndarray
    mistakes_: np.ndarray
    support_: np.ndarray
    support_vectors_: Any
    n_iter_: int
    history_: History

    def __init__(
        self,
        kernel: Literal[
            "additive_chi2",
            "chi2",
            "cosine",
            "laplacian",
            "linear",
            "poly",
            "polynomial",
            "rbf",
            "sigmoid",
            "precomputed",
        ]
        | Callable[..., Any] = "rbf",
        *,
        gamma: float | None = None,
        degree: float = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        learning_rate: float = 1.0,
        max_iter: int = 1000,
        average: bool = False,
        shuffle: bool = False,
        random_state: Seed = None,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.average = average
        self.shuffle = shuffle
        self.random_state = random_state

    @fits
    def fit(self, X: Rows, y: Target = None) -> Self:
        """Sweep over the rows until no mistake is left.

        With kernel="precomputed" X is the kernel matrix between all rows; with a kernel of `novum.kernels` whatever it
        understands.

        Parameters
        ----------
        X : array-like, frame or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            None for a scan, which brings its target.
        """
        given = self._training_rows(X, y, None, "classes")
        check_classification_targets(given.y)
        classes, code = distinct(np.asarray(given.y))
        if len(classes) < 2:
            raise DataError(
                f"The number of classes has to be greater than one; got {len(classes)} class. KernelPerceptron needs rows of two"
                " classes."
            )
        rows = (
            given.X.astype(np.float64, copy=False)
            if hasattr(given.X, "astype") and given.X.dtype.kind == "f"
            else given.X
        )
        row = kernel_rows(self._choice(), rows)
        stream, n = Stream(seed_of(self.random_state)), len(code)

        def order(sweep: int) -> NDArray[np.int64] | None:
            return stream.permutation("kernel perceptron", sweep, n) if self.shuffle else None

        signs = [np.where(code == k, 1.0, -1.0) for k in ([1] if len(classes) == 2 else range(len(classes)))]
        options = (float(self.learning_rate), int(self.max_iter), bool(self.average), order)
        machines = [sweep_until_clean(row, sign, *options) for sign in signs]
        self._learn(rows, classes, machines)
        return self

    def _learn(self, rows: Any, classes: NDArray[Any], machines: list[PerceptronFit]) -> None:
        """Turn the machines into attributes."""
        self.classes_ = classes
        mistakes = np.stack([m.mistakes for m in machines])
        self.support_ = np.flatnonzero(mistakes.any(axis=0))
        self.mistakes_ = mistakes[:, self.support_]
        self.dual_coef_ = np.stack([m.coefficient for m in machines])[:, self.support_]
        vectors: Any = np.empty((0, 0))
        if not self._choice().is_matrix:
            vectors = rows[self.support_] if hasattr(rows, "shape") else [rows[i] for i in self.support_]
        self.support_vectors_ = vectors
        self.n_iter_ = max(len(m.history) for m in machines)
        together = [sum(m.history[k] for m in machines if k < len(m.history)) for k in range(self.n_iter_)]
        self.history_ = History([float(count) for count in together], name="mistakes")
        if not all(m.converged for m in machines):
            warn(
                "Maximum number of iteration reached before convergence. Consider increasing max_iter to improve the fit."
                f" KernelPerceptron(max_iter={self.max_iter}): the last sweep still had {together[-1]} mistakes; if no function of"
                " the kernel separates the classes, none ever will: use average=True, or SVC.",
                NotConverged,
            )

    def _expansion(self) -> Expansion:
        check_is_fitted(self)
        choice = self._choice()
        rows = self.support_ if choice.is_matrix else self.support_vectors_
        return Expansion(choice, rows, np.ascontiguousarray(self.dual_coef_.T))

    def decision_function(self, X: Rows) -> Any:
        """Return (1) for every row: of the second class if there are two, else one column per class.

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples,) or (n_samples, n_classes)
        """
        return self._ask(X, decision, self._expansion())

    def predict(self, X: Rows) -> Any:
        """Return the class of every row.

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples,)
        """
        expansion = self._expansion()
        return self._ask(X, labels, (expansion, self.classes_))
