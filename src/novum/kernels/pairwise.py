"""scikit-learn's pairwise kernels as kernels with a hyper-parameter."""

from typing import Any, Literal

import numpy as np

from novum.kernels.base import Kernel
from novum.kernels.sklearn_kernels import PairwiseKernel as SklearnPairwise
from novum.runtime.typing import Metric, Numbers

__all__ = ["PairwiseKernel"]

VALID = ("linear", "rbf", "laplacian", "chi2", "additive_chi2", "cosine")


class PairwiseKernel(Kernel, SklearnPairwise):
    """A kernel of `sklearn.metrics.pairwise`; its derivative in gamma is taken by differences.

    Parameters
    ----------
    gamma : float, default=1.0
    gamma_bounds : pair of floats or "fixed", default=(1e-5, 1e5)
    metric : str or callable, default="linear"
    pairwise_kernels_kwargs : dict, default=None
        Handed to the kernel.

    Examples
    --------
    >>> from novum.gaussian_process.kernels import PairwiseKernel
    >>> PairwiseKernel(metric="rbf")([[0.0]], [[1.0]]).round(6)
    array([[0.367879]])
    """

    def __init__(
        self,
        gamma: float = 1.0,
        gamma_bounds: tuple[float, float] | Literal["fixed"] = (1e-5, 1e5),
        metric: Metric = "linear",
        pairwise_kernels_kwargs: dict[str, Any] | None = None,
    ) -> None:
        SklearnPairwise.__init__(self, gamma, gamma_bounds, metric, pairwise_kernels_kwargs)

    def __call__(self, X: Any, Y: Any = None, eval_gradient: bool = False) -> Any:
        """Return the Gram matrix, and its derivative if requested."""
        return SklearnPairwise.__call__(self, np.atleast_2d(X), Y, eval_gradient)

    def diag(self, X: Numbers) -> Any:
        """Return k(x_i, x_i)."""
        return SklearnPairwise.diag(self, X)

    def is_stationary(self) -> bool:
        """Return whether the metric depends on x - z alone."""
        return self.metric in ("rbf", "laplacian")

    @property
    def is_valid(self) -> bool | None:
        """Whether the metric is known to be valid."""
        return True if self.metric in VALID else None

    __repr__ = SklearnPairwise.__repr__
