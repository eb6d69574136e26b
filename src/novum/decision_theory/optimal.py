r"""The Bayes-optimal classifier over finitely many hypotheses: every hypothesis votes with its posterior probability.

    P(h | D) = P(h) prod_i P(y_i | x_i, h)^w_i / P(D)                                              (1)
    P(v | x, D) = sum_h P(v | x, h) P(h | D),   decide argmax_v                                    (2)

No other method with the same hypotheses and prior is right more often on average. h_MAP alone may decide otherwise: with
posterior (0.4, 0.3, 0.3) and only the first saying +, (2) says -.
"""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import has_fit_parameter

from novum.base.domains import ArrayLike, Domain, Null
from novum.base.estimator import Estimator, fits
from novum.base.fitted import check_is_fitted
from novum.base.sklearn_base import ClassifierMixin
from novum.base.validation import open_rows, rows_at_hand
from novum.decision_theory.hypotheses import HypothesisPosterior, log_of, normalize_weights
from novum.exceptions import ParameterError
from novum.runtime import arrays
from novum.runtime.typing import Numbers, Rows, RowWeights, Target

__all__ = ["BayesOptimalClassifier"]

BECAUSE = "BayesOptimalClassifier evaluates its hypotheses on all rows at once"


def is_fitted(model: Any) -> bool:
    """Return whether an estimator has learned."""
    try:
        check_is_fitted(model)
    except NotFittedError:
        return False
    return True


class BayesOptimalClassifier(ClassifierMixin, Estimator):
    """Vote of finitely many hypotheses, weighed by their posterior probabilities.

    Parameters
    ----------
    hypotheses : sequence of classifiers or callables, default=None
        A fitted classifier with `predict_proba` is a hypothesis as it is; so is a function of X that gives the probabilities of
        the classes (n, n_classes), or labels, which it is then certain of. A classifier that is not fitted learns from the data
        first; its likelihood is then that of data it has seen, and favours flexible ones. None is `GaussianNB` and
        `LinearDiscriminantAnalysis`.
    prior : array-like of shape (n_hypotheses,), default=None
        P(h); None is equal ones.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    hypotheses_ : list
        The hypotheses, fitted.
    posterior_ : array of shape (n_hypotheses,)
        (1).
    log_evidence_ : float
        log P(D).
    map_index_ : int
        Position of the most probable hypothesis.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.decision_theory import BayesOptimalClassifier
    >>> low = lambda X: np.column_stack([np.full(len(X), 0.9), np.full(len(X), 0.1)])
    >>> high = lambda X: np.column_stack([np.full(len(X), 0.5), np.full(len(X), 0.5)])
    >>> model = BayesOptimalClassifier([low, high], prior=[0.3, 0.7]).fit(np.zeros((3, 1)), ["a", "a", "b"])
    >>> model.posterior_.round(4), model.predict_proba(np.zeros((1, 1))).round(4)
    (array([0.2174, 0.7826]), array([[0.5869, 0.4131]]))
    """

    _domains: dict[str, Domain] = {"hypotheses": ArrayLike() | Null(), "prior": ArrayLike() | Null()}
    classes_: np.ndarray
    hypotheses_: list[Any]
    posterior_: np.ndarray
    log_evidence_: float
    map_index_: int

    def __init__(self, hypotheses: Sequence[Any] | None = None, *, prior: Numbers | None = None) -> None:
        self.hypotheses = hypotheses
        self.prior = prior

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Weigh the hypotheses by the data.

        sample_weight: weight w stands for w equal observations.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            None for a scan, which brings its target.
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts; zero leaves it out.
        """
        source: Any = self._source(rows_at_hand(self, X, BECAUSE), y, sample_weight, target="classes")
        labels, weight = source.y, source.weight
        self.classes_, code = np.unique(labels if weight is None else labels[weight > 0], return_inverse=True)
        if weight is not None:
            code = np.searchsorted(self.classes_, labels).clip(max=len(self.classes_) - 1)
        given = self.hypotheses
        if given is None:
            from novum.discriminant_analysis import LinearDiscriminantAnalysis
            from novum.naive_bayes import GaussianNB

            given = [GaussianNB(), LinearDiscriminantAnalysis()]
        self.hypotheses_ = [self._ready(h, X, labels, weight) for h in given]
        prior = (
            np.full(len(given), 1 / max(len(given), 1)) if self.prior is None else np.asarray(self.prior, np.float64)
        )
        if prior.shape != (len(given),) or not len(given) or (prior < 0).any() or not np.isclose(prior.sum(), 1):
            raise ParameterError(
                f"BayesOptimalClassifier(prior=...): give {len(given)} probabilities with sum 1, one per hypothesis."
            )
        w = np.ones(len(code)) if weight is None else weight
        used = w > 0
        total = np.array([w[used] @ log_of(self._shares(h, X)[used, code[used]]) for h in self.hypotheses_])
        self.posterior_, self.log_evidence_ = normalize_weights(total + log_of(prior))
        self.map_index_ = int(self.posterior_.argmax())
        return self

    def _ready(self, hypothesis: Any, X: Any, y: NDArray, weight: NDArray | None) -> Any:
        """Return a hypothesis that can answer: a function, a fitted classifier, or a clone that has learned."""
        if not hasattr(hypothesis, "fit"):
            if not callable(hypothesis):
                raise ParameterError(
                    f"BayesOptimalClassifier(hypotheses=...): {hypothesis!r} is neither a classifier nor a function of X."
                )
            return hypothesis
        if is_fitted(hypothesis):
            return hypothesis
        model = clone(hypothesis)
        if weight is None:
            return model.fit(X, y)
        if not has_fit_parameter(model, "sample_weight"):
            raise ParameterError(f"BayesOptimalClassifier: {type(model).__name__} takes no sample_weight.")
        return model.fit(X, y, sample_weight=weight)

    def _shares(self, hypothesis: Any, X: Any) -> NDArray:
        """Return P(v | x, h) for every row and class of `classes_`."""
        k = len(self.classes_)
        if hasattr(hypothesis, "predict_proba"):
            found = arrays.to_numpy(hypothesis.predict_proba(X))
            place = {label: j for j, label in enumerate(hypothesis.classes_.tolist())}
            columns = [place.get(label) for label in self.classes_.tolist()]
            out = np.zeros((len(found), k), found.dtype)
            for j, column in enumerate(columns):
                if column is not None:
                    out[:, j] = found[:, column]
            return out
        found = arrays.to_numpy(hypothesis(X) if callable(hypothesis) else hypothesis.predict(X))
        if found.ndim == 2:
            if found.shape[1] != k:
                raise ParameterError(
                    f"BayesOptimalClassifier: a hypothesis gives {found.shape[1]} probabilities for {k} classes."
                )
            return found.astype(np.float64)
        return (found[:, None] == self.classes_).astype(np.float64)

    def predict_proba(self, X: Rows) -> Any:
        """Return (2) for every row and class.

        P(v | x, D) = sum_h P(v | x, h) P(h | D),   decide argmax_v    (2)
        """
        check_is_fitted(self)
        source = open_rows(self, rows_at_hand(self, X, BECAUSE))
        total = sum(share * self._shares(h, X) for h, share in zip(self.hypotheses_, self.posterior_.tolist()))
        return np.asarray(total, source.dtype)

    def predict(self, X: Rows) -> Any:
        """Return the class of largest (2) for every row.

        P(v | x, D) = sum_h P(v | x, h) P(h | D),   decide argmax_v    (2)
        """
        shares = self.predict_proba(X)
        return self.classes_[shares.argmax(axis=1)]

    def predict_map(self, X: Rows) -> Any:
        """Return what the most probable hypothesis alone decides."""
        check_is_fitted(self)
        return self.classes_[self._shares(self.hypotheses_[self.map_index_], X).argmax(axis=1)]

    def belief(self, prior: Numbers | None = None) -> HypothesisPosterior:
        """Return the posterior as beliefs that further observations (x, y) can update, one row at a time."""
        check_is_fitted(self)
        classes = self.classes_.tolist()

        def likelihood(observation: Any) -> list[float]:
            x, label = observation
            rows = np.asarray(x, np.float64).reshape(1, -1)
            return [float(self._shares(h, rows)[0, classes.index(label)]) for h in self.hypotheses_]

        names = [f"h{i + 1}" for i in range(len(self.hypotheses_))]
        return HypothesisPosterior(self.posterior_ if prior is None else prior, likelihood, None, names)
