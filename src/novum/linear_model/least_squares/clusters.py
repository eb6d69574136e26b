r"""Rows of one cluster may depend on each other: their scores are added up before they are squared.

With P P' the inverse of the information, A_g the rows of cluster g times P (in generalised linear models the rows of the last
Newton step), G clusters, n rows, k coefficients and s_g = P' times the sum of the scores of cluster g,

    M_g = A_g' A_g,   sum_g M_g = I,   u_g = (I - M_g)^{-1/2} s_g,   cov = P (sum_g u_g u_g') P'                         (1)
    tr(D)^2 / tr(D^2) degrees of freedom of t for a contrast c,  q = P' c,  y_g = M_g (I - M_g)^{-1/2} q,
    D_gh = [g = h] q' M_g (I - M_g)^{-1} q - y_g' y_h                                                                    (2)

(1) is CR2 of Bell and McCaffrey (2002): unbiased where rows are independent and alike, because a cluster that decides its own
residuals is stretched by what it took. (2) says on how many clusters the contrast really rests: five treated of sixty leave
about five, whatever G is. Several contrasts share the degrees of freedom of Hotelling's T^2 whose mean and total variance are
those of their covariance (Pustejovsky and Tipton 2018):

    eta = q (q + 1) / sum_{st} var(T_st),   (eta - q + 1)/(eta q) W ~ F(q, eta - q + 1)                                  (3)

"CR1" instead multiplies the plain sum s_g s_g' by G/(G-1) (n-1)/(n-k) and takes t with G - 1, as statsmodels and Stata do.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from novum.exceptions import DataError, ParameterError
from novum.report.numbers import num
from novum.runtime import arrays

__all__ = [
    "BY_CLUSTER",
    "COVARIANCES",
    "ClusterSums",
    "check_covariance",
    "check_groups",
    "cluster_note",
    "cluster_sums",
]

BY_CLUSTER = ("cluster", "CR1")
COVARIANCES = ("auto", "classical", "HC0", "HC1", "HC2", "HC3", *BY_CLUSTER)  # of every `inference`
ALONE = 1e-10  # 1 - eigenvalue of M_g below which cluster g alone determines a direction: there its residuals are zero
FEW_CLUSTERS = (
    50  # below these, simulated intervals of 95 % by CR1 cover 78 to 95 % (tests/linear_model/test_cluster_coverage.py)
)
FEW_FREEDOM = 4.0  # below these the distribution of (2) is itself no more than a guess (Pustejovsky and Tipton 2018)


@dataclass(frozen=True, repr=False)
class ClusterSums:
    """What clusters say about the variance of coefficients, in the frame where their working covariance is P P'."""

    half: np.ndarray  # P, (k, r)
    gram: np.ndarray  # M_g, (G, r, r)
    stretch: np.ndarray  # (I - M_g)^{-1/2}, (G, r, r)
    factor: np.ndarray  # (k, r): cov = factor factor'
    kind: str

    @property
    def count(self) -> int:
        return len(self.gram)

    def freedom(self, contrasts: np.ndarray) -> float:
        """Return (2) for one contrast, eta of (3) for more, (q, k); G - 1 for CR1."""
        if self.kind == "CR1":
            return self.count - 1.0
        Q = contrasts @ self.half  # (q, r)
        stretched = np.einsum("gij,qj->qgi", self.stretch, Q)
        Y = np.einsum("gij,qgj->qgi", self.gram, stretched)
        own = np.einsum("sgi,tgi->stg", stretched, Y)  # the first term of D, for every pair of contrasts
        mean = own.sum(axis=2) - np.einsum("sgi,tgi->st", Y, Y)
        values, vectors = np.linalg.eigh(mean)
        if values[0] <= ALONE * values[-1]:
            return np.nan  # the clusters cannot tell these contrasts
        white = vectors / np.sqrt(values)
        Y, own = np.einsum("sgi,sq->qgi", Y, white), np.einsum("stg,sa,tb->abg", own, white, white, optimize=True)
        shared = np.einsum("sgi,tgi->stg", Y, Y)
        cross = np.einsum("sgi,tgj->stij", Y, Y)
        alike = np.einsum("ssg->sg", own)
        square = np.einsum("ssg->sg", shared)
        total = alike @ alike.T - alike @ square.T - square @ alike.T + (cross**2).sum(axis=(2, 3))
        total += (own**2 - 2 * own * shared).sum(axis=2) + np.einsum("stij,stji->st", cross, cross)
        q = len(Q)
        return float(q * (q + 1) / total.sum())

    def freedoms(self) -> np.ndarray:
        """Return (2) of every coefficient."""
        return np.array([self.freedom(row[None]) for row in np.eye(len(self.half))])


