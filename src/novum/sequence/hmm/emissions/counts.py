"""Sums over rows of counts, of which cells may be missing: what Poisson and multinomial emissions share."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.sequence.hmm.bundles import Bundle
from novum.sequence.hmm.recursions import Posterior

__all__ = ["CountSums", "count_sums", "product_of_logs"]


class CountSums(NamedTuple):
    """Sums of w gamma x, and of w gamma over the cells that were observed."""

    seen: NDArray  # (k, d)
    mass: NDArray  # (k, d)


def count_sums(bundle: Bundle, posterior: Posterior) -> CountSums:
    """Return the sums of one bundle of counts."""
    weight = bundle.row_weight()
    shares = posterior.shares if weight is None else posterior.shares * weight[:, None]
    seen = ~np.isnan(bundle.X)
    return CountSums(shares.T @ np.where(seen, bundle.X, 0.0), shares.T @ seen)


def product_of_logs(X: NDArray, probs: NDArray) -> NDArray:
    """Return sum_i x_i log p[k, i] for every row and state, zero times minus infinity being zero."""
    positive = probs > 0
    with np.errstate(divide="ignore"):
        found = X @ np.where(positive, np.log(np.where(positive, probs, 1.0)), 0.0).T
    impossible = (X @ (~positive).T.astype(np.float64)) > 0
    return np.where(impossible, -np.inf, found)
