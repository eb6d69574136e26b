r"""The matrices of a linear dynamical system, read and checked.

    z[0] ~ N(m0, V0),   z[t+1] = A z[t] + b + B u[t] + N(0, Q)                                          (1)
    x[t] = C z[t] + d + D u[t] + N(0, R)                                                                (2)

A matrix is one for all steps, or has a leading axis of time: entry t of A, b and Q leads from t to t + 1. An infinite variance
in V0 says that nothing is known of that state (a diffuse start).
"""

from collections.abc import Mapping
from math import isfinite
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError, ParameterError
from novum.runtime.checks import float_array

__all__ = [
    "COVARIANCES",
    "MATRICES",
    "STARTS",
    "System",
    "read_matrix",
    "sizes_of",
    "stationary_distribution",
    "system_of",
]

Array = NDArray[Any]
STARTS = ("diffuse", "stationary")
# Shapes in letters: s states, p cells of a row, k controls.
MATRICES = {
    "transition": "ss",
    "transition_covariance": "ss",
    "transition_offset": "s",
    "observation": "ps",
    "observation_covariance": "pp",
    "observation_offset": "p",
    "initial_mean": "s",
    "initial_covariance": "ss",
    "control": "sk",
    "observation_control": "pk",
}
COVARIANCES = ("transition_covariance", "observation_covariance", "initial_covariance")
CONSTANT = ("initial_mean", "initial_covariance", "control", "observation_control")  # never with an axis of time
ROUNDING = 1e-12  # of eigenvalues: so close to one nothing is left of the equation for the distribution
SLACK = (
    1e-8  # of asymmetry and of negative eigenvalues, relative to the largest entry: printed matrices keep eight digits
)


class System(NamedTuple):
    """Equations (1) and (2) with every matrix in place."""

    transition: Array  # (s, s) or (n, s, s)
    transition_covariance: Array
    transition_offset: Array  # (s,) or (n, s)
    observation: Array  # (p, s) or (n, p, s)
    observation_covariance: Array
    observation_offset: Array  # (p,) or (n, p)
    initial_mean: Array  # (s,)
    initial_covariance: Array  # (s, s), the finite part
    diffuse: Array  # (s, q): the directions of infinite variance
    control: Array  # (s, k)
    observation_control: Array  # (p, k)

    @property
    def n_states(self) -> int:
        return self.initial_mean.shape[0]

    @property
    def n_cells(self) -> int:
        return self.observation.shape[-2]

    @property
    def is_constant(self) -> bool:
        """Whether no matrix has an axis of time; offsets may."""
        return all(
            m.ndim == 2
            for m in (self.transition, self.transition_covariance, self.observation, self.observation_covariance)
        )


def is_finite(array: Array) -> bool:
    """Return whether no cell is NaN or infinite, nearly always by their sum."""
    return isfinite(array.sum()) or bool(np.isfinite(array).all())


def cells_of(owner: str, name: str, value: Any) -> Array:
    """Return a matrix as float64; NaN marks cells that are to be learned."""
    array = float_array(owner, name, value).astype(np.float64, copy=False)
    if not is_finite(array) and np.isinf(array).any() and name != "initial_covariance":
        raise DataError(f"{owner}: {name} holds infinity; give finite numbers.")
    return array


def sizes_of(owner: str, given: Mapping[str, Any], sizes: dict[str, int]) -> dict[str, int]:
    """Return the sizes s, p and k that the given matrices say, added to those known."""
    found = dict(sizes)
    for name, letters in MATRICES.items():
        value = given.get(name)
        if value is None or isinstance(value, str):
            continue
        shape = np.shape(value)
        if len(shape) < len(letters):  # a scalar, or a vector for a matrix: says less
            if name == "observation" and len(shape) == 1:
                found.setdefault("s", shape[0])
                found.setdefault("p", 1)
            elif len(shape) == 1 and letters in ("ss", "pp"):
                found.setdefault(letters[0], shape[0])
            continue
        for letter, size in zip(letters, shape[len(shape) - len(letters) :], strict=True):
            found.setdefault(letter, int(size))
    for name, letter in (("transition", "s"), ("observation", "p")):  # numbers alone: one state, one cell
        if letter not in found and given.get(name) is not None and np.ndim(given[name]) == 0:
            found[letter] = 1
    return found


