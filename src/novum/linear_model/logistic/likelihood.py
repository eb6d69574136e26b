r"""The likelihood of logistic regression as a function to maximise with some coefficients held: plain, or after Firth.

With B (q, m) the coefficients of the q = K - 1 classes against the base class, x' a row with its one, p the probabilities,

    l(B) = sum_i w_i log p_{i, y_i}                                                                 (17)
    I_{ab} = sum_i w_i (p_a [a = b] - p_a p_b) x' x''                 the information, (q m, q m)
    l*(B) = l(B) + log det I(B) / 2                                   Firth 1993: Jeffreys' prior   (18)
    dl*/dB_c = dl/dB_c + sum_i w_i (sum_{ab} k3_{abc} h_{iab}) x' / 2,   h_{iab} = x' (I^{-1})_{ab} x''
    k3_{abc} the third cumulants of one draw of a class

(18) has a finite maximum also where classes are separated, and removes the first-order bias of the estimates. Both are maximised
by steps I^{-1} gradient, halved while they lose; far from its maximum (18) bends otherwise than I, and its own curvature serves.
The plain likelihood of separated classes rises for ever along a direction; the steps end where what they can still gain,
gradient' I^{-1} gradient, is rounding, so that l is at its least upper bound.
"""

from copy import copy
from typing import NamedTuple

import numpy as np

from novum.exceptions import DataError
from novum.fold.blocks import Block, Source
from novum.runtime import arrays

__all__ = ["Likelihood", "LikelihoodPoint"]

MOST_STEPS = 400
GAIN = 1e-13  # of a further step, relative to |l| + 1, that values of l no longer show; gradients do
FINEST = 1e-22
LONGEST = 20.0  # change of a coefficient of unit columns in one step
HALVINGS = 30
STEEP = 1e-3  # slope that no maximum has: where all rows are certain, and some wrong, I vanishes and says nothing
PATIENCE = 4  # slow steps by I before those by the curvature of (18), which cost two passes a coefficient
DIFFERENCE = 1e-4  # of a standard error


class LikelihoodPoint(NamedTuple):
    """Coefficients and what the objective is there."""

    B: np.ndarray  # (q, m)
    value: float
    gradient: np.ndarray  # (q m,)
    information: np.ndarray  # (q m, q m)


class LikelihoodPass(NamedTuple):
    """What a pass over the rows is for."""

    B: np.ndarray
    scale: np.ndarray  # (m,) of the columns
    intercept: bool
    base: int
    basis: np.ndarray | None  # (m, m): coordinates that the columns are combined to; None: each for itself
    covariance: np.ndarray | None  # I^{-1} as (q, m, q, m) for the gradient of (18)


class Sums(NamedTuple):
    value: float
    gradient: np.ndarray
    information: np.ndarray


class Squares(NamedTuple):
    squares: np.ndarray
    weight: float


def column_squares(_: None, block: Block) -> Squares:
    """Return the weighted squares of the columns."""
    X, w = rows_of(block)
    return Squares(w @ X**2, float(w.sum()))


def rows_of(block: Block) -> tuple[np.ndarray, np.ndarray]:
    """Return rows and weights of a block."""
    X = np.asarray(arrays.to_numpy(arrays.dense(block.X)), dtype=np.float64)
    w = np.ones(len(X)) if block.weight is None else np.asarray(arrays.to_numpy(block.weight), dtype=np.float64)
    return X, w


