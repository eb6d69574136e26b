"""Support vector classifiers: the widest margin between two classes, with slack; several classes by all pairs.

    minimise  |w|^2 / 2 + sum_i C_i s_i   over   y_i (w'p(x_i) + w_0) >= 1 - s_i,  s_i >= 0                               (1)

p is the feature map of the kernel. The dual is (2) of `novum.svm.dual`; C = inf requests a hard margin. The nu-machine sets the
share of margin errors instead of their price.
"""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from novum.base.candidacy import Candidacy
from novum.base.domains import Real
from novum.runtime.typing import LabelWeights, Seed
from novum.svm.base import Training
from novum.svm.dual import DualOptimum, Limits, classify, hard_margin, nu_classify
from novum.svm.pairwise import PairwiseClassifier

__all__ = ["SVC", "NuSVC"]


class SVC(PairwiseClassifier):
    """Support vector classifier with a price C of slack.

    Parameters
    ----------
    C : float, default=1.0
        Price of a unit of slack, times the weights of rows and classes; np.inf requests a hard margin.
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"} or callable, default="rbf"
        A callable gets two tables of rows and returns their matrix; kernels of `novum.kernels` are such.
    degree : int, default=3
        Of the polynomial kernel.
    gamma : {"scale", "auto"} or float, default="scale"
        Of the Gaussian, polynomial and sigmoid kernels: "scale" is 1 / (n_features X.var()), "auto" 1 / n_features.
    coef0 : float, default=0.0
        Constant of the polynomial and sigmoid kernels.
    shrinking : bool, default=True
        Whether points that rest at a bound are set aside while the others move.
    probability : bool, default="deprecated"
        Whether `predict_proba` is learned, by five-fold cross-validation; as in scikit-learn it will go.
    tol : float, default=1e-3
        Stop where the optimality conditions are violated by no more, or the duality gap is below tol / 2000 of the objective.
    cache_size : float, default=200
        Megabytes for rows of the kernel matrix.
    class_weight : dict, "balanced" or None, default=None
        Factors on C by class.
    verbose : bool, default=False
        Accepted for scikit-learn's sake.
    max_iter : int, default=-1
        Most steps; -1 sets a limit that only a machine that cannot converge reaches.
    decision_function_shape : {"ovo", "ovr"}, default="ovr"
        A decision per pair of classes or per class; training is by pairs in any case.
    break_ties : bool, default=False
        Whether `predict` settles equal votes by the decisions.
    random_state : int, Generator, RandomState or None, default=None
        Of the folds of `probability`.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    class_weight_ : array of shape (n_classes,)
    support_ : array of shape (n_SV,)
        Rows that are support vectors, by class.
    support_vectors_ : array or sparse matrix of shape (n_SV, n_features)
        Empty for a kernel matrix or a callable.
    n_support_ : array of shape (n_classes,)
    dual_coef_ : array or sparse matrix of shape (n_classes - 1, n_SV)
        Signed coefficients, in LIBSVM's layout.
    intercept_ : array of shape (n_pairs,)
    coef_ : array of shape (n_pairs, n_features)
        With a linear kernel.
    dual_objective_, duality_gap_, kkt_violation_ : arrays of shape (n_pairs,)
        Where the solver stopped.
    fit_status_ : int
        0 if it converged.
    n_iter_ : array of shape (n_pairs,)
    shape_fit_ : tuple

    Examples
    --------
    >>> from novum.svm import SVC
    >>> X, y = [[-2, -1], [-1, -1], [-1, -2], [1, 1], [1, 2], [2, 1]], [1, 1, 1, 2, 2, 2]
    >>> model = SVC(kernel="linear").fit(X, y)
    >>> model.support_, model.dual_coef_, model.predict([[-0.8, -1]])
    (array([1, 3], dtype=int32), array([[-0.25,  0.25]]), array([1]))
    """

    _candidacy = Candidacy(
        rank=7,
        search=({"C": 10.0}, {"C": 0.1}, {"C": 100.0}, {"C": 1.0, "kernel": "poly", "degree": 2, "coef0": 1.0}),
        scaled=True,
        most_rows=5_000,
    )
    _domains = {**PairwiseClassifier._domains, "C": Real(0, np.inf, open="low")}

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: Literal["linear", "poly", "rbf", "sigmoid", "precomputed"] | Callable[..., Any] = "rbf",
        degree: int = 3,
        gamma: float | Literal["scale", "auto"] = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        probability: bool | Literal["deprecated"] = "deprecated",
        tol: float = 1e-3,
        cache_size: float = 200,
        class_weight: LabelWeights = None,
        verbose: bool = False,
        max_iter: int = -1,
        decision_function_shape: Literal["ovo", "ovr"] = "ovr",
        break_ties: bool = False,
        random_state: Seed = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.probability = probability
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state

    def _machine(
        self, points: Any, sign: NDArray[np.float64], weight: NDArray[np.float64], training: Training, limits: Limits
    ) -> DualOptimum:
        if np.isinf(self.C):
            return hard_margin(points, training.kernel, sign, limits)
        return classify(points, training.kernel, sign, self.C * weight, limits)


class NuSVC(PairwiseClassifier):
    """Support vector classifier with a bound on the share of margin errors.

    Parameters
    ----------
    nu : float, default=0.5
        Upper bound on the share of margin errors, lower bound on that of support vectors, within every pair of classes.
    kernel, degree, gamma, coef0, shrinking, probability, tol, cache_size, class_weight, verbose, max_iter
        As in SVC.
    decision_function_shape, break_ties, random_state
        As in SVC.

    Attributes
    ----------
    classes_, class_weight_, support_, support_vectors_, n_support_, dual_coef_, intercept_, coef_
        As in SVC.
    dual_objective_, duality_gap_, kkt_violation_, fit_status_, n_iter_, shape_fit_
        As in SVC.

    Examples
    --------
    >>> from novum.svm import NuSVC
    >>> X, y = [[-1, -1], [-2, -1], [1, 1], [2, 1]], [1, 1, 2, 2]
    >>> NuSVC(nu=0.5).fit(X, y).predict([[-0.8, -1]])
    array([1])
    """

    _one_class = " (specified nu is infeasible)"
    _domains = {**PairwiseClassifier._domains, "nu": Real(0, 1, open="low")}

    def __init__(
        self,
        *,
        nu: float = 0.5,
        kernel: Literal["linear", "poly", "rbf", "sigmoid", "precomputed"] | Callable[..., Any] = "rbf",
        degree: int = 3,
        gamma: float | Literal["scale", "auto"] = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        probability: bool | Literal["deprecated"] = "deprecated",
        tol: float = 1e-3,
        cache_size: float = 200,
        class_weight: LabelWeights = None,
        verbose: bool = False,
        max_iter: int = -1,
        decision_function_shape: Literal["ovo", "ovr"] = "ovr",
        break_ties: bool = False,
        random_state: Seed = None,
    ) -> None:
        self.nu = nu
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.probability = probability
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state

    def _machine(
        self, points: Any, sign: NDArray[np.float64], weight: NDArray[np.float64], training: Training, limits: Limits
    ) -> DualOptimum:
        return nu_classify(points, training.kernel, sign, weight, self.nu, limits)