def read_matrix(owner: str, name: str, value: Any, sizes: Mapping[str, int]) -> Array:
    """Return a given matrix in full shape: a number is a multiple of the identity, a vector a diagonal or the one row of C."""
    letters = MATRICES[name]
    array = cells_of(owner, name, value)
    shape = tuple(sizes.get(letter, 0) for letter in letters)
    square = len(letters) == 2 and letters[0] == letters[1]
    if array.ndim == 0:
        if square:
            array = np.where(np.eye(shape[0], dtype=bool), array, 0.0)
        elif np.prod(shape) == 1:
            array = array.reshape(shape)
    elif array.ndim == 1 and name in COVARIANCES and array.shape == shape[:1]:
        full = np.zeros(shape)
        np.fill_diagonal(full, array)
        array = full
    elif array.ndim == 1 and name == "observation" and shape == (1, array.size):
        array = array[None]
    timed = array.ndim == len(letters) + 1 and name not in CONSTANT
    if (array.shape[1:] if timed else array.shape) != shape:
        words = {"s": "states", "p": "cells of a row", "k": "controls"}
        wanted = ", ".join(f"{sizes.get(letter, 0)} {words[letter]}" for letter in dict.fromkeys(letters))
        more = "" if name in CONSTANT else f", or (n_steps, {str(shape)[1:-1].rstrip(',')}) for one of every step"
        raise DataError(f"{owner}: {name} has shape {array.shape}; it must have shape {shape} ({wanted}){more}.")
    if name in COVARIANCES:
        check_covariance(owner, name, array)
    return np.ascontiguousarray(array)


def plainly_positive(matrix: Array) -> bool:
    """Return whether a matrix is finite, symmetric and positive definite, at little cost; False says nothing."""
    if matrix.shape == (1, 1):
        return 0 <= float(matrix[0, 0]) < np.inf
    if not (matrix == matrix.T).all():
        return False
    try:
        np.linalg.cholesky(matrix)
    except np.linalg.LinAlgError:
        return False
    return is_finite(matrix)


def check_covariance(owner: str, name: str, array: Array) -> None:
    """Raise DataError for a matrix that is not symmetric or has a negative eigenvalue; cells to be learned are not looked at."""
    if array.ndim == 2 and plainly_positive(array):
        return
    matrices = array.reshape(-1, *array.shape[-2:])
    known = np.where(np.isfinite(matrices), matrices, 0.0)
    scale = np.abs(known).max(axis=(1, 2), initial=0.0)
    turned = np.swapaxes(known, 1, 2)
    off = np.abs(known - turned).max(axis=(1, 2), initial=0.0) > SLACK * scale
    at = f"[{int(off.argmax())}]" if array.ndim == 3 else ""
    if off.any():
        raise DataError(
            f"{owner}: {name}{at} is not symmetric; a covariance is. Give (S + S.T) / 2 if rounding did it."
        )
    if np.isnan(matrices).any():
        return
    infinite = np.isinf(np.diagonal(matrices, axis1=1, axis2=2))
    rest = np.where(infinite[:, :, None] | infinite[:, None, :], 0.0, known)
    least = np.linalg.eigvalsh(rest).min(axis=1)
    if (least < -SLACK * scale).any():
        k = int((least / np.maximum(scale, 1e-300)).argmin())
        where = f"[{k}]" if array.ndim == 3 else ""
        raise DataError(f"{owner}: {name}{where} has the eigenvalue {least[k]:.3g}; a covariance has none below zero.")