def check_covariance(owner: str, covariance: Any, without: tuple[str, ...] = ()) -> None:
    """Raise for a covariance that is none, or one that this model does not have."""
    if covariance not in COVARIANCES:
        raise ParameterError(f"{owner}: covariance={covariance!r} is none of {', '.join(map(repr, COVARIANCES))}.")
    if covariance in without:
        raise ParameterError(
            f"{owner}: covariance={covariance!r} divides by leverages, which are those of least squares; use 'HC0' or 'HC1'."
        )


def check_groups(owner: str, covariance: Any, groups: Any) -> None:
    """Raise unless clusters are named exactly where they are used."""
    if (groups is not None) != (covariance in BY_CLUSTER):
        kind = covariance if covariance in BY_CLUSTER else BY_CLUSTER[0]
        raise ParameterError(f"{owner}: covariance={kind!r} and groups go together; give both, or neither.")


def places(owner: str, groups: Any, used: np.ndarray) -> np.ndarray:
    """Return the number of the cluster of every row that is used; rows that are not used name none."""
    import pandas as pd

    labels = np.asarray(groups)
    if labels.shape != used.shape:
        raise ParameterError(f"{owner}: groups of shape {labels.shape}; give a cluster for each of {len(used)} rows.")
    missing = np.asarray(pd.isna(labels)) & used
    if missing.any():
        raise DataError(
            f"{owner}: groups is missing for {int(missing.sum())} of {int(used.sum())} rows, the first of them row"
            f" {int(missing.argmax())}: rows without a cluster are none of their own. Name their clusters, or leave these rows"
            " out of fit and inference."
        )
    place, names = pd.factorize(labels[used])
    if len(names) < 2:
        raise DataError(f"{owner}: groups names one cluster only; clusters are compared, at least two.")
    return np.asarray(place)


def cluster_sums(
    owner: str,
    kind: str,
    groups: Any,
    used: np.ndarray,
    rows: np.ndarray,
    scores: np.ndarray,
    half: np.ndarray,
    n: float,
) -> ClusterSums:
    """Return (1): `rows` (n, c, r) are those of the information, and `scores` (n, r), both times P; `half` is P as printed."""
    place = places(owner, groups, used)
    order = np.argsort(place, kind="stable")
    ends = np.flatnonzero(np.diff(place[order], append=-1)) + 1
    rows, scores = rows[used][order], scores[used][order]
    count, rank = len(ends), scores.shape[1]
    gram, totals = np.empty((count, rank, rank)), np.empty((count, rank))
    for g, (start, end) in enumerate(zip(np.append(0, ends[:-1]), ends)):
        own = rows[start:end].reshape(-1, rank)
        gram[g], totals[g] = own.T @ own, scores[start:end].sum(axis=0)
    values, vectors = np.linalg.eigh(gram)
    left = 1 - values
    power = np.where(left > ALONE, 1 / np.sqrt(np.maximum(left, ALONE)), 0.0)
    stretch = (vectors * power[:, None, :]) @ vectors.transpose(0, 2, 1)
    if kind == "CR1":
        totals = totals * np.sqrt(count / (count - 1) * (n - 1) / (n - half.shape[1]))
    else:
        totals = np.einsum("gij,gj->gi", stretch, totals)
    return ClusterSums(half, gram, stretch, half @ arrays.r_factor(totals).T, kind)


def cluster_note(sums: ClusterSums | None, freedom: np.ndarray | None, names: list[str]) -> list[str]:
    """Return what a table says of its clusters: how many, on how many each coefficient rests, and what few of them mean."""
    if sums is None or freedom is None:
        return []
    if sums.kind == "CR1":
        few = "; so few clusters make intervals too short, most of all for columns that are constant within them"
        tail = few if sums.count < FEW_CLUSTERS else ""
        return [f"{sums.count} clusters, t with {sums.count - 1} degrees of freedom{tail}"]
    low, high = float(np.nanmin(freedom)), float(np.nanmax(freedom))  # NaN: of columns that nothing is known of
    span = f"{num(low):.1f}" if f"{low:.1f}" == f"{high:.1f}" else f"{num(low):.1f} to {num(high):.1f}"
    rare = [name for name, df in zip(names, freedom) if df < FEW_FREEDOM]
    lines = [f"{sums.count} clusters, t with {span} degrees of freedom (Bell and McCaffrey)"]
    if rare:
        lines.append(
            f"few clusters decide {', '.join(rare)}: below {FEW_FREEDOM:g} degrees of freedom an interval is a rough one"
        )
    return lines
