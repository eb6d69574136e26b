r"""The M-step: the matrices that make the expected log-likelihood largest, with what is held fixed.

T_free = (cross - T_fixed gram)_free gram_free^{-1};   rows with different free cells: weighted by S^{-1}       (16)
S = residual(T) / rows:  whole, its diagonal, its mean diagonal, or a multiple of a given shape                (17)
m0 = mean of E[z[0]],   V0 = mean of E[(z[0] - m0)(z[0] - m0)']                                               (18)
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.sequence.lds.expectations import Expected, Regression
from novum.sequence.lds.system import System

__all__ = ["COVARIANCE_TYPES", "EQUATIONS", "Equation", "coefficients", "maximized", "with_coefficients"]

Array = NDArray[Any]
COVARIANCE_TYPES = ("full", "diag", "spherical", "scaled")


class Equation(NamedTuple):
    """The names of the matrices of one equation: T = (matrix, offset, control), and its noise."""

    matrix: str
    offset: str
    control: str
    noise: str


EQUATIONS = {
    "states": Equation("transition", "transition_offset", "control", "transition_covariance"),
    "cells": Equation("observation", "observation_offset", "observation_control", "observation_covariance"),
}


def coefficients(system: System, equation: Equation, width: int) -> Array:
    """Return T of an equation, or no columns where its matrix differs by step."""
    matrix, offset, control = (getattr(system, name) for name in equation[:3])
    if matrix.ndim > 2:
        return np.zeros((matrix.shape[1], 0))
    q, s = matrix.shape
    full = np.zeros((q, width))
    full[:, :s] = matrix
    if offset.ndim == 1:
        full[:, s] = offset
    full[:, s + 1 :] = control[:, : width - s - 1]
    return full


def with_coefficients(system: System, equation: Equation, T: Array) -> System:
    """Return the system with T in place."""
    matrix, offset, control = (getattr(system, name) for name in equation[:3])
    if not T.shape[1]:
        return system
    s = matrix.shape[-1]
    changed = {equation.matrix: np.ascontiguousarray(T[:, :s])}
    if offset.ndim == 1:
        changed[equation.offset] = T[:, s].copy()
    if control.shape[1]:
        changed[equation.control] = np.ascontiguousarray(T[:, s + 1 :])
    return system._replace(**changed)


def free_cells(equation: Equation, free: Mapping[str, Array], shape: tuple[int, int], s: int) -> Array:
    """Return which cells of T are learned."""
    found = np.zeros(shape, dtype=bool)
    if not shape[1]:
        return found
    if equation.matrix in free:
        found[:, :s] = free[equation.matrix]
    if equation.offset in free:
        found[:, s] = free[equation.offset]
    if equation.control in free:
        found[:, s + 1 :] = free[equation.control]
    return found


def solved(gram: Array, target: Array) -> Array:
    """Return target gram^{-1}, of least norm where the gram matrix is singular."""
    try:
        if np.linalg.cond(gram) < 1e14:
            return np.linalg.solve(gram, target.T).T
    except np.linalg.LinAlgError:
        pass
    return np.linalg.lstsq(gram, target.T, rcond=None)[0].T


def regressed(T: Array, free: Array, found: Regression, noise: Array) -> Array:
    """Return (16)."""
    gram = found.gram
    target = found.cross() - np.where(free, 0.0, T) @ gram
    new = T.copy()
    if (free == free[0]).all():
        at = free[0]
        new[:, at] = solved(gram[np.ix_(at, at)], target[:, at])
    elif not (noise - np.diag(np.diagonal(noise))).any():
        for i, at in enumerate(free):
            if at.any():
                new[i, at] = solved(gram[np.ix_(at, at)], target[i : i + 1, at])[0]
    else:
        weight = np.linalg.pinv(noise, hermitian=True)
        row, column = np.nonzero(free)
        matrix = weight[np.ix_(row, row)] * gram[np.ix_(column, column)]
        new[free] = np.linalg.lstsq(matrix, (weight @ target)[free], rcond=None)[0]
    return new


def constrained(mean: Array, current: Array, kind: str, free: Array) -> Array:
    """Return (17) of a mean residual; free cells mark the variances that are learned."""
    if kind == "scaled":
        shape = np.linalg.pinv(current, hermitian=True)
        rank = np.linalg.matrix_rank(current, hermitian=True)
        return current * (float(np.sum(shape * mean)) / max(rank, 1))
    variances = np.diagonal(free).copy() & ~((np.diagonal(current) == 0) & ~np.isnan(np.diagonal(current)))
    if kind == "spherical":
        return np.where(np.diag(variances), np.diagonal(mean)[variances].mean() if variances.any() else 0.0, current)
    if kind == "diag" or not free.all():
        return np.where(np.diag(variances), np.maximum(mean, 0.0), current)
    values, vectors = np.linalg.eigh(mean)
    if values[0] < 0:
        mean = (vectors * np.maximum(values, 0)) @ vectors.T
    return (mean + mean.T) / 2


def maximized(system: System, expected: Expected, free: Mapping[str, Array], kinds: Mapping[str, str]) -> System:
    """Return the system of the M-step, (16) to (18); `free` marks the cells of every matrix that is learned."""
    for field, equation in EQUATIONS.items():
        found: Regression = getattr(expected, field)
        if not len(found.targets):
            continue
        noise = getattr(system, equation.noise)
        T = coefficients(system, equation, found.regressors.shape[1])
        cells = free_cells(equation, free, T.shape, system.n_states)
        if cells.any():
            T = regressed(T, cells, found, noise)
            system = with_coefficients(system, equation, T)
        if equation.noise in free:
            mean = found.residual(T) / len(found.targets)
            new = constrained(mean, noise, kinds[equation.noise], free[equation.noise])
            system = system._replace(**{equation.noise: new})
    first = expected.first_means
    if "initial_mean" in free:
        system = system._replace(initial_mean=np.where(free["initial_mean"], first.mean(axis=0), system.initial_mean))
    if "initial_covariance" in free:
        off = first - system.initial_mean
        mean = (expected.first_covariance + off.T @ off) / len(first)
        new = constrained((mean + mean.T) / 2, system.initial_covariance, "full", free["initial_covariance"])
        system = system._replace(initial_covariance=new)
    return system
