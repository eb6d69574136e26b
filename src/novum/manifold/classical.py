"""Classical scaling under scikit-learn's name, for code that imports it. Formulas: torgerson.py."""

from typing import Any

from novum.base.domains import Domain
from novum.manifold.mds import MDS
from novum.runtime.typing import Metric

__all__ = ["ClassicalMDS"]


class ClassicalMDS(MDS):
    """`MDS(algorithm="classical")` with the parameters of scikit-learn's class of this name.

    Parameters
    ----------
    n_components : int, default=2
    metric : str or function, default="euclidean"
    metric_params : dict, default=None
        As in `MDS`.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The map of the rows.
    eigenvalues_ : ndarray of shape (n_components,)
        Of the centred matrix of products.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.manifold import ClassicalMDS
    >>> ClassicalMDS(1).fit_transform(np.array([[0.0], [3.0], [6.0]])).ravel().round(10) + 0.0
    array([ 3.,  0., -3.])
    """

    _domains: dict[str, Domain] = {name: MDS._domains[name] for name in ("n_components", "metric", "metric_params")}
    metric_mds, n_init, init, max_iter, eps = True, 1, "classical_mds", 1, 0.0
    n_jobs, random_state, dissimilarity, normalized_stress, algorithm = None, None, "deprecated", "auto", "classical"

    def __init__(
        self, n_components: int = 2, *, metric: Metric = "euclidean", metric_params: dict[str, Any] | None = None
    ) -> None:
        self.n_components = n_components
        self.metric = metric
        self.metric_params = metric_params
