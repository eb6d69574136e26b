"""Support vector classifiers: the widest margin between two classes, with slack; several classes by all pairs.

    minimise  |w|^2 / 2 + sum_i C_i s_i   over   y_i (w'p(x_i) + w_0) >= 1 - s_i,  s_i >= 0                               (1)

p is the feature map of the kernel. The dual is (2) of `novum.svm.dual`; C = inf asks for a hard margin. The nu-machine sets the
share of margin errors instead of their price.
"""

import warnings
from itertools import pairwise
from typing import Any, Self

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils import compute_class_weight
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from novum.base.classes import distinct
from novum.base.domains import Bool, Choice, ClassWeight, Domain, Null, RandomState, Real
from novum.base.estimator import fits
from novum.base.parameters import stores
from novum.exceptions import DataError, ParameterError
from novum.fold.blocks import Block
from novum.runtime import arrays
from novum.runtime.random import seed_of
from novum.runtime.typing import Rows, RowWeights, Target
from novum.svm.base import COMMON_DOMAINS, Decision, KernelMachine, Training, part_sums
from novum.svm.dual import Limits, Machine, classify, hard_margin, nu_classify
from novum.svm.pairs import Trained, confidence_of_classes, decisions, train, votes
from novum.svm.probabilities import fit_pairs, probabilities

__all__ = ["SVC", "NuSVC"]

DEPRECATED = (
    "The `probability` parameter was deprecated in 1.9 and will be removed in version 1.11. Use"
    " `CalibratedClassifierCV({0}(), ensemble=False)` instead of `{0}(probability=True)`"
)


def _has_probabilities(self: Any) -> bool:
    if self.probability in (False, "deprecated"):
        raise AttributeError(
            f"predict_proba is not available when probability=False. Give {type(self).__name__}(probability=True), or wrap it into"
            " sklearn.calibration.CalibratedClassifierCV."
        )
    return True


def pair_decisions(decision: Decision, block: Block) -> Any:
    """Return the decision of every pair, positive for its first class."""
    return decisions(part_sums(decision, block.X), decision.intercept)


def second_class_decision(decision: Decision, block: Block) -> Any:
    """Return the decision for the second of two classes."""
    return -pair_decisions(decision, block)[:, 0]


def class_decisions(decision: Decision, block: Block) -> Any:
    """Return the score of every class."""
    return confidence_of_classes(pair_decisions(decision, block), len(decision.parts))


def labels_by_votes(params: tuple[Decision, NDArray[Any]], block: Block) -> Any:
    """Return the classes that win most pairs."""
    decision, classes = params
    return classes[votes(pair_decisions(decision, block), len(classes))]


def labels_by_confidence(params: tuple[Decision, NDArray[Any]], block: Block) -> Any:
    """Return the classes of the largest scores."""
    decision, classes = params
    return classes[np.argmax(class_decisions(decision, block), axis=1)]


def shares(params: tuple[Decision, NDArray[np.float64], int], block: Block) -> Any:
    """Return the probabilities of the classes."""
    decision, table, classes = params
    return probabilities(pair_decisions(decision, block), table, classes)


