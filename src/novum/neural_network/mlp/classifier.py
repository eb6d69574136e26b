r"""Multilayer perceptrons that classify.

softmax    p_k = e^(z_k) / sum_j e^(z_j),  loss -log p_y,                      three classes or more               (1)
logistic   p = 1 / (1 + e^-z),  loss -y log p - (1 - y) log(1 - p),            two classes, or one per label       (2)
decide     argmax_k p_k (the first of equals),  or  p > 1/2                                                        (3)
"""

from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import type_of_target, unique_labels

from novum.base.classes import encode, labels_of
from novum.base.domains import Domain
from novum.base.estimator import fits
from novum.base.parameters import stores
from novum.base.validation import home_of
from novum.exceptions import DataError
from novum.fold.blocks import Source
from novum.neural_network.mlp.machine import Data
from novum.neural_network.mlp.model import Reader, chances, decisions
from novum.neural_network.mlp.parameters import DOMAINS
from novum.neural_network.mlp.perceptron import CANDIDACY, Perceptron, is_stochastic
from novum.neural_network.mlp.scores import accuracy
from novum.runtime import arrays
from novum.runtime.typing import Rows, RowWeights, Target

__all__ = ["MLPClassifier"]


def several_labels(y: Any) -> bool:
    """Return whether rows have several labels each: a matrix of zeros and ones."""
    if y is None or home_of(y) == "dask":
        return False
    if arrays.is_tensor(y):
        y = arrays.to_numpy(y)
    rows = isinstance(y, list | tuple) and len(y) > 0 and isinstance(y[0], list | tuple | np.ndarray)
    wide = getattr(y, "ndim", 1) == 2 and y.shape[1] > 1
    return (rows or wide) and type_of_target(y).startswith("multilabel")


