r"""Novelty by density: what a model of normal rows finds improbable.

    score(x) = log p(x),   x is new if score(x) < offset                                           (1)
    offset: the least score such that more than the share `contamination` of the training weight lies at or below it   (2)

For one Gaussian (1) is the rule that flags a large Mahalanobis distance.
"""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from novum.base.domains import Domain, Instance, Null, Real
from novum.base.estimator import Estimator, fits
from novum.base.fitted import check_is_fitted
from novum.base.sklearn_base import OutlierMixin
from novum.base.validation import open_rows
from novum.distributions import Distribution
from novum.distributions.learning.table_columns import component_log_prob
from novum.engines.gaussians.tensors import cast
from novum.fold.blocks import Block
from novum.mixture.gaussian import GaussianMixture
from novum.mixture.generic import check_component
from novum.runtime import arrays
from novum.runtime.typing import Fittable, Rows, RowWeights, Target

__all__ = ["NoveltyDetector"]

ROUNDING = 1e-12  # of contamination times weight


class ScoresSamples:
    """An estimator with `fit` and `score_samples`."""


def is_density(value: Any) -> bool:
    """Return whether a value can be fitted and score rows."""
    return not isinstance(value, type) and hasattr(value, "fit") and hasattr(value, "score_samples")


def log_prob_of(density: Distribution, block: Block) -> Any:
    """Return the log-density of every row, in the dtype of the rows."""
    return cast(component_log_prob(density, arrays.double(block.X)), block.X)


def scores_in_memory(values: Any) -> NDArray:
    """Return the scores of all rows as one array: from a lazy array, an iterator over batches or a tensor."""
    if hasattr(values, "compute"):
        values = values.compute()
    if hasattr(values, "__next__"):
        values = np.concatenate([np.asarray(part) for part in values])
    return np.asarray(arrays.to_numpy(values), np.float64)


def quantile(scores: NDArray, weight: NDArray | None, share: float) -> float:
    """Return (2)."""
    order = np.argsort(scores, kind="stable")
    below = np.cumsum(np.ones(len(scores)) if weight is None else weight[order])
    place = int(np.searchsorted(below, share * below[-1] * (1 + ROUNDING), side="right"))
    return float(scores[order[min(place, len(scores) - 1)]])


def signs(decision: Any) -> Any:
    """Return 1 where a decision is not negative, else -1, in its home."""
    return 2 * ((decision >= 0).long() if arrays.is_tensor(decision) else (decision >= 0).astype(int)) - 1


class NoveltyDetector(OutlierMixin, Estimator):
    """Flag rows that a density finds improbable.

    Parameters
    ----------
    density : estimator with `fit` and `score_samples`, or a distribution, default=None
        Any model of log p(x): a mixture, a kernel density, one of scikit-learn's, which is fitted; or an object of
        `novum.distributions`, which is taken as it is. None is one Gaussian.
    contamination : float, default=0.1
        Share of the training rows to be flagged, in [0, 0.5].

    Attributes
    ----------
    density_ : estimator or distribution
        The density, fitted.
    offset_ : float
        Score below which a row is new.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.mixture import GaussianMixture, NoveltyDetector
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(-3, 0.5, (100, 2)), rng.normal(3, 0.5, (100, 2))])
    >>> model = NoveltyDetector(GaussianMixture(2, random_state=0), contamination=0.02).fit(X)
    >>> model.predict([[-3.0, -3.0], [0.0, 0.0], [3.0, 3.0]])
    array([ 1, -1,  1])
    """

    _domains: dict[str, Domain] = {
        "density": Instance(Distribution) | Instance(ScoresSamples, is_density) | Null(),
        "contamination": Real(0, 0.5),
    }
    density_: Any
    offset_: float

    def __init__(self, density: Fittable | None = None, contamination: float = 0.1) -> None:
        self.density = density
        self.contamination = contamination

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Fit the density and place the threshold.

        Parameters
        ----------
        X : what the density takes
        y : ignored
        sample_weight : array-like of shape (n_samples,), default=None
            Handed to the density; counts in the threshold too.
        """
        source = self._source(X, None, sample_weight)
        if isinstance(self.density, Distribution):
            check_component(self.density, source.n_features)
            self.density_: Any = self.density
        else:
            density = GaussianMixture() if self.density is None else clone(self.density)
            self.density_ = density.fit(X, **({} if sample_weight is None else {"sample_weight": sample_weight}))
        scores = scores_in_memory(self.score_samples(X))
        weight = None if sample_weight is None else np.asarray(arrays.to_numpy(sample_weight), np.float64)
        if weight is not None:
            scores, weight = scores[weight > 0], weight[weight > 0]
        self.offset_ = quantile(scores, weight, float(self.contamination))
        return self

    def score_samples(self, X: Rows) -> Any:
        """Return log p(x) of every row: the lower, the more unusual."""
        check_is_fitted(self, "density_")
        open_rows(self, X)
        if isinstance(self.density_, Distribution):
            return self._rows(X, log_prob_of, self.density_)
        return self.density_.score_samples(X)

    def decision_function(self, X: Rows) -> Any:
        """Return log p(x) minus the threshold: negative for new rows; for a scan an iterator over batches."""
        scores = self.score_samples(X)
        return (part - self.offset_ for part in scores) if hasattr(scores, "__next__") else scores - self.offset_

    def predict(self, X: Rows) -> Any:
        """Return 1 for rows like those seen and -1 for new ones; for a scan an iterator over batches."""
        decision = self.decision_function(X)
        return (signs(part) for part in decision) if hasattr(decision, "__next__") else signs(decision)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags
