"""What distributions of vectors with elliptical contours share: variances from the covariance, all vectors as support."""

from typing import Any

import numpy as np

from novum.distributions.base import Support

__all__ = ["Elliptical"]


class Elliptical:
    """A distribution over all vectors, with a covariance `cov`."""

    cov: Any
    support = Support("vectors", -np.inf, np.inf)

    @property
    def var(self) -> Any:
        return np.diagonal(self.cov, axis1=-2, axis2=-1)
