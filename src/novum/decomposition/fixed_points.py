"""The fixed-point steps of FastICA, all components at once (4) or one after the other (5). Formulas: fast_ica.py."""

from typing import Any, NamedTuple

import numpy as np

from novum.decomposition.sources import Unmixing, White, decorrelate, means
from novum.exceptions import ParameterError
from novum.fold.blocks import Block, Source
from novum.runtime import arrays

__all__ = ["Contrast", "FixedPoint", "WhiteRows", "by_deflation", "in_parallel"]


def logcosh(y: np.ndarray, alpha: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """Return tanh(alpha y) and its derivative."""
    g = np.tanh(alpha * y)
    return g, alpha * (1 - g**2)


def exponential(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return y exp(-y^2/2) and its derivative."""
    e = np.exp(-(y**2) / 2)
    return y * e, (1 - y**2) * e


def cube(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return y^3 and its derivative."""
    return y**3, 3 * y**2


NAMED = {"logcosh": logcosh, "exp": exponential, "cube": cube}


class Contrast(NamedTuple):
    """A contrast by name, with a kernel, or a user's function, which averages its derivative itself."""

    function: Any
    arguments: dict

    @property
    def compiled(self) -> bool:
        """Whether the kernel knows it."""
        return isinstance(self.function, str)

    @property
    def parameter(self) -> float:
        """The parameter of g in the kernel."""
        return float(self.arguments.get("alpha", 1.0))

    def values(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return g(y) and g'(y), or of a user's function the mean of g' over the last axis."""
        if self.compiled:
            alpha = {"alpha": self.parameter} if self.function == "logcosh" else {}
            return NAMED[self.function](y, **alpha)
        g, slope = self.function(y, **self.arguments)
        g, slope = np.asarray(g, dtype=np.float64), np.asarray(slope, dtype=np.float64)
        if g.shape != y.shape or slope.shape != y.shape[:-1]:
            raise ParameterError(
                f"FastICA: fun returned arrays of shape {g.shape} and {slope.shape} for sources of shape {y.shape}; it must"
                " return g(y) of the same shape and the mean of its derivative over the last axis."
            )
        return g, slope


class WhiteRows(NamedTuple):
    """Rows for the passes, the matrix that makes them white, and what the fitted matrices are made of."""

    source: Source
    white: White | None
    matrix: np.ndarray  # (k, p)
    mean: np.ndarray  # (p,)


class FixedPoint(NamedTuple):
    rotation: np.ndarray  # (k, k)
    n_iter: int
    turns: list[float]  # the largest turn of every pass
    converged: bool


class ContrastPass(NamedTuple):
    """Rows of W, or one of them, and how rows become white."""

    directions: np.ndarray  # (m, k), or (k,)
    matrix: np.ndarray  # (k, p)
    mean: np.ndarray  # (p,)
    contrast: Contrast


class ContrastSums(NamedTuple):
    products: np.ndarray  # sum of g(y) z'
    slopes: np.ndarray  # sum of g'(y)
    weight: float


def contrast_sums(params: ContrastPass, block: Block) -> ContrastSums:
    """Return the sums of (4) or (5) over one block by products of matrices."""
    z = (arrays.to_numpy(block.X) - params.mean) @ params.matrix.T  # (n, k)
    g, slope = params.contrast.values(params.directions @ z.T)  # (m, n) or (n,)
    weight = np.ones(len(z)) if block.weight is None else block.weight
    slopes = slope @ weight if params.contrast.compiled else slope * float(len(z))
    return ContrastSums((g * weight) @ z, np.asarray(slopes), float(weight.sum()))


def next_rotation(data: WhiteRows, W: np.ndarray, contrast: Contrast) -> np.ndarray:
    """Return (4)."""
    if contrast.compiled:
        found = means(
            data.source, Unmixing(W @ data.matrix, data.mean, contrast.function, contrast.parameter, False, False)
        )
        return decorrelate(found.products @ W - found.slopes[:, None] * W)
    total = data.source.total(contrast_sums, ContrastPass(W, data.matrix, data.mean, contrast))
    return decorrelate(total.products / total.weight - (total.slopes / total.weight)[:, None] * W)


def in_parallel(
    data: WhiteRows, start: np.ndarray, contrast: Contrast, max_iter: int, tol: float, report: Any
) -> FixedPoint:
    """Repeat (4) until no row of W turns by more than `tol`."""
    W, turns = decorrelate(start), []
    report.begin(W)
    for n_iter in range(1, max_iter + 1):
        before, W = W, next_rotation(data, W, contrast)
        turns.append(float(np.abs(np.abs(np.einsum("ij,ij->i", W, before)) - 1).max()))
        if report(n_iter, turns[-1], W) or turns[-1] < tol:
            return FixedPoint(W, n_iter, turns, True)
    return FixedPoint(W, max_iter, turns, False)


def by_deflation(
    data: WhiteRows, start: np.ndarray, contrast: Contrast, max_iter: int, tol: float, report: Any
) -> FixedPoint:
    """Repeat (5) for one row after the other until it turns by less than `tol`, as scikit-learn does without a warning if not."""
    k = len(start)
    W, turns, most = np.zeros((k, k)), [], 0
    report.begin(W)
    for j in range(k):
        w = start[j] / np.linalg.norm(start[j])
        for n_iter in range(1, max_iter + 1):
            total = data.source.total(contrast_sums, ContrastPass(w, data.matrix, data.mean, contrast))
            following = total.products / total.weight - float(total.slopes) / total.weight * w
            following = following - (following @ W[:j].T) @ W[:j]
            following /= np.linalg.norm(following)
            turns.append(float(abs(abs(following @ w) - 1)))
            w, most = following, max(most, n_iter)
            W[j] = w
            if report(n_iter, turns[-1], W) or turns[-1] < tol:
                break
    return FixedPoint(W, most, turns, True)
