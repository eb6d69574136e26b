r"""Gaussian process classification by Laplace's approximation.

Two classes have one latent process (`laplace`). More are split into pairs of classes or into one against the rest, a process each,
or share one kernel among a process per class behind a softmax (`softmax`). Formulas stand there, the search for hyper-parameters
in `hyperparameters`.
"""

from collections.abc import Callable
from itertools import combinations
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.gaussian_process.kernels import CompoundKernel as SklearnCompoundKernel

from novum.base.candidacy import Candidacy
from novum.base.domains import Bool, Choice, Domain, Int, Null
from novum.base.estimator import Estimator, fits
from novum.base.fitted import check_is_fitted
from novum.base.sklearn_base import ClassifierMixin
from novum.exceptions import DataError, NotConverged, ParameterError
from novum.gaussian_process import laplace, softmax
from novum.gaussian_process.committee import (
    Committee,
    LatentProcess,
    label_block,
    latent_block,
    latent_of,
    score_block,
    scores_of,
)
from novum.gaussian_process.hyperparameters import maximize, warn_at_bounds
from novum.gaussian_process.kernels import RBF
from novum.gaussian_process.subset import rows_of
from novum.gaussian_process.training import SEARCH_DOMAINS, compares_vectors, read_training, start_kernel
from novum.kernels.operators import CompoundKernel
from novum.runtime.typing import Numbers, Rows, Seed, Target
from novum.runtime.warn import warn

__all__ = ["GaussianProcessClassifier"]

Array = NDArray[np.float64]


