r"""Multilayer perceptrons that predict numbers.

squared error   p = z,     loss 1/2 (y - p)^2, averaged over the targets                                          (1)
Poisson         p = e^z,   loss y log(y / p) - y + p, for counts                                                  (2)
"""

from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import column_or_1d

from novum.base.domains import Choice, Domain
from novum.base.estimator import fits
from novum.base.parameters import stores
from novum.base.validation import home_of
from novum.exceptions import DataError
from novum.fold.blocks import Source
from novum.neural_network.mlp.machine import Data
from novum.neural_network.mlp.model import Reader, outputs
from novum.neural_network.mlp.parameters import DOMAINS
from novum.neural_network.mlp.perceptron import CANDIDACY, Perceptron, is_stochastic
from novum.neural_network.mlp.scores import r2
from novum.runtime.typing import Rows, RowWeights, Target

__all__ = ["MLPRegressor"]


class MLPRegressor(RegressorMixin, Perceptron):
    """Regression by a multilayer perceptron, trained by compiled kernels.

    One target or several; scikit-learn's parameters and attributes, and its loss curve for the same `random_state`.

    Parameters
    ----------
    loss : {"squared_error", "poisson"}, default="squared_error"
    [parameters]

    Attributes
    ----------
    [attributes]

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

    @stores
    def __init__(
        self, loss: str = "squared_error", hidden_layer_sizes: Any = (100,), activation: Any = "relu", *, solver: str = "adam",
        alpha: float = 0.0001, batch_size: int | str = "auto", learning_rate: Any = "constant",
        learning_rate_init: float = 0.001, power_t: float = 0.5, max_iter: int = 200, shuffle: bool = True,
        random_state: Any = None, tol: float = 1e-4, verbose: bool | int = False, warm_start: bool = False,
        momentum: float = 0.9, nesterovs_momentum: bool = True, early_stopping: bool = False,
        validation_fraction: float = 0.1, beta_1: float = 0.9, beta_2: float = 0.999, epsilon: float = 1e-8,
        n_iter_no_change: float = 10, max_fun: int = 15000, l1: float = 0.0, dropout: float = 0.0,
        batch_norm: bool = False, init: str = "glorot", n_init: int = 1, combine: str = "best"
    ) -> None: ...  # fmt: skip

    def _open(self, X: Any, y: Any, sample_weight: Any, first: bool, incremental: bool) -> tuple[Source, Reader]:
        if getattr(y, "ndim", 1) == 2 and y.shape[1] == 1 and home_of(y) == "memory":
            y = column_or_1d(y, warn=True)
        source = self._source(X, y, sample_weight, target="numeric", reset=first).host()
        if self.loss == "poisson" and source.at_hand and np.min(source.y) < 0:  # type: ignore[attr-defined]
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

        Rows of a scan or of Dask are visited block after block, shuffled only within a block.

        [rows or a sparse matrix, targets, weights]
        """
        return self._train(X, y, sample_weight, incremental=False)

    @available_if(is_stochastic)
    @fits
    def partial_fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Train for one epoch more, on these rows.

        [rows or a sparse matrix, targets, weights]
        """
        return self._train(X, y, sample_weight, incremental=True)

    def predict(self, X: Rows) -> Any:
        """Return the output for every row of X; a column per target where there are several."""
        return self._rows(X, outputs, self._speaker()._replace(flat=self.n_outputs_ == 1))