def sums(params: LikelihoodPass, block: Block) -> Sums:
    """Return l, its gradient and I of a block; with a covariance the gradient of (18) beyond that of (17), and nothing else."""
    X, w = rows_of(block)
    code = np.asarray(arrays.to_numpy(block.y)).astype(np.int64)
    design = X / params.scale[: X.shape[1]]
    if params.intercept:
        design = np.column_stack([design, np.ones(len(X))])
    design = design if params.basis is None else design @ params.basis
    q, m = params.B.shape
    reach = np.insert(design @ params.B.T, params.base, 0.0, axis=1)
    reach -= reach.max(axis=1, keepdims=True)
    log_p = reach - np.log(np.exp(reach).sum(axis=1, keepdims=True))
    p = np.delete(np.exp(log_p), params.base, axis=1)
    if params.covariance is not None:
        pull = firth_pull(design, p, params.covariance)
        return Sums(0.0, ((w[:, None] * pull).T @ design).ravel(), np.zeros((0, 0)))
    hit = np.delete(np.eye(q + 1)[code], params.base, axis=1)
    information = np.empty((q, m, q, m))
    for a in range(q):
        for b in range(a + 1):
            part = (design * (w * p[:, a] * ((a == b) - p[:, b]))[:, None]).T @ design
            information[a, :, b, :] = part
            information[b, :, a, :] = part.T
    gradient = (w[:, None] * (hit - p)).T @ design
    value = float(w @ log_p[np.arange(len(X)), code])
    return Sums(value, gradient.ravel(), information.reshape(q * m, q * m))


def firth_pull(design: np.ndarray, p: np.ndarray, covariance: np.ndarray) -> np.ndarray:
    """Return sum_{ab} k3_{abc} h_{iab} / 2 for every row and class, (n, q)."""
    q = p.shape[1]
    h = np.empty((len(p), q, q))
    for a in range(q):
        for b in range(q):
            h[:, a, b] = ((design @ covariance[a, :, b, :]) * design).sum(axis=1)
    own = np.einsum("iaa->ia", h)
    along = (h * p[:, None, :]).sum(axis=2)  # sum_b h_ab p_b
    mean_own = (own * p).sum(axis=1, keepdims=True)
    both = (along * p).sum(axis=1, keepdims=True)
    # k3_abc = [a=b=c] p_a - [a=b] p_a p_c - [a=c] p_a p_b - [b=c] p_a p_b + 2 p_a p_b p_c
    return 0.5 * p * (own - mean_own - 2 * along + 2 * both)


class Likelihood:
    """(17) or (18) of the rows of a source, in columns of unit mean square; `units` are those of a frame they stand in."""

    def __init__(
        self,
        owner: str,
        source: Source,
        k: int,
        base: int,
        intercept: bool,
        firth: bool,
        units: np.ndarray | float = 1.0,
    ) -> None:
        self.basis: np.ndarray | None = None
        self.log_units = float(np.log(units).sum())
        self.owner, self.source, self.base, self.intercept, self.firth = owner, source, base, intercept, firth
        found = source.total(column_squares, None)
        root = np.sqrt(found.squares / found.weight)
        self.scale = np.append(np.where(root > 0, root, 1.0), np.ones(int(intercept)))
        self.shape = (k - 1, len(self.scale))
        self.size = (k - 1) * len(self.scale)
        at_zero = self.at(np.zeros(self.shape), check=False)
        unit = np.sqrt(np.diag(at_zero.information))
        if not unit.all() or np.linalg.cond(at_zero.information / np.outer(unit, unit)) > 1e13:
            raise DataError(
                f"{owner}: columns are collinear or constant, so single coefficients are not determined; drop some columns."
            )

    def rebased(self, basis: np.ndarray) -> "Likelihood":
        """Return the same likelihood in coordinates that a matrix of determinant -+1 turns into the coefficients."""
        twin = copy(self)
        twin.basis = basis
        return twin

    def at(self, B: np.ndarray, check: bool = True) -> LikelihoodPoint:
        """Return the objective and its gradient at B."""
        params = LikelihoodPass(B, self.scale, self.intercept, self.base, self.basis, None)
        found = self.source.total(sums, params)
        if not self.firth or not check:
            return LikelihoodPoint(B, found.value, found.gradient, found.information)
        sign, log_det = np.linalg.slogdet(found.information)
        if sign <= 0 or not np.isfinite(log_det):
            return LikelihoodPoint(B, -np.inf, found.gradient, found.information)
        covariance = np.linalg.inv(found.information).reshape(*self.shape, *self.shape)
        pull = self.source.total(sums, params._replace(covariance=covariance))
        units = self.shape[0] * (
            np.log(self.scale).sum() + self.log_units
        )  # of the determinant, back in the columns' own
        return LikelihoodPoint(
            B, found.value + 0.5 * log_det + units, found.gradient + pull.gradient, found.information
        )

    def maximum(self, start: np.ndarray, free: np.ndarray) -> LikelihoodPoint:
        """Return the maximum over the free coefficients, a mask of (q m,), from a start that has the others."""
        here, left, slow = self.at(start), np.inf, 0
        for _ in range(MOST_STEPS):
            gradient = here.gradient[free]
            bend = self.curvature(here, free) if slow >= PATIENCE else None
            step = direction(here.information[np.ix_(free, free)] if bend is None else bend, gradient)
            if float(gradient @ step) <= FINEST and np.abs(gradient).max(initial=0.0) > STEEP:
                step = LONGEST * gradient / np.abs(gradient).max()
            before, left = left, float(gradient @ step)
            slow += self.firth and left > 0.1 * before
            close = left <= GAIN * (abs(here.value) + 1)
            if left <= FINEST or (close and left > 0.5 * before):
                return here
            step *= min(1.0, LONGEST / np.abs(step).max())
            ahead = self.ahead(here, step, free) if close else self.uphill(here, step, free)
            if ahead is None:
                return here
            here = ahead
        raise DataError(
            f"{self.owner}: the likelihood is not at its maximum after {MOST_STEPS} steps; scale or drop columns."
        )

    def curvature(self, here: LikelihoodPoint, free: np.ndarray) -> np.ndarray | None:
        """Return the second derivatives of (18), negated, by differences of its gradient; None where they are no maximum's."""
        index = np.flatnonzero(free)
        length = DIFFERENCE / np.sqrt(np.diag(here.information)[index])
        length = np.minimum(length, DIFFERENCE * np.maximum(1.0, np.abs(here.B.ravel()[index])))
        columns = []
        for j, h in zip(index, length):
            move = np.zeros(self.size)
            move[j] = h
            fore, back = (self.at(here.B + side * move.reshape(self.shape)).gradient for side in (1, -1))
            columns.append((back - fore)[index] / (2 * h))
        found = np.array(columns)
        found = 0.5 * (found + found.T)
        proper = np.isfinite(found).all() and np.linalg.eigvalsh(found)[0] > 0
        return found if proper else None

    def ahead(self, here: LikelihoodPoint, step: np.ndarray, free: np.ndarray) -> LikelihoodPoint:
        """Return the place after a step."""
        full = np.zeros(self.size)
        full[free] = step
        return self.at(here.B + full.reshape(self.shape))

    def uphill(self, here: LikelihoodPoint, step: np.ndarray, free: np.ndarray) -> LikelihoodPoint | None:
        """Return the place after a step, halved until it gains; None where even the shortest loses."""
        for _ in range(HALVINGS):
            ahead = self.ahead(here, step, free)
            if ahead.value > here.value:
                return ahead
            step = 0.5 * step
        return None


def direction(information: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    """Return I^{-1} gradient; where saturated rows leave I without full rank, its shortest solution."""
    if not len(gradient):
        return gradient
    unit = np.sqrt(np.maximum(np.diag(information), np.finfo(float).tiny))
    scaled = information / np.outer(unit, unit)
    try:
        lower = np.linalg.cholesky(scaled)
    except np.linalg.LinAlgError:
        return np.linalg.lstsq(scaled, gradient / unit, rcond=1e-12)[0] / unit
    return np.linalg.solve(lower.T, np.linalg.solve(lower, gradient / unit)) / unit
