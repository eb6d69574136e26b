r"""Multilayer perceptrons that classify.

softmax    p_k = e^(z_k) / sum_j e^(z_j),  loss -log p_y,                      three classes or more               (1)
logistic   p = 1 / (1 + e^-z),  loss -y log p - (1 - y) log(1 - p),            two classes, or one per label       (2)
decide     argmax_k p_k (the first of equals),  or  p > 1/2                                                        (3)
"""

from collections.abc import Callable
from typing import Any, Literal, Self

import numpy as np
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import type_of_target, unique_labels

from novum.base.classes import encode, labels_of
from novum.base.domains import Domain
from novum.base.estimator import fits
from novum.base.sklearn_base import ClassifierMixin
from novum.base.validation import home_of
from novum.exceptions import DataError
from novum.fold.blocks import Source
from novum.neural_network.mlp.candidacy import CANDIDACY
from novum.neural_network.mlp.compiled_network import Data
from novum.neural_network.mlp.model import Reader, class_probabilities, decisions
from novum.neural_network.mlp.parameters import DOMAINS
from novum.neural_network.mlp.perceptron import Perceptron, is_stochastic
from novum.neural_network.mlp.scores import accuracy
from novum.runtime import arrays
from novum.runtime.typing import Numbers, Rows, RowWeights, Seed, Target

__all__ = ["MLPClassifier"]


def several_labels(y: Any) -> bool:
    """Return whether rows have several labels each: a matrix of zeros and ones."""
    if y is None or home_of(y) == "dask":
        return False
    if arrays.is_tensor(y):
        return y.ndim == 2 and y.shape[1] > 1 and bool(((y == 0) | (y == 1)).all())
    rows = isinstance(y, list | tuple) and len(y) > 0 and isinstance(y[0], list | tuple | np.ndarray)
    wide = getattr(y, "ndim", 1) == 2 and y.shape[1] > 1
    return (rows or wide) and type_of_target(y).startswith("multilabel")