class GaussianProcessClassifier(ClassifierMixin, Estimator):
    """Gaussian process classification by Laplace's approximation.

    Parameters
    ----------
    kernel : Kernel, default=None
        Default `1.0 * RBF(1.0)`, not learned, as in scikit-learn.
    optimizer : "fmin_l_bfgs_b", callable or None, default="fmin_l_bfgs_b"
        As in GaussianProcessRegressor.
    n_restarts_optimizer : int, default=0
        Further starts, drawn between the bounds.
    max_iter_predict : int, default=100
        Most steps of Newton's method for the mode.
    warm_start : bool, default=False
        Whether each search for a mode starts at the last one.
    copy_X_train : bool, default=True
        Whether a copy of the training points is kept.
    random_state : None, int, Generator, RandomState or SeedSequence, default=None
        For restarts.
    multi_class : {"one_vs_rest", "one_vs_one", "softmax"}, default="one_vs_rest"
        With three classes or more: a process for each against the rest, for each pair (no probabilities), or one softmax of a
        process per class that share a kernel.
    n_jobs : int, default=None
        Threads for predictions.

    Attributes
    ----------
    kernel_ : Kernel
        With the hyper-parameters that were found; of several processes a CompoundKernel.
    X_train_ : array
    classes_ : array
    n_classes_ : int
    log_marginal_likelihood_value_ : float
        Laplace's approximation; of several processes the mean.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from novum.gaussian_process import GaussianProcessClassifier
    >>> from novum.kernels import RBF
    >>> X, y = load_iris(return_X_y=True)
    >>> model = GaussianProcessClassifier(3.0**2 * RBF(1.5), optimizer=None, multi_class="softmax").fit(X[::2], y[::2])
    >>> float(round(model.score(X[1::2], y[1::2]), 3)), model.predict_proba(X[:1]).round(2)
    (0.987, array([[0.94, 0.03, 0.03]]))
    """

    _candidacy = Candidacy(rank=7, settings={"kernel": 1.0 * RBF(3.0)}, scaled=True, most_rows=400)
    _domains: dict[str, Domain] = {
        **SEARCH_DOMAINS,
        "max_iter_predict": Int(1),
        "warm_start": Bool(),
        "copy_X_train": Bool(),
        "multi_class": Choice("one_vs_rest", "one_vs_one", "softmax"),
        "n_jobs": Int() | Null(),
    }
    _fits_need_single_blas = False
    _squares_columns = True
    _squares_rows = True
    X_train_: np.ndarray
    classes_: np.ndarray
    n_classes_: int
    log_marginal_likelihood_value_: float

    def __init__(
        self,
        kernel: str | Callable[..., Any] | None = None,
        *,
        optimizer: Literal["fmin_l_bfgs_b"] | Callable[..., Any] | None = "fmin_l_bfgs_b",
        n_restarts_optimizer: int = 0,
        max_iter_predict: int = 100,
        warm_start: bool = False,
        copy_X_train: bool = True,
        random_state: Seed = None,
        multi_class: Literal["one_vs_rest", "one_vs_one", "softmax"] = "one_vs_rest",
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.optimizer = optimizer
        self.n_restarts_optimizer = n_restarts_optimizer
        self.max_iter_predict = max_iter_predict
        self.warm_start = warm_start
        self.copy_X_train = copy_X_train
        self.random_state = random_state
        self.multi_class = multi_class
        self.n_jobs = n_jobs

    @fits
    def fit(self, X: Rows, y: Target = None) -> "GaussianProcessClassifier":
        """Find hyper-parameters and modes.

        Parameters
        ----------
        X : array-like, frame or tensor of shape (n_samples, n_features), or list of objects of the kernel
        y : array-like of shape (n_samples,)

        Returns
        -------
        self
        """
        if isinstance(self.kernel, SklearnCompoundKernel | CompoundKernel):
            raise ParameterError(
                "kernel cannot be a CompoundKernel. GaussianProcessClassifier: give a sum or a product."
            )
        points, label = read_training(self, X, y, "classes")
        self.classes_, code = np.unique(label, return_inverse=True)
        self.n_classes_ = classes = len(self.classes_)
        if classes == 1:
            raise DataError(
                f"GaussianProcessClassifier requires 2 or more distinct classes; got 1 class (only class {self.classes_[0]} is"
                " present). Give labels of at least 2 classes."
            )
        self._kind = "binary" if classes == 2 else self.multi_class
        earlier = list(getattr(self, "_machines", ())) if self.warm_start else []
        self.X_train_ = points
        tasks: list[tuple[Any, Array]] = []
        if self._kind == "binary":
            tasks = [(None, code.astype(np.float64))]
        elif self._kind == "softmax":
            tasks = [(None, np.eye(classes)[code])]
        elif self._kind == "one_vs_rest":
            tasks = [(None, (code == c).astype(np.float64)) for c in range(classes)]
        else:
            for i, j in combinations(range(classes), 2):
                rows = np.flatnonzero((code == i) | (code == j))
                tasks.append((rows, (code[rows] == j).astype(np.float64)))
        self._machines = [
            self._learn(rows, target, earlier[k] if k < len(earlier) else None)
            for k, (rows, target) in enumerate(tasks)
        ]
        self.log_marginal_likelihood_value_ = float(np.mean([machine.value for machine in self._machines]))
        if not all(machine.mode.converged for machine in self._machines):
            warn(
                f"GaussianProcessClassifier: Newton's method still moved the mode after max_iter_predict={self.max_iter_predict}"
                " steps; raise it, or scale X.",
                NotConverged,
            )
        return self

    def _learn(self, rows: Any, label: Array, earlier: LatentProcess | None) -> LatentProcess:
        """Return the process of one task."""
        kernel = start_kernel(self.kernel, learned=False)
        points = rows_of(self.X_train_, rows)
        evidence = softmax.log_evidence if label.ndim == 2 else laplace.log_evidence
        last = None if earlier is None or earlier.mode.a.shape != label.shape else earlier.mode.a

        def objective(theta: Array, eval_gradient: bool) -> Any:
            nonlocal last
            kernel.theta = theta
            value, slope, mode = evidence(kernel, points, label, last, self.max_iter_predict, eval_gradient)
            last = mode.a if self.warm_start else last
            return (value, slope) if eval_gradient else value

        if self.optimizer is not None and kernel.n_dims > 0:
            best = maximize(
                type(self).__name__, objective, kernel, self.optimizer, self.n_restarts_optimizer, self.random_state
            )
            kernel.theta = best.theta
            warn_at_bounds(kernel)
        value, _, mode = evidence(kernel, points, label, last, self.max_iter_predict, False)
        return LatentProcess(kernel, rows, label, mode, value)

    def _committee(self) -> Committee:
        check_is_fitted(self, "classes_")
        return Committee(self._machines, self.X_train_, self._kind, self.n_classes_)

    def predict(self, X: Rows) -> Any:
        """Return the likeliest class of every row.

        Parameters
        ----------
        X : array-like, frame, scan, Dask collection or tensor of shape (n_samples, n_features), or list of objects
        """
        committee = self._committee()
        if compares_vectors(self.kernel):
            return self._rows(X, label_block, (committee, self.classes_))
        return self.classes_[np.argmax(scores_of(committee, X), axis=1)]

    def predict_proba(self, X: Rows) -> Any:
        """Return the probability of every class, shape (n_samples, n_classes), columns in the order of `classes_`.

        Parameters
        ----------
        X : as in predict
        """
        committee = self._committee()
        if self._kind == "one_vs_one":
            raise ParameterError(
                "one_vs_one multi-class mode does not support predicting probability estimates. Use one_vs_rest mode instead, or"
                " softmax."
            )
        return self._rows(X, score_block, committee) if compares_vectors(self.kernel) else scores_of(committee, X)

    def latent_mean_and_variance(self, X: Rows) -> tuple[Any, Any]:
        """Return mean and variance of the latent process at every row, for two classes.

        Parameters
        ----------
        X : as in predict, in memory
        """
        committee = self._committee()
        if self.n_classes_ > 2:
            raise ParameterError(
                "Returning the mean and variance of the latent function f is only supported for binary classification, received"
                f" {self.n_classes_} classes."
            )
        both = self._rows(X, latent_block, committee) if compares_vectors(self.kernel) else latent_of(committee, X)
        if not hasattr(both, "shape") or hasattr(both, "dask"):
            raise DataError("GaussianProcessClassifier.latent_mean_and_variance: takes rows in memory; give batches.")
        return both[:, 0], both[:, 1]

    @property
    def kernel_(self) -> Any:
        """The kernel with its hyper-parameters; of several processes a CompoundKernel."""
        check_is_fitted(self, "classes_")
        kernels = [machine.kernel for machine in self._machines]
        return kernels[0] if len(kernels) == 1 else CompoundKernel(kernels)

    def log_marginal_likelihood(
        self, theta: Numbers | None = None, eval_gradient: bool = False, clone_kernel: bool = True
    ) -> Any:
        """Return the approximate log marginal likelihood of the training data at `theta`; of several processes the mean.

        Parameters
        ----------
        theta : array-like, default=None
            Logarithms of the hyper-parameters, of one kernel for all or of each in turn; None for those that were found.
        eval_gradient : bool, default=False
            Also return the gradient; not for several processes.
        clone_kernel : bool, default=True
            Whether `kernel_` stays as it is.

        Returns
        -------
        value : float
        gradient : array of shape (n_dims,), only with eval_gradient
        """
        check_is_fitted(self, "classes_")
        if theta is None:
            if eval_gradient:
                raise ParameterError("Gradient can only be evaluated for theta!=None")
            return self.log_marginal_likelihood_value_
        given, machines = np.asarray(theta, float), self._machines
        size = machines[0].kernel.n_dims
        if len(machines) > 1 and eval_gradient:
            raise NotImplementedError(
                'Gradient of log-marginal-likelihood not implemented for multi-class GPC. multi_class="softmax" has it.'
            )
        if len(given) == size:
            given = np.tile(given, len(machines))
        if len(given) != size * len(machines):
            raise ParameterError(
                f"Shape of theta must be either {size} or {size * len(machines)}. Obtained theta with shape {len(given)}."
            )
        found = []
        for machine, part in zip(machines, given.reshape(len(machines), size), strict=True):
            kernel = machine.kernel.clone_with_theta(part) if clone_kernel else machine.kernel
            kernel.theta = part
            evidence = softmax.log_evidence if machine.label.ndim == 2 else laplace.log_evidence
            points = rows_of(self.X_train_, machine.rows)
            found.append(evidence(kernel, points, machine.label, None, self.max_iter_predict, eval_gradient))
        value = np.mean([one[0] for one in found])
        return (value, found[0][1]) if eval_gradient else value
