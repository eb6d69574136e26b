"""Where chains begin: given points, a function that draws them, or a box around zero searched for positive density."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError, ParameterError, ParameterTypeError
from novum.runtime.random import Stream
from novum.sampling.densities import Density

__all__ = ["start_points"]

BOX = 2.0  # half the side: scales of one or so are what users are advised to have (Stan's choice)
TRIES = 100


def start_points(owner: str, start: Any, n_chains: int, seed: int, density: Density | None) -> NDArray[np.float64]:
    """Return a start for every chain, shape (n_chains, d)."""
    if isinstance(start, int | np.integer) and not isinstance(start, bool):
        if start < 1:
            raise ParameterError(f"{owner}(start={start!r}): a whole number is the dimension, at least 1.")
        return drawn_in_box(owner, int(start), n_chains, seed, density)
    if callable(start):
        points = [
            np.asarray(start(np.random.default_rng([seed & 0xFFFFFFFF, seed >> 32, k])), dtype=np.float64).ravel()
            for k in range(n_chains)
        ]
        if len({len(point) for point in points}) > 1:
            raise ParameterError(f"{owner}(start=...): the function returned points of different sizes.")
        given = np.stack(points)
    elif start is None:
        raise ParameterError(
            f"{owner}(start=None): say where the chains begin: a point, a matrix with a row per chain, a function of "
            f"a Generator, or "
            "the dimension alone."
        )
    else:
        try:
            given = np.array(start, dtype=np.float64, ndmin=1)
        except (TypeError, ValueError) as error:
            raise ParameterTypeError(
                f"{owner}(start={start!r:.60}): give numbers: a point, a matrix with a row per chain, or the dimension alone; "
                "names are given by names=."
            ) from error
    if given.ndim == 1:
        given = np.tile(given, (n_chains, 1))
    if given.ndim != 2 or given.shape[0] != n_chains or not given.shape[1]:
        raise ParameterError(
            f"{owner}(start=...): shape {given.shape} does not fit; give (d,) or (n_chains={n_chains}, d)."
        )
    if not np.isfinite(given).all():
        raise ParameterError(f"{owner}(start=...): it holds NaN or infinity; give finite numbers.")
    return np.ascontiguousarray(given)


def drawn_in_box(owner: str, d: int, n_chains: int, seed: int, density: Density | None) -> NDArray[np.float64]:
    """Return points uniform in [-2, 2]^d at which the density, and its gradient, are finite."""
    stream = Stream(seed)
    points = np.empty((n_chains, d))
    found = np.zeros(n_chains, dtype=bool)
    for attempt in range(TRIES):
        tried = BOX * (2 * stream.uniform("start", attempt, n_chains, d) - 1)
        tried[found] = points[found]
        points[~found] = tried[~found]
        found = np.ones(n_chains, dtype=bool) if density is None else finite_rows(density, points)
        if found.all():
            return points
    raise DataError(
        f"{owner}(start={d}): {int((~found).sum())} of {n_chains} chains found no point of positive density in "
        f"[-{BOX:g}, {BOX:g}]^{d} in "
        f"{TRIES} tries; give start= points inside the support."
    )


def finite_rows(density: Density, points: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return for which points value and gradient are finite."""

    def finite(answer: Any) -> bool:
        try:
            return answer is None or bool(np.isfinite(np.asarray(answer, dtype=np.float64)).all())
        except (TypeError, ValueError):
            return True  # the check of the start says what is wrong

    with np.errstate(all="ignore"):
        if density.together:
            value, slope = density.evaluate(points.copy())
            if np.shape(value)[:1] != (len(points),) or (slope is not None and np.shape(slope) != points.shape):
                return np.ones(len(points), dtype=bool)  # the check of the start says what is wrong
            rows = [(value[k], None if slope is None else slope[k]) for k in range(len(points))]
        else:
            rows = [density.evaluate(x.copy()) for x in points]
    return np.array([finite(value) and finite(slope) for value, slope in rows])
