r"""Regularized risk of a linear model as a function of its parameters.

    f[n] = x[n] . w + b                                                                          (1)
    R(w, b) = sum_n omega[n] l(t[n], f[n]) + penalty(w),     omega = weights that add up to one   (2)
    grad_w R = X' (omega l') + penalty'(w),    grad_b R = sum_n omega[n] l'                       (3)
    H = [X 1]' diag(omega l'') [X 1] + penalty''                                                 (4)

The risk is an average, so the strength of the penalty does not depend on the number of rows. Other scalings:
C sum_n l + ||w||^2 / 2 is L2Penalty(1 / (n C)); sum_n l + lambda ||w||^2 is L2Penalty(2 lambda / n). The intercept b is
never penalized. With k outputs, w has the shape (d, k) and b (k,). Parameters travel as one vector: w, then b.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from novum.exceptions import DataError, ParameterError, ParameterTypeError
from novum.losses import CrossEntropyLoss, Loss
from novum.optimize.risk.penalties import L2Penalty, Penalty
from novum.report.numbers import counted
from novum.report.result import result
from novum.runtime.checks import float_array, row_weights, vector
from novum.runtime.typing import Numbers, RowWeights

__all__ = ["LinearParameters", "RegularizedRisk"]

Array = NDArray[Any]


def is_sparse(X: Any) -> bool:
    """Return whether X is a SciPy sparse matrix or array."""
    return bool(sparse.issparse(X))


@result
class LinearParameters(NamedTuple):
    """Weights and intercept of (1).

    f[n] = x[n] . w + b    (1)
    """

    coef: Array  # (d,) or (d, k)
    intercept: Any  # float or (k,); zero where there is none


class RegularizedRisk:
    """The objective (2): a representation (linear), an evaluation (loss and penalty), ready for any driver.

        R(w, b) = sum_n omega[n] l(t[n], f[n]) + penalty(w),   omega = weights that add up to one    (2)

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d)
    target : array-like of shape (n,) or (n, k)
        Class indices with `CrossEntropyLoss`: two classes make one score, more make one score each.
    loss : Loss
    penalty : Penalty, optional
    sample_weight : array-like of shape (n,), optional
    fit_intercept : bool

    Examples
    --------
    >>> import numpy as np
    >>> from novum.losses import SquaredLoss
    >>> from novum.optimize import L2Penalty, RegularizedRisk
    >>> risk = RegularizedRisk([[0.0], [1.0]], [0.0, 2.0], SquaredLoss(), L2Penalty(1.0), fit_intercept=False)
    >>> risk.value(np.array([1.0])), risk.gradient(np.array([1.0]))
    (1.0, array([0.]))
    """

    def __init__(
        self,
        X: Any,
        target: Any,
        loss: Loss,
        penalty: Penalty | None = None,
        *,
        sample_weight: RowWeights = None,
        fit_intercept: bool = True,
    ) -> None:
        owner = "RegularizedRisk"
        if not isinstance(loss, Loss):
            raise ParameterTypeError(
                f"{owner}(loss={loss!r}): loss must be a Loss such as HingeLoss() or SquaredLoss()."
            )
        if not loss.trainable:
            raise ParameterError(
                f"{owner}(loss={type(loss).__name__}()): it is piecewise constant and cannot be descended; "
                "train with HingeLoss or LogisticLoss and measure with it."
            )
        if isinstance(loss, CrossEntropyLoss) and loss.from_probabilities:
            raise ParameterError(
                f"{owner}: a linear model gives scores; use CrossEntropyLoss(from_probabilities=False)."
            )
        if penalty is not None and not isinstance(penalty, Penalty):
            raise ParameterTypeError(
                f"{owner}(penalty={penalty!r}): penalty must be L2Penalty(...), L1Penalty(...) or None."
            )
        self.X: Any = (
            X.tocsr().astype(np.float64) if is_sparse(X) else float_array(owner, "X", X).astype(np.float64, copy=False)
        )
        if self.X.ndim != 2 or 0 in self.X.shape:
            raise DataError(f"{owner}: X has shape {self.X.shape}; it must be (n, d) with at least one row and column.")
        if not np.all(np.isfinite(self.X.data if is_sparse(self.X) else self.X)):
            raise DataError(f"{owner}: X holds NaN or infinity; remove or impute it.")
        self.loss = loss
        self.penalty = L2Penalty(0.0) if penalty is None else penalty
        self.fit_intercept = bool(fit_intercept)
        n, self.n_features = self.X.shape
        target = np.asarray(target)
        self.n_outputs = self._outputs(target)
        shape = (n,) if self.n_outputs is None else (n, self.n_outputs)
        self.target, _ = loss.check(target, np.zeros(shape))
        if len(self.target) != n or not np.all(np.isfinite(self.target)):
            raise DataError(f"{owner}: target must hold a finite value for each of the {counted(n, 'row')} of X.")
        weight = row_weights(owner, sample_weight, n)
        self.row_weight = np.full(n, 1 / n) if weight is None else weight / weight.sum()
        self.size = (self.n_features + self.fit_intercept) * (self.n_outputs or 1)

    def _outputs(self, target: Array) -> int | None:
        if target.ndim == 2:
            return int(target.shape[1])
        if isinstance(self.loss, CrossEntropyLoss) and target.size and target.dtype.kind in "biu" and target.max() > 1:
            return int(target.max()) + 1
        return None

    def unpack(self, parameters: Numbers) -> LinearParameters:
        """Return weights and intercept from the vector."""
        parameters = vector("RegularizedRisk", "parameters", parameters, self.size)
        cut = self.n_features * (self.n_outputs or 1)
        if self.n_outputs is None:
            return LinearParameters(parameters[:cut], float(parameters[cut]) if self.fit_intercept else 0.0)
        intercept = parameters[cut:] if self.fit_intercept else np.zeros(self.n_outputs)
        return LinearParameters(parameters[:cut].reshape(self.n_features, self.n_outputs), intercept)

    def predict(self, parameters: Array) -> Array:
        """Return (1).

        f[n] = x[n] . w + b    (1)
        """
        coef, intercept = self.unpack(parameters)
        return self.X @ coef + intercept

    def data_risk(self, parameters: Array) -> float:
        """Return (2) without the penalty.

        R(w, b) = sum_n omega[n] l(t[n], f[n]) + penalty(w),   omega = weights that add up to one    (2)
        """
        losses = self.loss._value(self.target, self.predict(parameters))
        return float(self.row_weight @ (losses if losses.ndim == 1 else losses.sum(axis=1)))

    def data_risk_and_gradient(self, parameters: Array) -> tuple[float, Array]:
        """Return (2) and (3) without the penalty.

        R(w, b) = sum_n omega[n] l(t[n], f[n]) + penalty(w),   omega = weights that add up to one    (2)
        grad_w R = X' (omega l') + penalty'(w),   grad_b R = sum_n omega[n] l'    (3)
        """
        losses, slopes = self.loss._value_and_gradient(self.target, self.predict(parameters))
        risk = float(self.row_weight @ (losses if losses.ndim == 1 else losses.sum(axis=1)))
        slopes = (self.row_weight * slopes.T).T
        gradient = np.ravel(self.X.T @ slopes)
        return risk, np.append(gradient, slopes.sum(axis=0)) if self.fit_intercept else gradient

    def value(self, parameters: Array) -> float:
        """Return (2).

        R(w, b) = sum_n omega[n] l(t[n], f[n]) + penalty(w),   omega = weights that add up to one    (2)
        """
        return self.data_risk(parameters) + self.penalty.value(self.unpack(parameters).coef)

    def value_and_gradient(self, parameters: Array) -> tuple[float, Array]:
        """Return (2) and (3).

        R(w, b) = sum_n omega[n] l(t[n], f[n]) + penalty(w),   omega = weights that add up to one    (2)
        grad_w R = X' (omega l') + penalty'(w),   grad_b R = sum_n omega[n] l'    (3)
        """
        risk, gradient = self.data_risk_and_gradient(parameters)
        coef = np.ravel(self.unpack(parameters).coef)
        gradient[: coef.size] += self.penalty.gradient(coef)
        return risk + self.penalty.value(coef), gradient

    def gradient(self, parameters: Array) -> Array:
        """Return (3), with the documented subgradients at kinks.

        grad_w R = X' (omega l') + penalty'(w),   grad_b R = sum_n omega[n] l'    (3)
        """
        return self.value_and_gradient(parameters)[1]

    def hessian(self, parameters: Array) -> Array:
        """Return (4), for one output.

        H = [X 1]' diag(omega l'') [X 1] + penalty''    (4)
        """
        if self.n_outputs is not None:
            raise ParameterError("RegularizedRisk.hessian: only for one output; use L-BFGS for several.")
        bend = self.row_weight * self.loss._curvature(self.target, self.predict(parameters))
        d = self.n_features
        hessian = np.empty((self.size, self.size))
        if is_sparse(self.X):
            hessian[:d, :d] = (self.X.T @ self.X.multiply(bend[:, None])).toarray()
        else:
            hessian[:d, :d] = (self.X.T * bend) @ self.X
        hessian[np.arange(d), np.arange(d)] += self.penalty.l2
        if self.fit_intercept:
            hessian[d, :d] = hessian[:d, d] = self.X.T @ bend
            hessian[d, d] = bend.sum()
        return hessian

    def prox(self, parameters: Array, step: float) -> Array:
        """Return the proximal map of the penalty, which leaves the intercept alone."""
        cut = self.n_features * (self.n_outputs or 1)
        return np.append(self.penalty.prox(parameters[:cut], step), parameters[cut:])
