"""What a fitted perceptron shows of itself: hidden units, gradients layer by layer, curves and a diagram."""

from typing import Any

import numpy as np

from novum.base.fitted import check_is_fitted
from novum.base.validation import rows_at_hand
from novum.linalg import check_gradient
from novum.linalg.gradients import GradientCheck
from novum.neural_network.gradients import GradientReport, gradient_report
from novum.neural_network.mlp.compiled_network import Data, join
from novum.neural_network.mlp.curves import draw_training
from novum.neural_network.mlp.parameters import STOCHASTIC
from novum.neural_network.mlp.whole_batch import rows_objective
from novum.neural_network.modules import Activate, BatchNorm, Dense, Module, Sequential, exp
from novum.neural_network.plots.layers import draw_network, layer_formulas
from novum.runtime import arrays
from novum.runtime.typing import Axes, Rows, RowWeights, Target

__all__ = ["Inspection"]


class Inspection:
    """Looks into a network."""

    solver: str

    @property
    def _small_steps(self) -> bool:
        """Whether a fit steps over a few rows at a time, which a device does not do sooner: novum.patch leaves it in memory."""
        return bool(self.solver in STOCHASTIC)

    def _dense_rows(self: Any, X: Any) -> np.ndarray:
        """Return rows of X as an array of doubles, checked as for a prediction."""
        check_is_fitted(self)
        rows_at_hand(self, X, f"{type(self).__name__} shows what happens to rows one by one")
        return np.asarray(arrays.to_numpy(self._rows(X, lambda _, block: arrays.dense(block.X))), np.float64)

    def modules(self: Any) -> Sequential:
        """Return the fitted network as modules in NumPy, to look at or to experiment with."""
        check_is_fitted(self)
        settings = self._settings()
        output: Any = {"logistic": "sigmoid", "exp": exp}.get(self.out_activation_, self.out_activation_)
        last = len(self.coefs_) - 1
        made: list[Module] = []
        for l, (w, b) in enumerate(zip(self.coefs_, self.intercepts_)):
            if l == last:
                made.append(Dense(w, b, output))
            elif settings.batch_norm:
                norm = BatchNorm(self.scales_[l], b)
                norm.running_mean, norm.running_variance = (
                    self.running_means_[l] * 1.0,
                    self.running_variances_[l] * 1.0,
                )
                made += [Dense(w), norm, Activate(settings.activation)]
            else:
                made.append(Dense(w, b, settings.activation))
        return Sequential(made)

    def hidden_outputs(self: Any, X: Rows) -> list[np.ndarray]:
        """Return what the units of every hidden layer say of every row: the features that the network has learned.

        Parameters
        ----------
        X : array-like, frame or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        list of arrays of shape (n_samples, n_units)
        """
        h, found = self._dense_rows(X), []
        modules = self.modules().modules
        for module in modules[:-1]:
            h = module.forward(h, training=False)
            if not isinstance(module, BatchNorm) and not (isinstance(module, Dense) and self.batch_norm):
                found.append(h)
        return found

    def gradient_report(self: Any, X: Rows, y: Target, sample_weight: RowWeights = None) -> GradientReport:
        """Return how large the gradients of every layer are at these rows, and how many units are saturated.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`, in memory.
        """
        weight = None if sample_weight is None else np.asarray(sample_weight, np.float64)
        return gradient_report(self.modules(), self._dense_rows(X), self._targets(y), weight)

    def check_gradient(
        self: Any, X: Rows, y: Target, sample_weight: RowWeights = None, *, tol: float = 1e-6
    ) -> GradientCheck:
        """Compare the compiled gradient of the penalized loss with differences, at the fitted weights.

        The loss is evaluated four times for every weight: take a small network and a few rows. Without `batch_norm`, whose loss
        depends on the batch.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`, in memory.
        """
        rows = self._dense_rows(X)
        settings = self._settings()._replace(dropout=0.0, batch_norm=False)
        target = self._targets(y)
        code = target.argmax(axis=1) if settings.output == "softmax" else None
        weight = None if sample_weight is None else np.asarray(sample_weight, np.float64)
        data = Data(rows, code, None if code is not None else np.ascontiguousarray(target), weight)
        objective, _ = rows_objective(settings, data, np.dtype(np.float64), 1)
        theta = join([self.coefs_, self.intercepts_], np.float64)
        return check_gradient(lambda x: objective(x)[0], lambda x: objective(x)[1], theta, tol=tol)

    def plot_training(self: Any, ax: Axes | None = None) -> Any:
        """Draw loss and validation score of every epoch, with the best epoch and the one at which training stopped."""
        check_is_fitted(self)
        return draw_training(self.history_, ax)

    def plot_network(self: Any, ax: Axes | None = None, *, most_units: int = 10) -> Any:
        """Draw the layers, their formulas and the weights between their units (thick: large, red: negative).

        Of layers with more units than `most_units` the first ones are drawn, and dots.
        """
        check_is_fitted(self)
        settings = self._settings()
        formulas = layer_formulas(len(self.coefs_), settings.activation.name, self.out_activation_)
        return draw_network(settings.units, self.coefs_, formulas, ax, most_units)
