r"""Whether a kernel is one: its Gram matrices must be symmetric and positive semi-definite.

    c' K c = sum_ij c_i c_j k(x_i, x_j) >= 0   for all points x and all weights c                               (1)

Points can refute (1), never prove it. What proves it is how a kernel is built (`Kernel.is_valid`): from valid ones, by rules that
keep validity. Where neither decides, random points of one to three dimensions are tried.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError
from novum.kernels.base import number_of_samples
from novum.linalg import is_psd
from novum.report.numbers import counted
from novum.report.result import Result
from novum.runtime.checks import check_count
from novum.runtime.random import Stream, seed_of

__all__ = ["KernelCheck", "check_validity"]

POINTS = 12  # of a random set
SCALES = (0.3, 1.0, 3.0)  # of random points, in turn
SYMMETRY = 1e-8  # relative


@dataclass(frozen=True, repr=False)
class KernelCheck(Result):
    """What is known of a kernel's validity; as a condition it is whether nothing speaks against it.

    Attributes
    ----------
    verdict : str
    proved : bool
        Whether the rules by which it is built prove it valid.
    smallest_eigenvalue : float
        Of the Gram matrix that was looked at, the worst of several; NaN where none was needed.
    points : array or list, or None
        A counter-example: points with a Gram matrix that is not positive semi-definite.
    weights : ndarray or None
        c with c' K c < 0 for these points.
    """

    verdict: str
    proved: bool
    smallest_eigenvalue: float
    points: Any = None
    weights: NDArray[np.float64] | None = None

    def __bool__(self) -> bool:
        return self.weights is None and not self.verdict.startswith("not")

    def __repr__(self) -> str:
        return f"KernelCheck: {self.verdict}"


def gram_check(kernel: Any, X: Any) -> KernelCheck:
    """Return what one set of points says."""
    K = np.asarray(kernel(X), dtype=np.float64)
    if not np.isfinite(K).all():
        raise DataError(f"{kernel!r}: the Gram matrix of these points is not finite.")
    size = max(float(np.abs(K).max(initial=0.0)), np.finfo(float).tiny)
    if np.abs(K - K.T).max(initial=0.0) > SYMMETRY * size:
        i, j = np.unravel_index(int(np.abs(K - K.T).argmax()), K.shape)
        return KernelCheck(
            f"not symmetric: k(x_{i}, x_{j}) = {K[i, j]:g}, k(x_{j}, x_{i}) = {K[j, i]:g}", False, float("nan"), X
        )
    found = is_psd(0.5 * (K + K.T), tol=100 * len(K) * np.finfo(float).eps)
    if found:
        n = number_of_samples(X)
        return KernelCheck(
            f"positive semi-definite on these {counted(n, 'point')}, which proves nothing about others",
            False,
            found.smallest_eigenvalue,
        )
    return KernelCheck(
        f"not positive semi-definite: c'Kc = {found.smallest_eigenvalue:g} for the points and weights here",
        False,
        found.smallest_eigenvalue,
        X,
        found.witness,
    )


def check_validity(kernel: Any, X: Any, n_trials: int, random_state: Any) -> KernelCheck:
    """Return what points, rules, and random points say, in this order."""
    n_trials = check_count("is_psd", "n_trials", n_trials)
    if X is not None:
        found = gram_check(kernel, X)
        if found and kernel.is_valid:
            return KernelCheck("valid by the rules it is built with", True, found.smallest_eigenvalue)
        return found
    if kernel.is_valid:
        return KernelCheck("valid by the rules it is built with", True, float("nan"))
    if not kernel.requires_vector_input:
        raise DataError(f"{kernel!r}: give is_psd some objects; there are no random ones for this kernel.")
    stream, worst = Stream(seed_of(random_state)), np.inf
    for trial in range(n_trials):
        points = SCALES[trial % 3] * stream.normal("kernel check", trial, POINTS, 1 + trial % 3)
        found = gram_check(kernel, points)
        if not found:
            return found
        worst = min(worst, found.smallest_eigenvalue)
    return KernelCheck(
        f"positive semi-definite on {n_trials} random sets of {counted(POINTS, 'point')}; not proved", False, worst
    )
