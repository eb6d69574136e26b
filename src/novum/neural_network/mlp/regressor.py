r"""Multilayer perceptrons that predict numbers.

squared error   p = z,     loss 1/2 (y - p)^2, averaged over the targets                                          (1)
Poisson         p = e^z,   loss y log(y / p) - y + p, for counts                                                  (2)
"""

from collections.abc import Callable
from typing import Any, Literal, Self

import numpy as np
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import column_or_1d

from novum.base.domains import Choice, Domain
from novum.base.estimator import fits
from novum.base.sklearn_base import RegressorMixin
from novum.base.validation import home_of
from novum.exceptions import DataError
from novum.fold.blocks import Source
from novum.neural_network.mlp.candidacy import CANDIDACY
from novum.neural_network.mlp.compiled_network import Data
from novum.neural_network.mlp.model import Reader, outputs
from novum.neural_network.mlp.parameters import DOMAINS
from novum.neural_network.mlp.perceptron import Perceptron, is_stochastic
from novum.neural_network.mlp.scores import r2
from novum.runtime.typing import Numbers, Rows, RowWeights, Seed, Target

__all__ = ["MLPRegressor"]


class MLPRegressor(RegressorMixin, Perceptron):
    """Regression by a multilayer perceptron, trained by compiled kernels.

    One target or several; scikit-learn's parameters and attributes, and its loss curve for the same `random_state`.

    Parameters
    ----------
    loss : {"squared_error", "poisson"}, default="squared_error"
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
    >>> import numpy as np
    >>> from novum.neural_network import MLPRegressor
    >>> x = np.linspace(-3, 3, 200)[:, None]
    >>> model = MLPRegressor(hidden_layer_sizes=(20,), activation="tanh", solver="lbfgs", max_iter=2000, random_state=0)
    >>> bool(np.abs(model.fit(x, np.sin(x[:, 0])).predict(x) - np.sin(x[:, 0])).max() < 0.05)
    True
    """

    _candidacy = CANDIDACY
    _domains: dict[str, Domain] = {**DOMAINS, "loss": Choice("squared_error", "poisson")}

    def __init__(
        self,
        loss: Literal["squared_error", "poisson"] = "squared_error",
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
        self.loss = loss
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
        if getattr(y, "ndim", 1) == 2 and y.shape[1] == 1 and home_of(y) == "memory":
            y = column_or_1d(y, warn=True)
        source = self._source(X, y, sample_weight, target="numeric", reset=first).host()
        if self.loss == "poisson" and (source.at_hand or source.on_device) and float(source.y.min()) < 0:  # type: ignore[attr-defined]
            raise DataError(
                f"Some value(s) of y are out of the valid range of the loss 'poisson': {type(self).__name__} needs counts, all"
                " y >= 0."
            )
        self.n_outputs_ = max(1, source.n_targets)
        if first or not hasattr(self, "out_activation_"):
            self.out_activation_ = "exp" if self.loss == "poisson" else "identity"
        return source, Reader(False, source.dtype)

    def _targets(self, y: Any) -> np.ndarray:
        return np.asarray(y, float).reshape(len(y), -1)

    def _score_of(self, data: Data, output: np.ndarray) -> float:
        return r2(data, output)

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Train the network.

        The order of the rows is the same in every home; those of a scan or of Dask are stepped over where they are.

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            None for a scan, which brings its target.
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts; zero leaves it out.
        """
        return self._train(X, y, sample_weight, incremental=False)

    @available_if(is_stochastic)
    @fits
    def partial_fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Train for one epoch more, on these rows.

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            None for a scan, which brings its target.
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts; zero leaves it out.
        """
        return self._train(X, y, sample_weight, incremental=True)

    def predict(self, X: Rows) -> Any:
        """Return the output for every row of X; a column per target where there are several."""
        return self._rows(X, outputs, self._predictor()._replace(flat=self.n_outputs_ == 1))
