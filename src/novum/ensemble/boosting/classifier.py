r"""Gradient boosting of trees grown on histograms, for classes: (1) of novum.ensemble.boosting.regressor, and

two classes: p = 1 / (1 + exp(-F));   k classes: p = softmax(F_1, ..., F_k), a tree for each       (3)
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.utils.class_weight import compute_class_weight

from novum.base.classes import encode, labels_of
from novum.base.domains import Choice, ClassWeight, Domain, Null
from novum.base.estimator import fits
from novum.base.sklearn_base import ClassifierMixin
from novum.engines.trees.passes.survey import Survey, factors_of, survey
from novum.ensemble.boosting.base import HistGradientBoosting
from novum.ensemble.boosting.candidacy import CANDIDACY
from novum.ensemble.boosting.slopes import Descent, descent_of
from novum.fold.blocks import Source
from novum.runtime import arrays
from novum.runtime.softmax import softmax_rows
from novum.runtime.typing import LabelWeights, Numbers, Rows, RowWeights, Seed, Target

__all__ = ["HistGradientBoostingClassifier"]


class HistGradientBoostingClassifier(ClassifierMixin, HistGradientBoosting):
    """Gradient boosting for classes.

    Parameters
    ----------
    loss : {"log_loss"}, default="log_loss"
    learning_rate : float, default=0.1
        Factor of every tree's values.
    max_iter : int, default=100
        Most iterations: a tree each, for more than two classes a tree per class.
    max_leaf_nodes : int or None, default=31
    max_depth : int or None, default=None
    min_samples_leaf : int, default=20
        Rows with positive weight that a leaf must hold.
    l2_regularization : float, default=0
        Penalty of leaf values.
    max_features : float, default=1.0
        Share of the columns that every node may choose from, drawn anew for each.
    max_bins : int, default=255
        Most bins of a column, one more is kept for missing values.
    categorical_features : array-like of bool, int or str, "from_dtype" or None, default="from_dtype"
        Categorical columns by mask, position or name, or those that a frame's dtypes say.
    monotonic_cst : array-like of int of shape (n_features,), dict or None, default=None
        1: never falls in that column, -1: never rises, 0: free; a dict goes by name.
    interaction_cst : sequence of sets of int, "pairwise", "no_interactions" or None, default=None
        Columns that may follow each other on a path from the root.
    warm_start : bool, default=False
        Whether to keep the trees of the last fit and add to them.
    early_stopping : "auto" or bool, default="auto"
        Whether to stop when scores no longer rise; "auto": with more than 10,000 rows.
    scoring : str, callable or None, default="loss"
        What is scored: the loss, or a scorer; None is the `score` method.
    validation_fraction : float, int or None, default=0.1
        Rows held back to be scored; None scores the training rows. Of more than 2^20 rows each is held back by a draw of
        its own, so their number is that on average.
    n_iter_no_change : int, default=10
        Scores that must not rise before the fit stops.
    tol : float, default=1e-7
        What counts as a rise.
    verbose : int or bool, default=0
        Whether to log every iteration, to the logger "novum".
    random_state : int, numpy Generator, RandomState, SeedSequence or None, default=None
    class_weight : dict, "balanced" or None, default=None
        Factors of the weights of every class's rows.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    n_iter_ : int
        Iterations that were made.
    n_trees_per_iteration_ : int
    train_score_, validation_score_ : array of shape (`n_iter_` + 1,) or (0,)
        Scores before the first and after every iteration; empty without early stopping.
    do_early_stopping_ : bool
    is_categorical_ : bool array of shape (n_features,) or None
    n_features_in_, feature_names_in_
        As in scikit-learn.
    Examples
    --------
    >>> import numpy as np
    >>> from novum.ensemble import HistGradientBoostingClassifier
    >>> X = np.array([[a, b] for a in range(20) for b in range(20)], dtype=float)
    >>> y = (X[:, 0] < 10) ^ (X[:, 1] < 7)
    >>> HistGradientBoostingClassifier().fit(X, y).score(X, y)
    1.0
    """

    _candidacy = CANDIDACY
    _domains: dict[str, Domain] = {
        **HistGradientBoosting._domains,
        "loss": Choice("log_loss"),
        "class_weight": ClassWeight() | Choice("balanced") | Null(),
    }
    _target = "classes"
    classes_: np.ndarray

    def __init__(
        self,
        loss: Literal["log_loss"] = "log_loss",
        *,
        learning_rate: float = 0.1,
        max_iter: int = 100,
        max_leaf_nodes: int | None = 31,
        max_depth: int | None = None,
        min_samples_leaf: int = 20,
        l2_regularization: float = 0.0,
        max_features: float = 1.0,
        max_bins: int = 255,
        categorical_features: Numbers | int | str | Literal["from_dtype"] | None = "from_dtype",
        monotonic_cst: Numbers | Mapping[Any, Any] | None = None,
        interaction_cst: Sequence[Any] | Literal["pairwise"] | Literal["no_interactions"] | None = None,
        warm_start: bool = False,
        early_stopping: Literal["auto"] | bool = "auto",
        scoring: str | Callable[..., Any] | None = "loss",
        validation_fraction: float | None = 0.1,
        n_iter_no_change: int = 10,
        tol: float = 1e-7,
        verbose: int | bool = 0,
        random_state: Seed = None,
        class_weight: LabelWeights = None,
    ) -> None:
        self.loss = loss
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.max_leaf_nodes = max_leaf_nodes
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.l2_regularization = l2_regularization
        self.max_features = max_features
        self.max_bins = max_bins
        self.categorical_features = categorical_features
        self.monotonic_cst = monotonic_cst
        self.interaction_cst = interaction_cst
        self.warm_start = warm_start
        self.early_stopping = early_stopping
        self.scoring = scoring
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.verbose = verbose
        self.random_state = random_state
        self.class_weight = class_weight

    @fits
    def fit(
        self,
        X: Rows,
        y: Target = None,
        sample_weight: RowWeights = None,
        *,
        X_val: Rows | None = None,
        y_val: Target = None,
        sample_weight_val: RowWeights = None,
    ) -> Self:
        """Fit the trees; see `HistGradientBoostingRegressor.fit`."""
        return self._fit(X, y, sample_weight, X_val, y_val, sample_weight_val)

    def _encoded(self, y: NDArray, *, fitted: bool = False) -> NDArray:
        if not fitted:
            self.classes_ = np.unique(y)
            self.n_trees_per_iteration_ = 1 if len(self.classes_) <= 2 else len(self.classes_)
        return encode(self.classes_, np.asarray(y)).astype(np.float64)

    def _blocks(self, source: Source) -> tuple[Source, Survey, NDArray | None]:
        self.classes_, source = labels_of(source)
        number = len(self.classes_)
        self.n_trees_per_iteration_ = 1 if number <= 2 else number
        found = survey(source, number)
        if self.class_weight is None:
            return source, found, None
        return source, found, factors_of(self.class_weight, self.classes_, found.counts)

    def _decoded(self, target: NDArray) -> NDArray:
        return self.classes_[target.astype(np.intp)]

    def _weighted(self, target: NDArray, weight: NDArray | None) -> NDArray | None:
        if self.class_weight is None:
            return weight
        factor = compute_class_weight(self.class_weight, classes=self.classes_, y=self._decoded(target))[
            target.astype(np.intp)
        ]
        return factor if weight is None else factor * weight

    def _descent(self, target: NDArray, weight: NDArray | None) -> Descent:
        return descent_of("log_loss", target, weight, None, self.n_trees_per_iteration_)

    def _probabilities(self, raw: Any) -> Any:
        if arrays.is_tensor(raw):
            if raw.shape[1] == 1 < len(self.classes_):
                return arrays.concat([(-raw).sigmoid(), raw.sigmoid()])
            return raw.softmax(dim=1)
        if raw.shape[1] > 1:
            return softmax_rows(raw)
        if len(self.classes_) == 1:
            return np.ones((len(raw), 1))
        positive = expit(raw[:, 0])
        return np.column_stack([1 - positive, positive])

    def _labels(self, raw: Any) -> Any:
        if arrays.is_tensor(raw):
            code = arrays.argmax(raw) if raw.shape[1] > 1 else (raw[:, 0] > 0).long()
            return arrays.labels_at(self.classes_, code)
        return self.classes_[raw.argmax(axis=1) if raw.shape[1] > 1 else (raw[:, 0] > 0).astype(np.intp)]

    def _scores(self, raw: NDArray) -> NDArray:
        return raw if raw.shape[1] > 1 else raw[:, 0]

    def predict(self, X: Rows) -> Any:
        """Return the class with the largest probability of every row."""
        return self._raw(X, self._labels)

    def predict_proba(self, X: Rows) -> Any:
        """Return the probabilities (3) of every row, one column per class.

        two classes: p = 1 / (1 + exp(-F));   k classes: p = softmax(F_1, ..., F_k), a tree for each    (3)
        """
        return self._raw(X, self._probabilities)

    def decision_function(self, X: Rows) -> Any:
        """Return the raw scores F of every row: one number for two classes, else one per class."""
        return self._raw(X, self._scores)

    def staged_predict(self, X: Rows) -> Any:
        """Yield the classes after every iteration."""
        return self._staged(X, self._labels)

    def staged_predict_proba(self, X: Rows) -> Any:
        """Yield the probabilities after every iteration."""
        return self._staged(X, self._probabilities)

    def staged_decision_function(self, X: Rows) -> Any:
        """Yield the raw scores after every iteration."""
        return self._staged(X, self._scores)
