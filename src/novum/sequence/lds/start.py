r"""What is learned, and where learning starts.

A matrix that was not given is learned whole, one with NaN in some cells only there. Starting values come from the data: windows
of neighbouring rows, centred nowhere, have the states as their leading singular directions (as in subspace identification):

    windows = U diag(w) V',   states Z = U,   C = first p rows of V diag(w),   A by least squares of Z[t+1] on Z[t]        (26)
"""

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import ParameterError
from novum.sequence.lds.system import MATRICES, read_matrix, sizes_of

__all__ = ["LEARNED", "free_matrices", "starting_matrices"]

Array = NDArray[Any]
# What is learned unless it was given; offsets and controls only where they are requested.
LEARNED = (
    "transition",
    "transition_covariance",
    "observation",
    "observation_covariance",
    "initial_mean",
    "initial_covariance",
)
SMALL = 1e-3  # share of the variance that every noise keeps at the start: zero would stay zero


def holds_unknown(value: Any) -> bool:
    """Return whether a matrix has cells that are to be learned."""
    if value is None or isinstance(value, str):
        return False
    cells = np.asarray(value)
    return cells.dtype.kind == "f" and bool(np.isnan(cells).any())


def free_matrices(owner: str, given: Mapping[str, Any], learn: Any, sizes: Mapping[str, int]) -> dict[str, Array]:
    """Return the cells to learn of every matrix that has any."""
    if learn is None:
        names = [n for n in MATRICES if holds_unknown(given.get(n)) or (n in LEARNED and given.get(n) is None)]
    else:
        names = [learn] if isinstance(learn, str) else list(learn)
        wrong = [name for name in names if name not in MATRICES]
        if wrong:
            raise ParameterError(f"{owner}: learn={learn!r}; {wrong[0]!r} is none of {', '.join(map(repr, MATRICES))}.")
        unknown = [n for n in MATRICES if holds_unknown(given.get(n)) and n not in names]
        if unknown:
            raise ParameterError(
                f"{owner}: {unknown[0]} has cells that are not known (NaN); add it to learn={learn!r}."
            )
    if isinstance(given.get("initial_covariance"), str):
        if "initial_covariance" in names:
            raise ParameterError(
                f"{owner}: initial_covariance={given['initial_covariance']!r} is a rule and is not learned."
            )
        names = [name for name in names if name != "initial_mean" or learn is not None]
    free = {}
    for name in names:
        shape = tuple(sizes.get(letter, 0) for letter in MATRICES[name])
        value = given.get(name)
        cells = np.ones(shape, dtype=bool)
        if value is not None:
            full = read_matrix(owner, name, value, sizes)
            if full.ndim > len(shape):
                raise ParameterError(f"{owner}: {name} differs by step and cannot be learned; give one for all steps.")
            if np.isinf(full).any():
                raise ParameterError(f"{owner}: {name} is diffuse and cannot be learned.")
            cells = np.isnan(full) if np.isnan(full).any() else cells
        if name.endswith("covariance") and not cells.all() and (cells & ~np.eye(len(cells), dtype=bool)).any():
            raise ParameterError(
                f"{owner}: {name} has NaN off its diagonal, but not everywhere; leave all cells open, or those of the diagonal."
            )
        if cells.size:
            free[name] = cells
    return free


def filled(values: Array) -> Array:
    """Return a series with unobserved cells at the mean of their column."""
    seen = ~np.isnan(values)
    means = np.where(seen, values, 0).sum(axis=0) / np.maximum(seen.sum(axis=0), 1)
    return np.where(seen, values, means)


def subspace_start(series: Collection[Array], s: int) -> dict[str, Array]:
    """Return (26) for series without gaps."""
    p = next(iter(series)).shape[1]
    depth = -(-s // p) + 1
    blocks = [np.hstack([x[i : len(x) - depth + 1 + i] for i in range(depth)]) for x in series if len(x) > depth]
    scale = np.concatenate(list(series)).std(axis=0)
    scale = np.where(scale > 0, scale, 1.0)
    rows = sum(map(len, blocks))
    if rows <= s + 1:
        C = np.eye(p, s)
        return {
            "transition": np.eye(s),
            "transition_covariance": np.eye(s) * float(np.mean(scale**2)),
            "observation": C,
            "observation_covariance": np.diag(scale**2),
        }
    left, size, right = np.linalg.svd(np.concatenate(blocks), full_matrices=False)
    k = min(s, len(size))
    Z = np.zeros((rows, s))
    Z[:, :k] = left[:, :k] * np.sqrt(rows)
    C = np.zeros((p, s))
    C[:, :k] = right[:k, :p].T * size[:k] / np.sqrt(rows)
    cuts = np.cumsum([len(b) for b in blocks])[:-1]
    parts = np.split(Z, cuts)
    now, later = np.concatenate([z[:-1] for z in parts]), np.concatenate([z[1:] for z in parts])
    A = np.linalg.lstsq(now, later, rcond=None)[0].T
    radius = float(np.abs(np.linalg.eigvals(A)).max())
    A = A / radius if radius > 1 else A
    off = later - now @ A.T
    Q = off.T @ off / len(off) + SMALL * np.diag(Z.var(axis=0) + np.finfo(float).tiny) + SMALL * np.eye(s) * Z.var()
    off = np.concatenate(blocks)[:, :p] - Z @ C.T
    R = off.T @ off / len(off) + np.diag(10 * SMALL * scale**2)
    return {"transition": A, "transition_covariance": Q, "observation": C, "observation_covariance": R}


def step_variance(series: Collection[Array]) -> Array:
    """Return the variance of the differences of neighbouring rows, of every cell."""
    off = np.concatenate([np.diff(filled(x), axis=0) for x in series if len(x) > 1] or [np.ones((1, 1))])
    found = np.mean(off**2, axis=0)
    return np.where(found > 0, found, 1.0)


def starting_matrices(
    owner: str, given: Mapping[str, Any], free: Mapping[str, Array], series: Collection[Array], sizes: dict[str, int]
) -> dict[str, Any]:
    """Return all matrices with numbers in the cells that are to be learned."""
    sizes = sizes_of(owner, given, sizes)
    whole = list(map(filled, series))
    start: dict[str, Any] = dict(given)
    guess = subspace_start(whole, sizes["s"])
    steps = step_variance(series)
    variance = np.concatenate(whole).var(axis=0)
    if "observation" not in free:  # the scale of the states is fixed: so is the size of their noise
        guess["transition_covariance"] = np.eye(sizes["s"]) * float(steps.mean()) / 4
        guess["observation_covariance"] = np.diag(steps) / 2
        guess["initial_covariance"] = np.eye(sizes["s"]) * float(variance.mean() + steps.mean())
    guess.setdefault("initial_covariance", np.eye(sizes["s"]))
    for name, cells in free.items():
        value = given.get(name)
        if value is None:
            shape = tuple(sizes[letter] for letter in MATRICES[name])
            start[name] = guess.get(name, np.zeros(shape))
            if name == "observation_offset":
                start[name] = np.concatenate(whole).mean(axis=0)
            continue
        full = read_matrix(owner, name, value, sizes)
        if np.isnan(full).any():
            fill = np.diag(np.diagonal(guess[name])) if name.endswith("covariance") else np.zeros(full.shape)
            start[name] = np.where(cells, fill, full)
    return start
