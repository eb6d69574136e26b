"""A classifier of several classes by machines of all pairs: what SVC and NuSVC share."""

from itertools import pairwise
from typing import Any, Self

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError
from sklearn.utils import compute_class_weight
from sklearn.utils.metaestimators import available_if

from novum.base.callbacks import SILENT, by_learning, reporting
from novum.base.classes import distinct
from novum.base.domains import Bool, Choice, ClassWeight, Domain, Null, RandomState
from novum.base.estimator import fits
from novum.base.fitted import check_is_fitted
from novum.base.sklearn_base import ClassifierMixin
from novum.exceptions import DataError, ParameterError
from novum.fold.batch_results import of_results
from novum.fold.blocks import Block
from novum.runtime import arrays
from novum.runtime.checks import is_true
from novum.runtime.random import seed_of
from novum.runtime.typing import Rows, RowWeights, Target
from novum.runtime.warn import warn
from novum.svm.base import COMMON_DOMAINS, Decision, KernelMachine, Training, part_sums
from novum.svm.dual import DualOptimum, Limits
from novum.svm.pairs import Trained, confidence_of_classes, decisions, train, votes
from novum.svm.probabilities import fit_pairs, probabilities

__all__ = ["PairwiseClassifier"]

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
    return arrays.labels_at(classes, votes(pair_decisions(decision, block), len(classes)))


def labels_by_confidence(params: tuple[Decision, NDArray[Any]], block: Block) -> Any:
    """Return the classes of the largest scores."""
    decision, classes = params
    return arrays.labels_at(classes, arrays.argmax(class_decisions(decision, block)))


def shares(params: tuple[Decision, NDArray[np.float64], int], block: Block) -> Any:
    """Return the probabilities of the classes."""
    decision, table, classes = params
    return probabilities(pair_decisions(decision, block), table, classes)


