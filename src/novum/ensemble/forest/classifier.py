"""Forests for classes: trees vote with the shares of the classes in their leaves."""

from collections.abc import Callable, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import accuracy_score
from sklearn.utils.class_weight import compute_class_weight, compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets, type_of_target

from novum.base.classes import distinct
from novum.base.domains import Choice, ClassWeight, Domain, Null
from novum.base.estimator import fits
from novum.base.fitted import check_is_fitted
from novum.base.validation import plainly_labels
from novum.ensemble.forest.base import FOREST_DOMAINS, BaseForest
from novum.ensemble.forest.out_of_bag import OutOfBagCurve, VoteSums, curve_of
from novum.ensemble.forest.votes import best_labels, mean_value
from novum.exceptions import DataError, DataWarning
from novum.runtime import arrays
from novum.runtime.typing import LabelWeights, Numbers, Rows, RowWeights, Seed, Target
from novum.runtime.warn import warn
from novum.tree.class_shares import ClassShares

__all__ = ["CLASSIFIER_DOMAINS", "ForestClassifier"]

CLASSIFIER_DOMAINS: dict[str, Domain] = {
    **FOREST_DOMAINS,
    "criterion": Choice("gini", "entropy", "log_loss"),
    "class_weight": ClassWeight(several=True) | Choice("balanced", "balanced_subsample") | Null(),
}