class MLPClassifier(ClassifierMixin, Perceptron):
    """Classify by a multilayer perceptron, trained by compiled kernels.

    Two classes, several classes or several labels per row; scikit-learn's parameters and attributes, and its loss curve for the
    same `random_state`.

    Parameters
    ----------
    [parameters]

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    [attributes]

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from novum.neural_network import MLPClassifier
    >>> X, y = make_moons(200, noise=0.1, random_state=0)
    >>> model = MLPClassifier((20,), solver="lbfgs", max_iter=500, random_state=0).fit(X, y)
    >>> model.score(X, y)
    1.0
    >>> model.predict_proba([[0.0, 1.0]]).round(3)
    array([[1., 0.]])
    """

    _candidacy = CANDIDACY
    _domains: dict[str, Domain] = DOMAINS

    @stores
    def __init__(
        self, hidden_layer_sizes: Any = (100,), activation: Any = "relu", *, solver: str = "adam",
        alpha: float = 0.0001, batch_size: int | str = "auto", learning_rate: Any = "constant",
        learning_rate_init: float = 0.001, power_t: float = 0.5, max_iter: int = 200, shuffle: bool = True,
        random_state: Any = None, tol: float = 1e-4, verbose: bool | int = False, warm_start: bool = False,
        momentum: float = 0.9, nesterovs_momentum: bool = True, early_stopping: bool = False,
        validation_fraction: float = 0.1, beta_1: float = 0.9, beta_2: float = 0.999, epsilon: float = 1e-8,
        n_iter_no_change: float = 10, max_fun: int = 15000, l1: float = 0.0, dropout: float = 0.0,
        batch_norm: bool = False, init: str = "glorot", n_init: int = 1, combine: str = "best"
    ) -> None: ...  # fmt: skip

    def _open(self, X: Any, y: Any, sample_weight: Any, first: bool, incremental: bool) -> tuple[Source, Reader]:
        if several_labels(y):
            y = np.asarray(y.toarray() if hasattr(y, "toarray") else arrays.to_numpy(y) if arrays.is_tensor(y) else y)
            source = self._source(X, (y > 0).astype(np.float64), sample_weight, target="numeric", reset=first).host()
            self._set_classes(np.arange(y.shape[1]), first, incremental)
            self.n_outputs_, multilabel = y.shape[1], True
        else:
            source, multilabel = self._source(X, y, sample_weight, target="classes", reset=first).host(), False
            known = self.classes_ if hasattr(self, "classes_") and not (first and not incremental) else None
            if known is None or self.warm_start:
                classes, coded = labels_of(source)
                self._set_classes(classes, first, incremental)
            if known is not None:
                self._check_classes(source, known)
                coded = source.map_target(lambda labels: encode(known, labels))
            source = coded
            k = len(self.classes_)
            self.n_outputs_ = k if k > 2 else 1
        self._multilabel = multilabel
        codes = self.n_outputs_ > 2 and not multilabel
        if first or not hasattr(self, "out_activation_"):
            self.out_activation_ = "softmax" if codes else "logistic"
        return source, Reader(codes, source.dtype)

    def _set_classes(self, classes: np.ndarray, first: bool, incremental: bool) -> None:
        known = getattr(self, "classes_", None)
        if known is None or (not self.warm_start and not incremental):
            self.classes_ = classes
        elif self.warm_start and set(classes.tolist()) != set(np.asarray(known).tolist()):
            raise DataError(
                "warm_start can only be used where `y` has the same classes as in the previous call to fit. Previously got"
                f" {known}, `y` has {classes}. {type(self).__name__}(warm_start=False) begins anew."
            )

    def _check_classes(self, source: Source, known: np.ndarray) -> None:
        """Raise for labels that the first call did not name."""
        if source.at_hand:
            found = unique_labels(source.y)  # type: ignore[attr-defined]
            if len(np.setdiff1d(found, known, assume_unique=True)):
                raise DataError(
                    f"`y` has classes not in `self.classes_`. `self.classes_` has {known}. 'y' has {found}. Name every class"
                    f" at the first call of {type(self).__name__}.partial_fit."
                )

    def _targets(self, y: Any) -> np.ndarray:
        y = np.asarray(y)
        if getattr(self, "_multilabel", False):
            return (y > 0).astype(float)
        code = encode(self.classes_, y)
        return (
            (code[:, None] == np.arange(self.n_outputs_)).astype(float) if self.n_outputs_ > 1 else code[:, None] * 1.0
        )

    def _score_of(self, data: Data, output: np.ndarray) -> float:
        return accuracy(data, output)

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Train the network.

        Rows of a scan or of Dask are visited block after block, shuffled only within a block.

        [rows or a sparse matrix, target, weights]
        """
        return self._train(X, y, sample_weight, incremental=False)

    @available_if(is_stochastic)
    @fits
    def partial_fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None, classes: Any = None) -> Self:
        """Train for one epoch more, on these rows.

        [rows or a sparse matrix, target, weights, all classes]
        """
        if not hasattr(self, "classes_"):
            if classes is None:
                raise DataError(
                    f"classes must be passed on the first call to partial_fit: {type(self).__name__}.partial_fit(X, y,"
                    " classes=...) names every label that can ever occur."
                )
            self.classes_ = np.arange(np.shape(y)[1]) if several_labels(y) else np.unique(np.asarray(classes))
        elif classes is not None and not several_labels(y) and not np.array_equal(self.classes_, np.unique(classes)):
            raise DataError(
                f"`classes={classes!r}` is not the same as on last call to partial_fit, was: {self.classes_!r}."
                f" {type(self).__name__} needs a new object for other classes."
            )
        return self._train(X, y, sample_weight, incremental=True)

    def _one_label(self) -> np.ndarray | None:
        return None if getattr(self, "_multilabel", False) else self.classes_

    def predict(self, X: Rows) -> Any:
        """Return the class of every row by (3), or an indicator of labels where rows have several.

        decide   argmax_k p_k (the first of equals),  or  p > 1/2    (3)
        """
        return self._rows(X, decisions, self._speaker()._replace(classes=self._one_label()))

    def predict_proba(self, X: Rows) -> Any:
        """Return the probability of every class, one row per row of X; of every label where rows have several."""
        return self._rows(X, chances, self._speaker()._replace(classes=self._one_label()))

    def predict_log_proba(self, X: Rows) -> Any:
        """Return the logarithm of `predict_proba`."""
        return self._rows(X, chances, self._speaker()._replace(classes=self._one_label(), log=True))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags
