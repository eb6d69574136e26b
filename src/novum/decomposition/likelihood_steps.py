r"""Maximum likelihood of independent components: natural gradient and quasi-Newton steps. Formulas: ica.py."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg

from novum.decomposition.sources import Means

__all__ = ["LikelihoodMaximum", "Point", "evaluate", "natural_gradient", "quasi_newton"]

MEMORY = 7  # pairs of steps and gradients that directions are made of
LEAST_CURVATURE = 0.01  # eigenvalues of the Hessian's 2 x 2 blocks are raised to it
TRIES = 10  # halvings of a step
CHANGES = (
    20  # steps at which (8) may change; sources that are nearly normal would turn from one kind to the other for ever
)


class Point(NamedTuple):
    """An unmixing matrix and what one pass says of it."""

    W: np.ndarray  # (k, k)
    values: np.ndarray  # (k,): E[G(y)] of the contrast, before signs
    rest: float  # what the loss has beside the contrasts
    gradient: np.ndarray  # (k, k): (9), or its antisymmetric part
    h: np.ndarray  # (k, k): curvature of (10)
    off: np.ndarray  # (k,): its entries off the diagonal of 2 x 2 blocks
    signs: np.ndarray  # (k,)

    def loss_for(self, signs: np.ndarray) -> float:
        """Return minus the mean log-likelihood for given kinds of sources, up to the constants of their densities."""
        return self.rest + float(signs @ self.values)

    @property
    def loss(self) -> float:
        """Minus the mean log-likelihood for the kinds of sources that the data ask for here."""
        return self.loss_for(self.signs)


class LikelihoodMaximum(NamedTuple):
    point: Point
    history: list[float]
    n_iter: int
    converged: bool


def evaluate(
    W: np.ndarray,
    found: Means,
    covariance: np.ndarray,
    *,
    adaptive: bool,
    orthogonal: bool,
    kinds: np.ndarray | None = None,
) -> Point:
    """Return the loss, the relative gradient (9) and the curvature (10) at W from the means of one pass; `kinds` replaces (8)."""
    k = len(W)
    C = W @ covariance @ W.T
    signs = np.ones(k)
    G, slopes, curvature = found.products, found.slopes, found.curvature
    if adaptive:
        signs = np.where(slopes * np.diag(C) < np.diag(G), -1.0, 1.0) if kinds is None else kinds  # (8)
        G, slopes, curvature = signs[:, None] * G, signs * slopes, signs[:, None] * curvature
    rest = 0.0
    if orthogonal:
        off = np.diag(G).copy()
        h = 0.5 * (slopes[:, None] + slopes[None, :] - off[:, None] - off[None, :])
        return Point(W, found.values, rest, (G - G.T) / 2, np.maximum(h, LEAST_CURVATURE), off, signs)
    if adaptive:
        G, curvature = G + C, curvature + np.diag(C)[None, :]
        rest += 0.5 * float(np.trace(C))
    rest -= float(np.linalg.slogdet(W)[1])
    off = np.ones(k)
    return Point(W, found.values, rest, G - np.eye(k), raise_curvature(curvature, off), off, signs)


def raise_curvature(h: np.ndarray, off: np.ndarray) -> np.ndarray:
    """Return h with the smaller eigenvalue of every 2 x 2 block at LEAST_CURVATURE or above."""
    root = np.sqrt((h - h.T) ** 2 + 4 * off[:, None] * off[None, :])
    least = 0.5 * (h + h.T - root)
    lift = np.maximum(LEAST_CURVATURE - least, 0.0)
    np.fill_diagonal(lift, 0.0)
    diagonal = np.diag(np.maximum(LEAST_CURVATURE - 1 - np.diag(h), 0.0))  # a source's own scale: h_ii + 1
    return h + lift + diagonal


def solve_blocks(point: Point, G: np.ndarray, orthogonal: bool) -> np.ndarray:
    """Return the solution of (10) for the matrix G."""
    if orthogonal:
        Z = G / point.h
        return (Z - Z.T) / 2
    h, off = point.h, point.off
    return (h.T * G - off[:, None] * G.T) / (h * h.T - off[:, None] * off[None, :])


def solve(point: Point, G: np.ndarray, orthogonal: bool) -> np.ndarray:
    """Return the solution of (10): 2 x 2 blocks off the diagonal, h_ii + 1 on it."""
    if orthogonal:
        return solve_blocks(point, G, True)
    with np.errstate(divide="ignore", invalid="ignore"):
        out = solve_blocks(point, G, False)
    np.fill_diagonal(out, np.diag(G) / (np.diag(point.h) + 1))
    return out


def direction(point: Point, memory: list[tuple], orthogonal: bool) -> np.ndarray:
    """Return the L-BFGS direction whose first guess of the Hessian is (10)."""
    q, factors = point.gradient.copy(), []
    for step, change, rate in reversed(memory):
        factors.append(rate * float(np.sum(step * q)))
        q -= factors[-1] * change
    z = solve(point, q, orthogonal)
    for (step, change, rate), factor in zip(memory, reversed(factors)):
        z = z + (factor - rate * float(np.sum(change * z))) * step
    return -z


def quasi_newton(
    at: Callable[..., Point], start: np.ndarray, orthogonal: bool, max_iter: int, tol: float, report: Any
) -> LikelihoodMaximum:
    """Follow (10) with backtracking until no entry of the relative gradient exceeds `tol`; usually a pass a step."""
    point, history = at(start), []
    report.begin(point)
    memory: list[tuple] = []
    kinds, changes = None, 0
    for n_iter in range(1, max_iter + 1):
        history.append(-point.loss)
        if report(n_iter, history[-1], point) or np.abs(point.gradient).max() < tol:
            return LikelihoodMaximum(point, history, n_iter, True)
        step, following = descend(at, point, direction(point, memory, orthogonal), orthogonal, kinds)
        if following is None:
            memory = []
            step, following = descend(at, point, -point.gradient, orthogonal, kinds)
        if following is None:  # no step lowers the loss: rounding is all that is left
            return LikelihoodMaximum(point, history, n_iter, bool(np.abs(point.gradient).max() < np.sqrt(tol)))
        if (following.signs != point.signs).any():
            memory, changes = [], changes + 1
            kinds = following.signs if changes >= CHANGES else None
        else:
            change = following.gradient - point.gradient
            product = float(np.sum(step * change))
            if product > 0:
                memory = [*memory, (step, change, 1 / product)][-MEMORY:]
        point = following
    return LikelihoodMaximum(point, history, max_iter, False)


def descend(
    at: Callable[..., Point], point: Point, step: np.ndarray, orthogonal: bool, kinds: np.ndarray | None
) -> tuple[np.ndarray, Point | None]:
    """Return a step that lowers the loss, halved as often as needed, and the point it leads to."""
    for _ in range(TRIES):
        turn = scipy.linalg.expm(step) if orthogonal else np.eye(len(step)) + step
        following = at(turn @ point.W, kinds)
        loss = following.loss_for(
            point.signs
        )  # kinds may change at the end of a step only, or none would have to lower anything
        rounding = 8 * np.finfo(float).eps * max(1.0, abs(point.loss))
        calmer = np.abs(following.gradient).max() < np.abs(point.gradient).max()
        if np.isfinite(loss) and (loss < point.loss or (loss < point.loss + rounding and calmer)):
            return step, following
        step = step / 2
    return step, None


def natural_gradient(
    at: Callable[..., Point], start: np.ndarray, orthogonal: bool, max_iter: int, tol: float, report: Any, rate: float
) -> LikelihoodMaximum:
    """Repeat (7) until no entry of the relative gradient exceeds `tol`."""
    W, history, kinds, before, changes = start, [], None, None, 0
    for n_iter in range(1, max_iter + 1):
        point = at(W, kinds)
        changes += before is not None and bool((before != point.signs).any())
        before, kinds = point.signs, point.signs if changes >= CHANGES else None
        history.append(-point.loss)
        if n_iter == 1:
            report.begin(point)
        if report(n_iter, history[-1], point) or np.abs(point.gradient).max() < tol:
            return LikelihoodMaximum(point, history, n_iter, True)
        if not np.isfinite(point.loss):
            return LikelihoodMaximum(point, history, n_iter, False)
        turn = scipy.linalg.expm(-rate * point.gradient) if orthogonal else np.eye(len(W)) - rate * point.gradient
        W = turn @ W
    return LikelihoodMaximum(point, history, max_iter, False)
