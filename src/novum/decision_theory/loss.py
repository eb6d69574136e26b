r"""Decisions of least expected loss, with the right to refuse.

    risk(d | x) = sum_c L[c, d] p(c | x)          L: truth in rows, decision in columns            (1)
    decide argmin_d risk(d | x)                                                                    (2)
    refuse where the least risk exceeds the cost of refusing                                       (3)

With L = 1 - I, (2) is the most probable class, and the least risk is the probability of a mistake. For two classes and no loss
for right answers (2) says "first" where p(first | x) > L[1, 0] / (L[0, 1] + L[1, 0]).
"""

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from novum.base.device_forms import check_rows_on_device, is_elsewhere
from novum.base.domains import ArrayLike, Bool, Domain, Fittable, Null, Real
from novum.base.estimator import Estimator, fits
from novum.base.fitted import check_is_fitted
from novum.base.sklearn_base import ClassifierMixin, MetaEstimatorMixin
from novum.exceptions import ParameterError
from novum.fold.batch_results import of_results
from novum.report.numbers import counted
from novum.report.result import result
from novum.runtime.typing import Label, Numbers, Predictor, Rows, RowWeights, Target

__all__ = ["Decisions", "LossMatrixClassifier", "expected_losses", "least_loss"]


class Anything(Domain):
    """Any label at all."""

    def contains(self, value: Any) -> bool:
        return value is None or isinstance(value, str | int | float | np.generic)

    def __str__(self) -> str:
        return "a label"


@result
class Decisions(NamedTuple):
    """What was decided, and at which expected loss."""

    position: NDArray  # (n,): column of the loss matrix, -1 where refused
    risk: NDArray  # (n,)


def expected_losses(proba: Numbers, loss: Numbers) -> NDArray:
    """Return (1) for every row and decision.

        risk(d | x) = sum_c L[c, d] p(c | x)   L: truth in rows, decision in columns    (1)

    Parameters
    ----------
    proba : array-like of shape (n_samples, n_classes)
        Posterior probabilities, or anything proportional to them.
    loss : array-like of shape (n_classes, n_decisions)

    Examples
    --------
    >>> from novum.decision_theory import expected_losses
    >>> expected_losses([[0.02, 0.98]], [[0, 100], [1, 0]])  # the less probable class is the better decision
    array([[0.98, 2.  ]])
    """
    return np.asarray(proba, np.float64) @ np.asarray(loss, np.float64)


def least_loss(proba: Numbers, loss: Numbers, reject_cost: float | None = None) -> Decisions:
    """Return (2) and (3) for every row.

        decide argmin_d risk(d | x)    (2)
        refuse where the least risk exceeds the cost of refusing    (3)

    Parameters
    ----------
    proba, loss
        As in `expected_losses`.
    reject_cost : float, default=None
        What it costs to refuse a decision; None never refuses.
    """
    risk = expected_losses(proba, loss)
    position = risk.argmin(axis=1)
    least = risk[np.arange(len(risk)), position]
    if reject_cost is not None:
        position = np.where(least > reject_cost, -1, position)
        least = np.minimum(least, reject_cost)
    return Decisions(position, least)


