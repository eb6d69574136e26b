"""Support vector regressors: the flattest function within a tube about the targets, with slack.

    minimise  |w|^2 / 2 + sum_i C_i (s_i + s*_i)   over   -e - s*_i <= y_i - w'p(x_i) - w_0 <= e + s_i                    (1)

The dual is (4) of `novum.svm.dual`. The nu-machine chooses the width e so that a share of at most nu lies outside the tube.
"""

from collections.abc import Callable
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import column_or_1d

from novum.base.candidacy import Candidacy
from novum.base.domains import Domain, Real
from novum.base.estimator import fits
from novum.base.fitted import check_is_fitted
from novum.base.sklearn_base import RegressorMixin
from novum.exceptions import DataError
from novum.runtime.typing import Rows, RowWeights, Target
from novum.svm.base import COMMON_DOMAINS, KernelMachine, Training, single_decision
from novum.svm.dual import DualOptimum, Limits, nu_regress, regress

__all__ = ["SVR", "NuSVR"]


class TubeRegressor(RegressorMixin, KernelMachine):
    """Regressor with a tube."""

    _target = "numeric"
    dual_coef_: Any
    intercept_: np.ndarray
    epsilon_: float
    n_iter_: int
    C: float

    def _machine(
        self, training: Training, points: Any, y: NDArray[np.float64], C: NDArray[np.float64], limits: Limits
    ) -> DualOptimum:
        raise NotImplementedError

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Find the support vectors.

        With kernel="precomputed" X is the kernel matrix between all rows; with a callable whatever it understands.

        Parameters
        ----------
        X : array-like, frame or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            None for a scan, which brings its target.
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts; zero leaves it out.
        """
        training, target = self._read(X, y, sample_weight)
        if target.ndim == 2 and target.shape[1] > 1:
            raise DataError(
                f"{type(self).__name__}: y should be a 1d array, got an array of shape {target.shape} instead. Fit one machine per"
                " column (sklearn.multioutput.MultiOutputRegressor)."
            )
        target, used = column_or_1d(target, warn=True).astype(np.float64), training.used
        C = np.full(len(target), float(self.C)) if training.weight is None else self.C * training.weight
        points = training.points
        if len(used) < len(target):
            points = points[np.ix_(used, used)] if training.kernel.is_matrix else points[used]
        limits, options = self._limits(points), {"X": X, "y": y, "sample_weight": sample_weight}

        def solve(max_iter: int | None) -> DualOptimum:
            return self._machine(training, points, target[used], C[used], limits.at(max_iter))

        self._learn(training, self._reported(solve, training, options))
        self._tell()
        return self

    def _learn(self, training: Training, machine: DualOptimum) -> None:
        self._keep_single(training, machine)
        self.epsilon_ = machine.scale

    def predict(self, X: Rows) -> Any:
        """Return the function at every row.

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples,)
        """
        check_is_fitted(self)
        return self._ask(X, single_decision, self._decision([np.arange(len(self.support_))], self._dual_coef_))


class SVR(TubeRegressor):
    """Support vector regressor with a tube of given width.

    Parameters
    ----------
    kernel, degree, gamma, coef0, tol
        As in SVC.
    C : float, default=1.0
        Price of a unit of slack, times the weights of the rows.
    epsilon : float, default=0.1
        Half the width of the tube: errors below it cost nothing.
    shrinking, cache_size, verbose, max_iter
        As in SVC.

    Attributes
    ----------
    support_, support_vectors_, n_support_, dual_coef_, intercept_, coef_, shape_fit_, fit_status_
        As in SVC, for a single machine.
    epsilon_ : float
        Half the width of the tube.
    n_iter_ : int
    dual_objective_, duality_gap_, kkt_violation_ : arrays of shape (1,)

    Examples
    --------
    >>> import numpy as np
    >>> from novum.svm import SVR
    >>> x = np.linspace(0, 6, 40)[:, None]
    >>> model = SVR(C=10, epsilon=0.05).fit(x, np.sin(x[:, 0]))
    >>> bool(abs(model.predict(x) - np.sin(x[:, 0])).max() < 0.06)
    True
    """

    _candidacy = Candidacy(
        rank=7,
        settings={"C": 1.0, "epsilon": 0.1, "tol": 1e-3},
        search=({"C": 10.0}, {"C": 0.3}, {"C": 30.0, "epsilon": 0.03}, {"C": 3.0, "epsilon": 0.3}),
        scaled=True,
        most_rows=5_000,
        units={"C": "target", "epsilon": "target", "tol": "target"},
    )
    _domains: dict[str, Domain] = {**COMMON_DOMAINS, "C": Real(0, np.inf, open="low"), "epsilon": Real(0)}

    def __init__(
        self,
        *,
        kernel: Literal["linear", "poly", "rbf", "sigmoid", "precomputed"] | Callable[..., Any] = "rbf",
        degree: int = 3,
        gamma: float | Literal["scale", "auto"] = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        C: float = 1.0,
        epsilon: float = 0.1,
        shrinking: bool = True,
        cache_size: float = 200,
        verbose: bool = False,
        max_iter: int = -1,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.C = C
        self.epsilon = epsilon
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter

    def _machine(
        self, training: Training, points: Any, y: NDArray[np.float64], C: NDArray[np.float64], limits: Limits
    ) -> DualOptimum:
        return regress(points, training.kernel, y, C, self.epsilon, limits)


class NuSVR(TubeRegressor):
    """Support vector regressor that chooses the width of its tube.

    Parameters
    ----------
    nu : float, default=0.5
        Upper bound on the share of rows outside the tube, lower bound on that of support vectors.
    C : float, default=1.0
        Price of a unit of slack, times the weights of the rows.
    kernel, degree, gamma, coef0, shrinking, tol, cache_size, verbose, max_iter
        As in SVC.

    Attributes
    ----------
    support_, support_vectors_, n_support_, dual_coef_, intercept_, coef_, shape_fit_, fit_status_
        As in SVC, for a single machine.
    epsilon_ : float
        Half the width of the tube that was found.
    n_iter_, dual_objective_, duality_gap_, kkt_violation_
        As in SVR.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.svm import NuSVR
    >>> x = np.linspace(0, 6, 40)[:, None]
    >>> model = NuSVR(nu=0.3, C=10).fit(x, np.sin(x[:, 0]))
    >>> bool((abs(model.predict(x) - np.sin(x[:, 0])) > model.epsilon_ + 1e-3).mean() <= 0.3)
    True
    """

    _domains: dict[str, Domain] = {**COMMON_DOMAINS, "C": Real(0, open="low"), "nu": Real(0, 1, open="low")}

    def __init__(
        self,
        *,
        nu: float = 0.5,
        C: float = 1.0,
        kernel: Literal["linear", "poly", "rbf", "sigmoid", "precomputed"] | Callable[..., Any] = "rbf",
        degree: int = 3,
        gamma: float | Literal["scale", "auto"] = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        tol: float = 1e-3,
        cache_size: float = 200,
        verbose: bool = False,
        max_iter: int = -1,
    ) -> None:
        self.nu = nu
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.tol = tol
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter

    def _machine(
        self, training: Training, points: Any, y: NDArray[np.float64], C: NDArray[np.float64], limits: Limits
    ) -> DualOptimum:
        return nu_regress(points, training.kernel, y, C, self.nu, limits)