class PairwiseClassifier(ClassifierMixin, KernelMachine):
    """Classifier by machines of pairs."""

    _target = "classes"
    _domains: dict[str, Domain] = {
        **COMMON_DOMAINS,
        "probability": Bool() | Choice("deprecated"),
        "class_weight": ClassWeight() | Choice("balanced") | Null(),
        "decision_function_shape": Choice("ovo", "ovr"),
        "break_ties": Bool(),
        "random_state": RandomState(),
    }

    def _machine(
        self, points: Any, sign: NDArray[np.float64], weight: NDArray[np.float64], training: Training, limits: Limits
    ) -> Machine:
        raise NotImplementedError

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Find the support vectors.

        With kernel="precomputed" X is the kernel matrix between all rows; with a callable whatever it understands.

        [rows in memory or a sparse matrix, target, weights]
        """
        training, target = self._read(X, y, sample_weight)
        classes, code = distinct(target)
        weight = self._check_classes(classes, code, training)
        self.classes_, self._wants_probability = classes, self.probability is True
        if self.probability != "deprecated":
            warnings.warn(DEPRECATED.format(type(self).__name__), FutureWarning, stacklevel=3)
        found = self._train(training, code, weight, training.used)
        probability = None
        if self._wants_probability:
            seed = seed_of(self.random_state)
            probability = fit_pairs(
                lambda rows: self._held_out(training, code, weight, rows), code, len(classes), training.used, seed
            )
        self._learn(training, found)
        self._platt = probability
        self._tell(found.machines)
        return self

    def _check_classes(self, classes: NDArray[Any], code: NDArray[np.intp], training: Training) -> NDArray[np.float64]:
        """Return the weight of every row, after the checks of the classes."""
        owner = type(self).__name__
        if len(classes) < 2:
            raise DataError(
                f"The number of classes has to be greater than one; got {len(classes)} class. {owner} needs rows of two classes."
            )
        if len(np.unique(code[training.used])) < 2:
            raise DataError(
                f"{owner}: Invalid input - all samples with positive weights belong to the same class. Give rows of another class"
                " a weight."
            )
        if isinstance(self.class_weight, dict):
            unknown = [label for label in self.class_weight if label not in set(classes.tolist())]
            if unknown:
                raise DataError(
                    f"{owner}: The classes, {unknown}, are not in class_weight's labels {classes.tolist()}."
                )
        self.class_weight_ = compute_class_weight(self.class_weight, classes=classes, y=classes[code])
        weight = self.class_weight_[code]
        return weight if training.weight is None else weight * training.weight

    def _train(
        self, training: Training, code: NDArray[np.intp], weight: NDArray[np.float64], used: NDArray[np.intp]
    ) -> Trained:
        limits = self._limits()

        def solve(points: Any, sign: NDArray[np.float64], rows: NDArray[np.intp], threads: int) -> Machine:
            return self._machine(points, sign, weight[rows], training, limits._replace(threads=threads))

        is_matrix = training.kernel.is_matrix
        return train(code, len(self.classes_), training.points, is_matrix, used, solve, limits.threads)

    def _held_out(
        self, training: Training, code: NDArray[np.intp], weight: NDArray[np.float64], rows: NDArray[np.intp]
    ) -> Any:
        """Return a twin trained on some rows, as a function from rows to the decisions of all pairs."""
        twin = type(self)(**self.get_params())
        twin.classes_ = self.classes_
        found = twin._train(training, code, weight, rows)
        twin._learn(training, found)
        decision = twin._pairs()
        if training.kernel.is_matrix:
            return lambda asked: pair_decisions(decision, Block(training.points[asked], None, None, 0, {}))
        return lambda asked: pair_decisions(decision, Block(training.rows[asked], None, None, 0, {}))

    def _learn(self, training: Training, found: Trained) -> None:
        self._keep(training, found.support)
        self._n_support = found.of_class
        self._dual_coef_, self._intercept_ = found.coefficient, found.intercept
        flip = -1.0 if len(self.classes_) == 2 else 1.0  # two classes: positive speaks for the second
        self.dual_coef_, self.intercept_ = flip * found.coefficient, flip * found.intercept
        if self._sparse:
            self.dual_coef_ = scipy.sparse.csr_matrix(self.dual_coef_)
        steps = np.array([m.steps for m in found.machines], dtype=np.int32)
        self.n_iter_ = steps

    def _pairs(self) -> Decision:
        """Return the decisions of all pairs, ready for new rows."""
        check_is_fitted(self)
        starts = np.concatenate([[0], np.cumsum(self._n_support)])
        if starts[-1] != self._dual_coef_.shape[1]:
            raise DataError(f"The internal representation of {type(self).__name__} was altered. Fit it again.")
        return self._decision([np.arange(a, b) for a, b in pairwise(starts)], self._dual_coef_)

    def decision_function(self, X: Rows) -> Any:
        """Return the decision: one number for two classes, else one per class ("ovr") or per pair ("ovo").

        [rows or a sparse matrix] -> array of shape (n_samples,), (n_samples, n_classes) or (n_samples, n_pairs)
        """
        decision = self._pairs()
        if len(self.classes_) == 2:
            return self._ask(X, second_class_decision, decision)
        return self._ask(X, class_decisions if self.decision_function_shape == "ovr" else pair_decisions, decision)

    def predict(self, X: Rows) -> Any:
        """Return the class that wins most pairs.

        [rows or a sparse matrix] -> array of shape (n_samples,)
        """
        decision = self._pairs()
        if self.break_ties and self.decision_function_shape == "ovo":
            raise ParameterError(
                "break_ties must be False when decision_function_shape is 'ovo'. Give decision_function_shape='ovr'."
            )
        ties = self.break_ties and len(self.classes_) > 2
        return self._ask(X, labels_by_confidence if ties else labels_by_votes, (decision, self.classes_))

    @available_if(_has_probabilities)
    def predict_proba(self, X: Rows) -> Any:
        """Return the probabilities of the classes, from the decisions by a sigmoid per pair; need `probability=True`.

        [rows or a sparse matrix] -> array of shape (n_samples, n_classes)
        """
        decision = self._pairs()
        if self._platt is None:
            raise NotFittedError(
                "predict_proba is not available when fitted with probability=False. Fit again with probability=True."
            )
        return self._ask(X, shares, (decision, self._platt, len(self.classes_)))

    @available_if(_has_probabilities)
    def predict_log_proba(self, X: Rows) -> Any:
        """Return the logarithms of `predict_proba`."""
        return np.log(self.predict_proba(X))

    def _linear_weights(self) -> Any:
        vectors: Any = arrays.dense(self.support_vectors_)
        parts = [slice(a, b) for a, b in pairwise(np.concatenate([[0], np.cumsum(self._n_support)]))]
        sums = np.stack(
            [self._dual_coef_[:, part] @ vectors[part] for part in parts]
        )  # (classes, classes - 1, columns)
        k = len(self.classes_)
        coef = np.array([sums[i, j - 1] + sums[j, i] for i in range(k) for j in range(i + 1, k)])
        coef = -coef if k == 2 else coef
        return scipy.sparse.csr_matrix(coef) if self._sparse else coef


class SVC(PairwiseClassifier):
    """Support vector classifier with a price C of slack.

    Parameters
    ----------
    C : float, default=1.0
        Price of a unit of slack, times the weights of rows and classes; np.inf asks for a hard margin.
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

    _domains = {**PairwiseClassifier._domains, "C": Real(0, np.inf, open="low")}

    @stores
    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        probability: bool | str = "deprecated",
        tol: float = 1e-3,
        cache_size: float = 200,
        class_weight: Any = None,
        verbose: bool = False,
        max_iter: int = -1,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        random_state: Any = None,
    ) -> None: ...

    def _machine(
        self, points: Any, sign: NDArray[np.float64], weight: NDArray[np.float64], training: Training, limits: Limits
    ) -> Machine:
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

    _domains = {**PairwiseClassifier._domains, "nu": Real(0, 1, open="low")}

    @stores
    def __init__(
        self,
        *,
        nu: float = 0.5,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        probability: bool | str = "deprecated",
        tol: float = 1e-3,
        cache_size: float = 200,
        class_weight: Any = None,
        verbose: bool = False,
        max_iter: int = -1,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        random_state: Any = None,
    ) -> None: ...

    def _machine(
        self, points: Any, sign: NDArray[np.float64], weight: NDArray[np.float64], training: Training, limits: Limits
    ) -> Machine:
        return nu_classify(points, training.kernel, sign, weight, self.nu, limits)
