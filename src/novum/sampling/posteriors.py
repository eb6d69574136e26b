r"""Log posteriors that are compiled, ready for the samplers.

log p(theta | X, y) = sum_i w_i [y_i s_i - log(1 + e^s_i)] - |theta|^2/(2 scale^2) + const,   s = X beta + b          (1)
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum import _core
from novum.exceptions import DataError
from novum.runtime.checks import check_number, float_array, row_weights
from novum.runtime.typing import Rows, RowWeights, Target

__all__ = ["LogisticPosterior"]


class LogisticPosterior:
    """The log posterior (1) of logistic regression with a normal prior, and its gradient, in one compiled pass.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Two classes; the larger one counts as 1.
    prior_scale : float, default=1.0
        Standard deviation of the prior of every coefficient.
    fit_intercept : bool, default=True
        Whether theta ends with an intercept, of the same prior.
    sample_weight : array-like of shape (n_samples,), default=None

    Attributes
    ----------
    dimension : int
        Of theta.
    names : tuple of str
        coef[0], ..., intercept.
    compiled : object
        What samplers call in place of this object, without Python and on several threads.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.sampling import HamiltonianMonteCarlo, LogisticPosterior
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(500, 2))
    >>> y = rng.random(500) < 1 / (1 + np.exp(-(X @ [1.0, -2.0] + 0.5)))
    >>> posterior = LogisticPosterior(X, y, prior_scale=5.0)
    >>> chains = HamiltonianMonteCarlo(posterior, gradient=True).sample(
    ...     1000, start=posterior.dimension, names=posterior.names, random_state=0)
    >>> bool(np.all(np.abs(chains.diagnosis.mean - [1.0, -2.0, 0.5]) < 3 * chains.diagnosis.sd))
    True
    """

    dimension: int
    names: tuple[str, ...]
    compiled: Any

    def __init__(
        self,
        X: Rows,
        y: Target,
        prior_scale: float = 1.0,
        *,
        fit_intercept: bool = True,
        sample_weight: RowWeights = None,
    ) -> None:
        self.X = np.ascontiguousarray(float_array("LogisticPosterior", "X", X))
        labels = np.asarray(y)
        if self.X.ndim != 2 or labels.shape != (len(self.X),):
            raise DataError(
                f"LogisticPosterior: X has shape {self.X.shape} and y {labels.shape}; give (n, d) and (n,)."
            )
        if not np.isfinite(self.X).all():
            raise DataError("LogisticPosterior: X holds NaN or infinity; remove or impute it.")
        classes, codes = np.unique(labels, return_inverse=True)
        if len(classes) != 2:
            raise DataError(f"LogisticPosterior: y has {len(classes)} classes; it must have two.")
        self.y = codes.astype(np.int64)
        self.weight = row_weights("LogisticPosterior", sample_weight, len(self.X))
        self.precision = check_number("LogisticPosterior", "prior_scale", prior_scale, 0, open_low=True) ** -2
        self.fit_intercept = bool(fit_intercept)
        self.dimension = self.X.shape[1] + self.fit_intercept
        kind = "Logistic" if self.X.dtype == np.float64 else "LogisticSingle"
        self.compiled = getattr(_core.sampling.densities, kind)(
            self.X, self.y, self.weight, self.fit_intercept, self.precision
        )
        self.names = tuple(f"coef[{j}]" for j in range(self.X.shape[1])) + (
            ("intercept",) if self.fit_intercept else ()
        )

    def __repr__(self) -> str:
        return f"LogisticPosterior({len(self.X)} rows, {self.dimension} parameters)"

    def __call__(self, theta: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        """Return (1) and its gradient."""
        if np.shape(theta) != (self.dimension,):
            raise DataError(
                f"LogisticPosterior: theta has shape {np.shape(theta)}; it has {self.dimension} numbers here: "
                f"{', '.join(self.names[:6])}"
                f"{', ...' if self.dimension > 6 else ''}."
            )
        gradient = np.empty(self.dimension)
        return self.compiled.evaluate(np.ascontiguousarray(theta, dtype=np.float64), gradient), gradient