class ForestClassifier(ClassShares, BaseForest):
    """Base of the forests for classes."""

    classes_: Any
    n_classes_: Any
    oob_score_: float
    oob_decision_function_: np.ndarray

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "gini",
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: int | float | str | None = "sqrt",
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = True,
        oob_score: bool | Callable[..., Any] = False,
        n_jobs: int | None = None,
        random_state: Seed = None,
        verbose: int | bool = 0,
        warm_start: bool = False,
        class_weight: LabelWeights = None,
        ccp_alpha: float = 0.0,
        max_samples: int | float | None = None,
        monotonic_cst: Numbers | Mapping[Any, int] | None = None,
        categorical_features: Numbers | str | None = "from_dtype",
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start
        self.class_weight = class_weight
        self.ccp_alpha = ccp_alpha
        self.max_samples = max_samples
        self.monotonic_cst = monotonic_cst
        self.categorical_features = categorical_features

    def _read_target(self, y: NDArray, weight: NDArray | None) -> tuple[NDArray, NDArray | None]:
        if not (y.shape[1] == 1 and plainly_labels(y)):
            check_classification_targets(y)
        pairs = [distinct(y[:, o]) for o in range(y.shape[1])]
        numbers = np.array([len(classes) for classes, _ in pairs])
        single = y.shape[1] == 1
        self.classes_ = pairs[0][0] if single else [classes for classes, _ in pairs]
        self.n_classes_ = int(numbers[0]) if single else numbers
        if self.oob_score and (kind := type_of_target(y)) in ("unknown", "multiclass-multioutput"):
            raise DataError(
                f"The type of target cannot be used to compute OOB estimates. Got {kind} while only the following are supported:"
                f" continuous, continuous-multioutput, binary, multiclass, multilabel-indicator. {type(self).__name__} needs"
                " oob_score=False here."
            )
        factor = self._class_factor(y, weight)
        if factor is not None:
            weight = factor if weight is None else weight * factor
        return np.column_stack([code for _, code in pairs]), weight

    def _class_factor(self, y: NDArray, weight: NDArray | None) -> NDArray | None:
        """Return the weights of the rows by their classes, where samples do not decide them."""
        if self.class_weight is None:
            return None
        if not isinstance(self.class_weight, str):
            return compute_sample_weight(self.class_weight, y)
        if self.warm_start:
            warn(
                'class_weight presets "balanced" or "balanced_subsample" are not recommended for warm_start if the fitted data'
                ' differs from the full dataset. In order to use "balanced" weights, use compute_class_weight ("balanced",'
                " classes, y) and pass the resulting weights as the class_weight parameter.",
                DataWarning,
            )
        if self.class_weight == "balanced_subsample" and self.bootstrap:
            return None
        labels = [self.classes_] if y.shape[1] == 1 else self.classes_
        each = []
        for o, classes in enumerate(labels):
            factor = compute_class_weight("balanced", classes=classes, y=y[:, o], sample_weight=weight)
            each.append(dict(zip(classes.tolist(), factor.tolist())))
        return compute_sample_weight(each[0] if len(each) == 1 else each, y)

    def _reweighted(self, y: NDArray, counts: NDArray) -> NDArray:
        weight = super()._reweighted(y, counts)
        if isinstance(self.class_weight, str) and self.class_weight == "balanced_subsample":
            for code in y.T:
                present = np.bincount(code, counts)
                factor = counts.sum() / (np.count_nonzero(present) * np.where(present > 0, present, 1.0))
                weight *= factor[code]
        return weight

    def _oob_attributes(self, y: NDArray, sums: VoteSums) -> None:
        k = int(np.max(self.n_classes_))
        share = sums.mean.reshape(len(y), self.n_outputs_, k).transpose(0, 2, 1)  # as scikit-learn orders them
        best = share.argmax(axis=1)
        self.oob_decision_function_ = share[:, :, 0] if self.n_outputs_ == 1 else share
        truth, best = (y[:, 0], best[:, 0]) if self.n_outputs_ == 1 else (y, best)
        self.oob_score_ = (self.oob_score if callable(self.oob_score) else accuracy_score)(truth, best)

    def oob_curve(self, X: Rows, y: Target) -> Any:
        """Return the out-of-bag accuracy after 1, 2, ... trees.

        Parameters
        ----------
        X, y
            The data of `fit`: rows are recognized by their place.

        Returns
        -------
        OutOfBagCurve
            With `n_trees`, `score`, `n_rows` and `plot(ax=None)`.
        """
        check_is_fitted(self)
        table, y = self._training_rows(X, y)
        labels = [self.classes_] if self.n_outputs_ == 1 else self.classes_
        code = np.column_stack([np.searchsorted(classes, y[:, o]) for o, classes in enumerate(labels)])

        def score(rows: NDArray, mean: NDArray) -> float:
            best = mean.reshape(len(rows), self.n_outputs_, -1).argmax(axis=2)
            return float((best == code[rows]).all(axis=1).mean())

        curve: OutOfBagCurve = curve_of(self._out_of_bag(table), score, "out-of-bag accuracy")
        return curve

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Grow the trees.

        NaN is missing, in a sparse matrix refused. Rows outside memory are coded where they are, and drawn one by one:
        Notes of RandomForestClassifier.
        sample_weight: with `bootstrap`, rows are drawn in proportion to it; without, trees use it.

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            None for a scan, which brings its target.
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts; zero leaves it out.
        """
        self._fit(X, y, sample_weight)
        return self

    def predict(self, X: Rows) -> Any:
        """Return the class of the largest mean share.

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples,) or (n_samples, n_outputs)
        """
        check_is_fitted(self)
        labels = [self.classes_] if self.n_outputs_ == 1 else self.classes_
        return self._ask(X, best_labels, self._votes(labels))

    def predict_proba(self, X: Rows) -> Any:
        """Return the shares of the classes in the leaves, averaged over the trees.

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples, n_classes), or a list of them, one per output
        """
        check_is_fitted(self)
        share = self._ask(X, mean_value, self._votes())
        if self.n_outputs_ == 1:
            return share
        k = int(np.max(self.n_classes_))
        return [share[:, o * k : o * k + number] for o, number in enumerate(self.n_classes_)]

    def tree_votes(self, X: Rows) -> Any:
        """Return the share of the trees that vote for each class: majority in place of mean shares.

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples, n_classes), or a list of them, one per output
        """
        leaves, votes = arrays.to_numpy(self.apply(X)), self._votes()
        numbers = np.atleast_1d(self.n_classes_)
        out = [np.zeros((len(leaves), number)) for number in numbers]
        at = np.arange(len(leaves))
        for value, leaf in zip(votes.values, leaves.T):
            best = value.reshape(len(value), len(numbers), -1).argmax(axis=2)[leaf]
            for o, share in enumerate(out):
                share[at, best[:, o]] += 1 / len(votes.values)
        return out[0] if self.n_outputs_ == 1 else out