class PairwiseClassifier(ClassifierMixin, KernelMachine):
    """Classifier by machines of pairs."""

    _target = "classes"
    _one_class = ""  # what a machine adds to the sentence that only one class counts
    _domains: dict[str, Domain] = {
        **COMMON_DOMAINS,
        "probability": Bool() | Choice("deprecated"),
        "class_weight": ClassWeight() | Choice("balanced") | Null(),
        "decision_function_shape": Choice("ovo", "ovr"),
        "break_ties": Bool(),
        "random_state": RandomState(),
    }
    classes_: np.ndarray
    class_weight_: np.ndarray
    dual_coef_: Any
    intercept_: np.ndarray
    n_iter_: np.ndarray
    break_ties: bool
    class_weight: Any
    decision_function_shape: str
    probability: bool | str
    random_state: Any

    def _machine(
        self, points: Any, sign: NDArray[np.float64], weight: NDArray[np.float64], training: Training, limits: Limits
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
        classes, code = distinct(target)
        weight = self._check_classes(classes, code, training)
        self.classes_, self._wants_probability = classes, is_true(self.probability)
        if self.probability != "deprecated":
            warn(DEPRECATED.format(type(self).__name__), FutureWarning)
        self._platt = None
        attributes = by_learning(self, lambda twin, found: twin._learn(training, found))
        options: dict[str, Any] = {"X": X, "y": y, "sample_weight": sample_weight, "objective_of": "leaving"}
        n_runs = len(classes) * (len(classes) - 1) // 2
        with reporting(self, None, n_runs=n_runs, attributes=attributes, **options) as report:
            found = self._train(training, code, weight, training.used, report)
        probability = None
        if self._wants_probability:
            seed = seed_of(self.random_state)
            probability = fit_pairs(
                lambda rows: self._held_out(training, code, weight, rows), code, len(classes), training.used, seed
            )
        self._learn(training, found)
        self._platt = probability
        self._tell()
        return self

    def _check_counted(self, y: Any, sample_weight: Any) -> NDArray[np.bool_] | None:
        counts = super()._check_counted(y, sample_weight)
        labels = np.asarray(y)
        if counts is not None and labels.shape == counts.shape and labels.dtype.kind in "iubU" and len(set(labels)) > 1:
            self._require_two(labels[counts])
        return counts

    def _require_two(self, labels: NDArray[Any]) -> None:
        """Raise where the rows that count are of one class."""
        if len(distinct(labels)[0]) < 2:
            raise DataError(
                f"Invalid input - all samples with positive weights belong to the same class{self._one_class}."
                f" {type(self).__name__} needs two: give rows of another class a weight."
            )

    @property
    def probA_(self) -> NDArray[np.float64]:
        """Slopes of the sigmoids of `predict_proba`, one per pair; deprecated in scikit-learn."""
        return self._sigmoids("probA_", 0)

    @property
    def probB_(self) -> NDArray[np.float64]:
        """Constants of the sigmoids of `predict_proba`, one per pair; deprecated in scikit-learn."""
        return self._sigmoids("probB_", 1)

    def _sigmoids(self, name: str, column: int) -> NDArray[np.float64]:
        check_is_fitted(self)
        warn(
            f"Attribute `{name}` was deprecated in version 1.9 and will be removed in 1.11.",
            FutureWarning,
        )
        return np.empty(0) if self._platt is None else self._platt[:, column]

    def _check_classes(self, classes: NDArray[Any], code: NDArray[np.intp], training: Training) -> NDArray[np.float64]:
        """Return the weight of every row, after the checks of the classes."""
        owner = type(self).__name__
        if len(classes) < 2:
            raise DataError(
                f"The number of classes has to be greater than one; got {len(classes)} class. {owner} needs rows of two classes."
            )
        if training.weight is not None:
            self._require_two(code[training.used])
        if isinstance(self.class_weight, dict):
            unknown = [label for label in self.class_weight if label not in set(classes.tolist())]
            if unknown:
                raise DataError(
                    f"{owner}: The classes, {unknown}, are not in class_weight's labels {classes.tolist()}."
                )
        if self.class_weight is None:
            self.class_weight_ = np.ones(len(classes))
        else:
            self.class_weight_ = compute_class_weight(self.class_weight, classes=classes, y=classes[code])
        weight = self.class_weight_[code]
        return weight if training.weight is None else weight * training.weight

    def _train(
        self,
        training: Training,
        code: NDArray[np.intp],
        weight: NDArray[np.float64],
        used: NDArray[np.intp],
        report: Any = SILENT,
    ) -> Trained:
        limits = self._limits(training.points)

        def solve(
            points: Any, sign: NDArray[np.float64], rows: NDArray[np.intp], threads: int, max_iter: int | None
        ) -> DualOptimum:
            return self._machine(points, sign, weight[rows], training, limits._replace(threads=threads).at(max_iter))

        is_matrix = training.kernel.is_matrix
        return train(
            code, len(self.classes_), training.points, is_matrix, used, solve, threads=limits.threads, report=report
        )

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
            return lambda rows: pair_decisions(decision, Block(training.points[rows], None, None, 0, {}))
        return lambda rows: pair_decisions(decision, Block(training.rows[rows], None, None, 0, {}))

    def _learn(self, training: Training, found: Trained) -> None:
        self._keep(training, found.support)
        self._n_support = found.of_class
        self._dual_coef_, self._intercept_ = found.coefficient, found.intercept
        flip = -1.0 if len(self.classes_) == 2 else 1.0  # two classes: positive speaks for the second
        self.dual_coef_, self.intercept_ = flip * found.coefficient, flip * found.intercept
        if self._sparse:
            self.dual_coef_ = scipy.sparse.csr_matrix(self.dual_coef_)
        self.n_iter_ = np.array([m.steps for m in found.machines], dtype=np.int32)
        self._keep_account(found.machines)

    def _pairs(self) -> Decision:
        """Return the decisions of all pairs, ready for new rows."""
        check_is_fitted(self)
        starts = np.concatenate([[0], np.cumsum(self._n_support)])
        if starts[-1] != self._dual_coef_.shape[1]:
            raise DataError(f"The internal representation of {type(self).__name__} was altered. Fit it again.")
        return self._decision([np.arange(a, b) for a, b in pairwise(starts)], self._dual_coef_)

    def decision_function(self, X: Rows) -> Any:
        """Return the decision: one number for two classes, else one per class ("ovr") or per pair ("ovo").

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples,), (n_samples, n_classes) or (n_samples, n_pairs)
        """
        decision = self._pairs()
        if len(self.classes_) == 2:
            return self._ask(X, second_class_decision, decision)
        return self._ask(X, class_decisions if self.decision_function_shape == "ovr" else pair_decisions, decision)

    def predict(self, X: Rows) -> Any:
        """Return the class that wins most pairs.

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples,)
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

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples, n_classes)
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
        return of_results(arrays.log, self.predict_proba(X))

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