def stationary_distribution(owner: str, transition: Array, covariance: Array, offset: Array) -> tuple[Array, Array]:
    """Return the mean and covariance that z[t+1] = A z[t] + b + N(0, Q) leaves as they are, or raise."""
    from scipy.linalg import solve_discrete_lyapunov

    if transition.ndim > 2 or covariance.ndim > 2 or offset.ndim > 1:
        raise ParameterError(
            f'{owner}: initial_covariance="stationary" needs matrices that are the same at every step.'
        )
    largest = float(np.abs(np.linalg.eigvals(transition)).max())
    if largest > 1 - ROUNDING:
        raise ParameterError(
            f'{owner}: initial_covariance="stationary", but transition has an eigenvalue of modulus {largest:.6g} >= 1: there '
            'is no stationary distribution. Give a matrix, or "diffuse".'
        )
    found = solve_discrete_lyapunov(transition, covariance)
    mean = np.linalg.solve(np.eye(len(transition)) - transition, offset)
    return mean, (found + found.T) / 2


def start_of(owner: str, value: Any, sizes: Mapping[str, int]) -> tuple[Array, Array]:
    """Return the finite part of V0 and the directions of infinite variance."""
    s = sizes["s"]
    if isinstance(value, str):
        return np.zeros((s, s)), np.eye(s)
    full = read_matrix(owner, "initial_covariance", value, sizes)
    if is_finite(full):
        return full, np.zeros((s, 0))
    unknown = np.isinf(np.diagonal(full))
    if (np.isinf(full) & ~np.diag(unknown)).any():
        raise DataError(
            f"{owner}: initial_covariance holds infinity off its diagonal; mark diffuse states on the diagonal."
        )
    finite = np.where(unknown[:, None] | unknown[None, :], 0.0, full)
    return finite, np.eye(s)[:, unknown]


def system_of(owner: str, given: Mapping[str, Any], sizes: dict[str, int]) -> System:
    """Return the system that complete matrices make; those left out of the optional ones are zero, V0 is diffuse."""
    if not {"s", "p", "k"} <= sizes.keys():
        sizes = sizes_of(owner, given, sizes)
    for name in ("transition", "observation", "transition_covariance", "observation_covariance"):
        if given.get(name) is None:
            raise ParameterError(f"{owner}: {name} is not known; give {name}= or learn it by fit.")
    if "s" not in sizes or "p" not in sizes:
        letter = "s" if "s" not in sizes else "p"
        word = "states" if letter == "s" else "cells of a row"
        raise ParameterError(
            f"{owner}: the number of {word} is not known; give transition and observation as matrices."
        )
    sizes.setdefault("k", 0)
    read: dict[str, Array] = {}
    for name, letters in MATRICES.items():
        value = given.get(name)
        if name == "initial_covariance":
            continue
        if value is None:
            read[name] = np.zeros(tuple(sizes[letter] for letter in letters))
            continue
        read[name] = read_matrix(owner, name, value, sizes)
        if not is_finite(read[name]):
            raise ParameterError(
                f"{owner}: {name} has cells that are not known (NaN); learn them by fit, or give numbers."
            )
    start = given.get("initial_covariance")
    start = "diffuse" if start is None else start
    if isinstance(start, str) and start not in STARTS:
        raise ParameterError(
            f"{owner}: initial_covariance={start!r}; it must be a matrix or one of {', '.join(map(repr, STARTS))}."
        )
    if isinstance(start, str) and start == "stationary":
        mean, finite = stationary_distribution(
            owner, read["transition"], read["transition_covariance"], read["transition_offset"]
        )
        if given.get("initial_mean") is None:
            read["initial_mean"] = mean
        diffuse = np.zeros((sizes["s"], 0))
    else:
        finite, diffuse = start_of(owner, start, sizes)
        if np.isnan(finite).any():
            raise ParameterError(f"{owner}: initial_covariance has cells that are not known (NaN); give numbers.")
    return System(initial_covariance=finite, diffuse=diffuse, **read)
