"""Rows of one cluster may depend on each other: their scores are added up before they are squared.

M = G/(G-1) (n-1)/(n-k) sum_g s_g s_g',   s_g the sum of the scores of cluster g, G clusters, k coefficients

The factor is that of a small sample; it tends to one.
"""

from typing import Any

import numpy as np

from novum.exceptions import DataError, ParameterError

__all__ = ["check_groups", "cluster_factor", "cluster_note", "cluster_outer"]

CLUSTER = "cluster"
FEW_CLUSTERS = (
    50  # below these, simulated intervals of 95 % cover 82 to 95 % (tests/linear_model/test_cluster_coverage.py)
)


def check_groups(owner: str, covariance: Any, groups: Any) -> None:
    """Raise unless clusters are named exactly where they are used."""
    if (groups is not None) != (covariance == CLUSTER):
        raise ParameterError(f"{owner}: covariance='cluster' and groups go together; give both, or neither.")


def cluster_outer(owner: str, scores: np.ndarray, used: np.ndarray, groups: Any) -> tuple[np.ndarray, int]:
    """Return the sum of s_g s_g' over clusters, and how many there are; rows that are not used name none."""
    labels = np.asarray(groups)
    if labels.shape != (len(scores),):
        raise ParameterError(f"{owner}: groups of shape {labels.shape}; give a cluster for each of {len(scores)} rows.")
    names, place = np.unique(labels[used], return_inverse=True)
    if len(names) < 2:
        raise DataError(f"{owner}: groups names one cluster only; clusters are compared, at least two.")
    totals = np.zeros((len(names), scores.shape[1]))
    np.add.at(totals, place, scores[used])
    return totals.T @ totals, len(names)


def cluster_factor(n_clusters: int, n: float, k: int) -> float:
    """Return the factor of a small sample."""
    return n_clusters / (n_clusters - 1) * (n - 1) / (n - k)


def cluster_note(n_clusters: int | None) -> list[str]:
    """Return what a table says of its clusters: how many, and what few of them mean."""
    if n_clusters is None:
        return []
    few = "; so few clusters make intervals too short, most of all for columns that are constant within them"
    return [
        f"{n_clusters} clusters, t with {n_clusters - 1} degrees of freedom{few if n_clusters < FEW_CLUSTERS else ''}"
    ]