class LossMatrixClassifier(MetaEstimatorMixin, ClassifierMixin, Estimator):
    """Least expected loss around any classifier that gives probabilities.

    Parameters
    ----------
    estimator : classifier, default=None
        With `predict_proba`; None is `GaussianNB`.
    loss : array-like of shape (n_classes, n_classes), default=None
        Loss of deciding for the class of the column where that of the row is true, in the order of `classes_`; None is 0 for right
        and 1 for wrong.
    reject_cost : float, default=None
        Cost of refusing to decide; None never refuses.
    reject_label : label, default=None
        What `predict` returns for a refused row; None is -1 for numbers and "reject" for text.
    fitted : bool, default=False
        Whether `estimator` is fitted already and taken as it is.

    Attributes
    ----------
    estimator_ : classifier
    classes_ : array of shape (n_classes,)
    loss_ : array of shape (n_classes, n_classes)

    Examples
    --------
    A missed cancer is a thousand times as bad as a false alarm; one patient in a hundred has it. With nothing else known the
    decision is "cancer".

    >>> import numpy as np
    >>> from sklearn.dummy import DummyClassifier
    >>> from novum.decision_theory import LossMatrixClassifier
    >>> y = np.array(["cancer"] + ["healthy"] * 99)
    >>> model = LossMatrixClassifier(DummyClassifier(), loss=[[0, 1000], [1, 0]]).fit(np.zeros((100, 1)), y)
    >>> model.expected_loss([[0.0]]), model.predict([[0.0]])
    (array([[ 0.99, 10.  ]]), array(['cancer'], dtype='<U7'))
    """

    _domains: dict[str, Domain] = {
        "estimator": Fittable() | Null(),
        "loss": ArrayLike() | Null(),
        "reject_cost": Real(0) | Null(),
        "reject_label": Anything(),
        "fitted": Bool(),
    }
    estimator_: Any
    classes_: np.ndarray
    loss_: np.ndarray

    def __init__(
        self,
        estimator: Predictor | None = None,
        *,
        loss: Numbers | None = None,
        reject_cost: float | None = None,
        reject_label: Label | None = None,
        fitted: bool = False,
    ) -> None:
        self.estimator = estimator
        self.loss = loss
        self.reject_cost = reject_cost
        self.reject_label = reject_label
        self.fitted = fitted

    def _base(self) -> Any:
        if self.estimator is not None:
            return self.estimator
        from novum.naive_bayes import GaussianNB

        return GaussianNB()

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Fit the classifier.

        Parameters
        ----------
        X, y : as the classifier takes them
        sample_weight : array-like of shape (n_samples,), default=None
        """
        model = self._base()
        if not self.fitted:
            model = clone(model)
            given = {} if sample_weight is None else {"sample_weight": sample_weight}
            if given and not has_fit_parameter(model, "sample_weight"):
                raise ParameterError(f"LossMatrixClassifier: {type(model).__name__} takes no sample_weight.")
            try:
                model.fit(X, y, **given)
            except ValueError as error:
                raise type(error)(str(error).replace(type(model).__name__, "LossMatrixClassifier")) from error
        check_is_fitted(model)
        if not hasattr(model, "predict_proba"):
            raise ParameterError(
                f"LossMatrixClassifier(estimator={model!r}): it gives no probabilities; calibrate it by"
                " sklearn.calibration.CalibratedClassifierCV."
            )
        k = len(model.classes_)
        loss = 1.0 - np.eye(k) if self.loss is None else np.asarray(self.loss, np.float64)
        if loss.shape != (k, k) or not np.isfinite(loss).all():
            raise ParameterError(
                f"LossMatrixClassifier(loss=...): shape {loss.shape} for {counted(k, 'class')}; give a finite "
                "loss for every true class"
                f" (row) and decision (column), in the order {model.classes_.tolist()}."
            )
        self.estimator_, self.classes_, self.loss_ = model, model.classes_, loss
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(model, name):
                setattr(self, name, getattr(model, name))
        return self

    def predict_proba(self, X: Rows) -> Any:
        """Return the probabilities of the classifier."""
        check_is_fitted(self)
        check_rows_on_device(self, is_elsewhere(X))
        try:
            return self.estimator_.predict_proba(X)
        except ValueError as error:
            raise type(error)(str(error).replace(type(self.estimator_).__name__, "LossMatrixClassifier")) from error

    def expected_loss(self, X: Rows) -> Any:
        """Return (1) for every row and decision.

        risk(d | x) = sum_c L[c, d] p(c | x)   L: truth in rows, decision in columns    (1)
        """
        return of_results(lambda p: expected_losses(p, self.loss_), self.predict_proba(X))

    def predict(self, X: Rows) -> Any:
        """Return the decision of least expected loss for every row, or the label of refusal."""
        return of_results(self._decisions, self.predict_proba(X))

    def _decisions(self, probabilities: NDArray) -> NDArray:
        """Return the decisions of rows with these probabilities of the classes."""
        found = least_loss(probabilities, self.loss_, self.reject_cost)
        labels = self.classes_[found.position]
        refused = found.position < 0
        if not refused.any():
            return labels
        number = self.classes_.dtype.kind in "iufb"
        label = (-1 if number else "reject") if self.reject_label is None else self.reject_label
        out = labels.astype(
            np.result_type(labels.dtype, np.asarray(label).dtype) if labels.dtype.kind != "O" else object
        )
        out[refused] = label
        return out

    def threshold(self) -> float:
        """Return, for two classes, the probability of the second above which it is decided for."""
        check_is_fitted(self)
        if len(self.classes_) != 2:
            raise ParameterError(
                f"LossMatrixClassifier.threshold(): there are {counted(len(self.classes_), 'class')}, not two."
            )
        L = self.loss_
        extra = (L[0, 1] - L[0, 0], L[1, 0] - L[1, 1])
        return float(extra[0] / (extra[0] + extra[1]))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = self._base().__sklearn_tags__()
        tags.input_tags.sparse = inner.input_tags.sparse
        tags.input_tags.allow_nan = inner.input_tags.allow_nan
        tags.input_tags.positive_only = inner.input_tags.positive_only
        return tags