class MLPClassifier(ClassifierMixin, Perceptron):
    """Classify by a multilayer perceptron, trained by compiled kernels.

    Two classes, several classes or several labels per row; scikit-learn's parameters and attributes, and its loss curve for the
    same `random_state`.

    Parameters
    ----------
    hidden_layer_sizes : int or array-like of int, default=(100,)
        Units of every hidden layer; none makes a linear model.
    activation : str or Activation, default="relu"
        Of the hidden units: any trainable one of novum.activations.
    solver : {"adam", "sgd", "adagrad", "rmsprop", "lbfgs"}, default="adam"
        "lbfgs" takes all rows at once.
    alpha : float, default=0.0001
        Strength of the 2-norm penalty.
    batch_size : int or "auto", default="auto"
        Rows of a step; "auto": min(200, n_samples).
    learning_rate : {"constant", "invscaling", "adaptive", "cosine"} or callable, default="constant"
        How the rate changes; "invscaling" and "adaptive" are for "sgd" alone. A callable, such as a schedule of
        novum.optimize, gives the rate of epoch 0, 1, ...
    learning_rate_init : float, default=0.001
    power_t : float, default=0.5
        Exponent of "invscaling".
    max_iter : int, default=200
        Most epochs, or iterations of "lbfgs".
    shuffle : bool, default=True
        Visit the rows in another random order every epoch.
    random_state : int, Generator, RandomState, SeedSequence or None, default=None
        Of the start, the split and the order of rows; an int gives scikit-learn's.
    tol : float, default=1e-4
        An epoch that improves by less counts as none; for "lbfgs" the largest gradient to stop at.
    verbose : bool, default=False
        Kept for scikit-learn's sake; `history_` holds the epochs.
    warm_start : bool, default=False
        Start from the last fit.
    momentum : float, default=0.9
        Of "sgd".
    nesterovs_momentum : bool, default=True
    early_stopping : bool, default=False
        Hold rows back, stop when their score no longer improves, and keep the weights of the best epoch.
    validation_fraction : float, default=0.1
    beta_1 : float, default=0.9
        Decay of the mean gradient in "adam".
    beta_2 : float, default=0.999
        Decay of the mean square in "adam" and "rmsprop".
    epsilon : float, default=1e-8
        Added to the root of the mean square.
    n_iter_no_change : int, default=10
        Patience: epochs in a row without improvement that are borne.
    max_fun : int, default=15000
        Most evaluations of "lbfgs".
    l1 : float, default=0.0
        Strength of the 1-norm penalty, which makes weights exactly zero.
    dropout : float, default=0.0
        Share of hidden units that a step leaves out.
    batch_norm : bool, default=False
        Normalize the sums of hidden units over the batch; `intercepts_` are then its shifts.
    init : {"glorot", "he", "normal", "sparse"}, default="glorot"
        Weights to begin from: novum.neural_network.mlp.starts.
    n_init : int, default=1
        Random starts.
    combine : {"best", "average"}, default="best"
        Of several starts keep the one of the best score or loss, or average what all of them say.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    coefs_ : list of arrays of shape (n_in, n_out)
    intercepts_ : list of arrays of shape (n_out,)
    loss_ : float
        Of the last epoch, penalties included.
    loss_curve_, best_loss_
        Loss of every epoch, and the least; stochastic solvers only.
    validation_scores_, best_validation_score_
        Score of the rows held back, with `early_stopping`; else None.
    n_iter_, t_ : int
        Epochs, and rows visited.
    n_layers_, n_outputs_ : int
    out_activation_ : str
    scales_, running_means_, running_variances_ : list of arrays
        Of `batch_norm`, per hidden layer.
    restart_losses_ : array of shape (n_init,)
    history_ : History
        Loss, rate and validation score of every epoch.

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
    classes_: np.ndarray

    def __init__(
        self,
        hidden_layer_sizes: int | Numbers = (100,),
        activation: str | Callable[..., Any] = "relu",
        *,
        solver: Literal["lbfgs", "sgd", "adagrad", "rmsprop", "adam"] = "adam",
        alpha: float = 0.0001,
        batch_size: int | Literal["auto"] = "auto",
        learning_rate: Literal["constant", "invscaling", "adaptive", "cosine"] | Callable[..., Any] = "constant",
        learning_rate_init: float = 0.001,
        power_t: float = 0.5,
        max_iter: int = 200,
        shuffle: bool = True,
        random_state: Seed = None,
        tol: float = 1e-4,
        verbose: bool | int = False,
        warm_start: bool = False,
        momentum: float = 0.9,
        nesterovs_momentum: bool = True,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-8,
        n_iter_no_change: float = 10,
        max_fun: int = 15000,
        l1: float = 0.0,
        dropout: float = 0.0,
        batch_norm: bool = False,
        init: Literal["glorot", "he", "normal", "sparse"] = "glorot",
        n_init: int = 1,
        combine: Literal["best", "average"] = "best",
    ) -> None:
        self.hidden_layer_sizes = hidden_layer_sizes
        self.activation = activation
        self.solver = solver
        self.alpha = alpha
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.learning_rate_init = learning_rate_init
        self.power_t = power_t
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.random_state = random_state
        self.tol = tol
        self.verbose = verbose
        self.warm_start = warm_start
        self.momentum = momentum
        self.nesterovs_momentum = nesterovs_momentum
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.beta_1 = beta_1
        self.beta_2 = beta_2
        self.epsilon = epsilon
        self.n_iter_no_change = n_iter_no_change
        self.max_fun = max_fun
        self.l1 = l1
        self.dropout = dropout
        self.batch_norm = batch_norm
        self.init = init
        self.n_init = n_init
        self.combine = combine

    def _open(self, X: Any, y: Any, sample_weight: Any, first: bool, incremental: bool) -> tuple[Source, Reader]:
        if several_labels(y):
            y = y if arrays.is_tensor(y) else np.asarray(y.toarray() if hasattr(y, "toarray") else y)
            marks = arrays.double(arrays.whole(y > 0))
            source = self._source(X, marks, sample_weight, target="numeric", reset=first).host()
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

        The order of the rows is the same in every home; those of a scan or of Dask are stepped over where they are.

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            None for a scan, which brings its target.
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts; zero leaves it out.
        """
        return self._train(X, y, sample_weight, incremental=False)

    @available_if(is_stochastic)
    @fits
    def partial_fit(self, X: Rows, y: Any = None, sample_weight: RowWeights = None, classes: Any = None) -> Self:
        """Train for one epoch more, on these rows.

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            None for a scan, which brings its target.
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts; zero leaves it out.
        classes : array-like of shape (n_classes,)
            All labels that can ever occur; needed at the first call.
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
        return self._rows(X, decisions, self._predictor()._replace(classes=self._one_label()))

    def predict_proba(self, X: Rows) -> Any:
        """Return the probability of every class, one row per row of X; of every label where rows have several."""
        return self._rows(X, class_probabilities, self._predictor()._replace(classes=self._one_label()))

    def predict_log_proba(self, X: Rows) -> Any:
        """Return the logarithm of `predict_proba`."""
        return self._rows(X, class_probabilities, self._predictor()._replace(classes=self._one_label(), log=True))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags
