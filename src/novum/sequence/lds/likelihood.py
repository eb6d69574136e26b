r"""The likelihood climbed by L-BFGS, with the exact slope that the smoother gives (Fisher's identity).

    d log L / dT = S^{-1} slope(T),     d log L / dS = (S^{-1} residual S^{-1} - rows S^{-1}) / 2                  (19)

Variances enter by logarithms, as shares of where they start: S = start (FLOOR + exp 2w), one w for each (diag) or for all
(spherical, scaled); full: S = L L' with log L_ii and L_ij free. The floor is where the smoother's rounding hides what a variance
adds: a maximum at zero ends there. Near the maximum it needs tens of steps where EM needs thousands. Where the first state has the
stationary distribution, V0 = A V0 A' + Q, that distribution moves with A and Q: with G the slope in V0 and Y = A'Y A + G,

    d log L / dQ += Y,     d log L / dA += 2 Y A V0                                                                (20)

A step to where that distribution, or the likelihood, does not exist meets a wall as high as the slope was steep: the line search
comes back by a few ninths, where a wall of 1e300 would send it back to where it stood.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import ParameterError
from novum.optimize import lbfgs
from novum.sequence.lds.expectations import Expected, Regression
from novum.sequence.lds.maximization import EQUATIONS, coefficients, free_cells, with_coefficients
from novum.sequence.lds.system import System

__all__ = ["climbed"]

Array = NDArray[Any]
NEARLY = 10.0  # times tol: a slope that rounding can make
FLOOR = 1e-10
LEAST, MOST = -350.0, 350.0  # logarithms of standard deviations whose squares are still numbers


class Noise:
    """A covariance as a vector of free numbers, and the slope in them."""

    def __init__(self, covariance: Array, kind: str, free: Array) -> None:
        if kind == "spherical":
            covariance = np.where(
                np.eye(len(covariance), dtype=bool) & free, np.diagonal(covariance).mean(), covariance
            )
        self.start, self.kind = covariance, kind
        variances = np.diagonal(free) & (np.diagonal(covariance) > 0)
        self.full = kind == "full" and bool(free.all()) and bool(variances.all())
        self.at = np.flatnonzero(variances)

    def vector(self) -> Array:
        if self.full:
            root = np.linalg.cholesky(self.start)
            rows, columns = np.tril_indices(len(root))
            return np.where(rows == columns, np.log(root[rows, columns].clip(1e-300)), root[rows, columns])
        if self.kind == "scaled":
            return np.zeros(1)
        return np.zeros(min(1, len(self.at)) if self.kind == "spherical" else len(self.at))

    def root(self, w: Array) -> Array:
        """Return the factor L of a full covariance."""
        found = np.zeros_like(self.start)
        rows, columns = np.tril_indices(len(found))
        found[rows, columns] = np.where(rows == columns, np.exp(np.clip(w, LEAST, MOST)), w)
        return found

    def matrix(self, w: Array) -> Array:
        if self.full:
            return self.root(w) @ self.root(w).T
        if self.kind == "scaled":
            return self.start * self.share(w)[0]
        found = self.start.copy()
        found[self.at, self.at] *= self.share(w)
        return found

    def share(self, w: Array) -> Array:
        """Return variances as shares of their start."""
        return FLOOR + np.exp(2 * np.clip(w, LEAST, MOST))

    def slope(self, w: Array, residual: Array, rows: int, more: Array | float) -> Array:
        S = self.matrix(w)
        if self.full:
            half = np.linalg.inv(self.root(w))
            inverse = half.T @ half
        else:
            inverse = np.linalg.pinv(S, hermitian=True) if self.kind == "scaled" else self.inverse(S)
        G = (inverse @ residual @ inverse - rows * inverse) / 2 + more
        if self.full:
            i, j = np.tril_indices(len(S))
            root = self.root(w)
            return np.where(i == j, root[i, j], 1.0) * (2 * G @ root)[i, j]
        if self.kind == "scaled":
            return np.array([2 * float(np.sum(G * self.start)) * (self.share(w)[0] - FLOOR)])
        each = 2 * np.diagonal(G)[self.at] * np.diagonal(self.start)[self.at] * (self.share(w) - FLOOR)
        return each.sum(keepdims=True) if self.kind == "spherical" else each

    def inverse(self, S: Array) -> Array:
        """Return the inverse among the cells that have a variance; the others are exact and say nothing."""
        found = np.zeros_like(S)
        at = np.flatnonzero(np.diagonal(S) > 0)
        found[np.ix_(at, at)] = np.linalg.inv(S[np.ix_(at, at)])
        return found


def start_slope(system: System, expected: Expected) -> tuple[Array, Array]:
    """Return (20): what the stationary distribution of the first state adds to the slopes in Q and A."""
    from scipy.linalg import solve_discrete_lyapunov

    A, V = system.transition, system.initial_covariance
    off = expected.first_means - system.initial_mean
    inverse = np.linalg.pinv(V, hermitian=True)
    excess = expected.first_covariance + off.T @ off - len(off) * V
    Y = solve_discrete_lyapunov(A.T, inverse @ excess @ inverse / 2)
    return Y, 2 * Y @ A @ V


class Wall:
    """The value given to points without a likelihood: above all that was seen, by what the best point's slope promised."""

    def __init__(self) -> None:
        self.highest = -np.inf
        self.best: tuple[float, Array, Array] | None = None

    def seen(self, w: Array, value: float, gradient: Array) -> tuple[float, Array]:
        self.highest = max(self.highest, value)
        if self.best is None or value < self.best[0]:
            self.best = value, w.copy(), gradient
        return value, gradient

    def height(self, w: Array) -> tuple[float, Array]:
        if self.best is None:
            return 1e300, np.zeros_like(w)
        _, at, gradient = self.best
        return self.highest + abs(float(gradient @ (w - at))), np.zeros_like(w)


def climbed(
    system: System,
    expect: Callable[[System], Expected],
    stationary_start: Callable[[System], System] | None,
    free: Mapping[str, Array],
    kinds: Mapping[str, str],
    max_iter: int,
    tol: float,
) -> tuple[System, list[float], bool]:
    """Return the system of largest likelihood, the log-likelihood by step, and whether the slope vanished there.

    `stationary_start` puts the stationary distribution of the first state into a system, or raises where there is none; None: the
    first distribution is fixed.
    """
    noises = {
        e.noise: Noise(getattr(system, e.noise), kinds[e.noise], free[e.noise])
        for e in EQUATIONS.values()
        if e.noise in free
    }
    system = stationary_start(system) if stationary_start else system
    first = expect(system)
    shapes = {}
    for field, equation in EQUATIONS.items():
        T = coefficients(system, equation, getattr(first, field).regressors.shape[1])
        shapes[field] = (T, free_cells(equation, free, T.shape, system.n_states))
    start = [noise.vector() for noise in noises.values()] + [T[cells] for T, cells in shapes.values()]
    cuts = np.cumsum([len(part) for part in start])[:-1]
    rows, before = (
        max(len(first.cells.targets), 1),
        first.log_likelihood,
    )  # differences from it do not depend on the data's unit
    before = before if np.isfinite(before) else 0.0

    def unpacked(w: Array) -> tuple[System, list[Array]]:
        parts = np.split(w, cuts)
        found = system
        for (name, noise), part in zip(noises.items(), parts):
            found = found._replace(**{name: noise.matrix(part)})
        for (field, (T, cells)), part in zip(shapes.items(), parts[len(noises) :]):
            new = T.copy()
            new[cells] = part
            found = with_coefficients(found, EQUATIONS[field], new) if cells.any() else found
        return found, parts

    wall = Wall()

    def objective(w: Array) -> tuple[float, Array]:
        found, parts = unpacked(w)
        try:
            found = stationary_start(found) if stationary_start else found
        except ParameterError:  # not stationary
            return wall.height(w)
        expected = expect(found)
        by_noise, by_matrix = start_slope(found, expected) if stationary_start else (0.0, 0.0)
        slopes = []
        for field, equation in EQUATIONS.items():
            regression: Regression = getattr(expected, field)
            if equation.noise in noises:
                T = coefficients(found, equation, regression.regressors.shape[1])
                part = parts[list(noises).index(equation.noise)]
                more = by_noise if field == "states" else 0.0
                slopes.append(noises[equation.noise].slope(part, regression.residual(T), len(regression.targets), more))
        for field, equation in EQUATIONS.items():
            regression, (T, cells) = getattr(expected, field), shapes[field]
            if cells.any():
                T = coefficients(found, equation, T.shape[1])
                noise = getattr(found, equation.noise)
                weighted = np.linalg.pinv(noise, hermitian=True) @ regression.slope(T)
                if field == "states":
                    weighted[:, : found.n_states] += by_matrix
                slopes.append(weighted[cells])
        gradient = np.concatenate([np.zeros(0), *slopes])
        value = expected.log_likelihood - before
        if not np.isfinite(value) or not np.isfinite(gradient).all():
            return wall.height(w)
        return wall.seen(w, -value / rows, -gradient / rows)

    solution = lbfgs(objective, np.concatenate([np.zeros(0), *start]), gradient=True, tol=tol, max_iter=max_iter)
    passed = list(solution.history)
    # Rounding near a variance of zero spoils the curvatures that L-BFGS remembers, so that a line search fails: it begins anew.
    while not solution.converged and len(passed) <= max_iter:
        again = lbfgs(objective, solution.x, gradient=True, tol=tol, max_iter=max_iter - len(passed) + 1)
        if len(again.history) == 1 or not again.history[-1] < passed[-1]:
            break
        solution = again
        passed += list(again.history[1:])
    best = unpacked(np.asarray(solution.x))[0]
    # The slope of a variance that tends to zero is a difference of nearly equal numbers, and need not come below tol.
    flat = len(passed) <= max_iter and solution.gradient_norm <= NEARLY * tol
    history = [before - rows * float(v) for v in passed]
    return stationary_start(best) if stationary_start else best, history, bool(solution.converged or flat)
