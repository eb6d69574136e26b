r"""The smoother through the rows whose distribution is diffuse: back by the maps that the filter noted, (10) and (11).

Of the coordinates (w, y) of a row, z = m + S w + L y, all rows give a mean, a factor of the covariance and directions of which
nothing is known. Every map is affine, with e ~ N(0, I) of its own where a row forgets: nothing is inverted but the transition of
L, and nothing is subtracted from a covariance.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.sequence.lds.diffuse import CellStep, DiffuseDistribution, Move, with_infinities
from novum.sequence.lds.directions import cleaned
from novum.sequence.lds.rounding import EPS

__all__ = ["Coordinates", "DiffuseRow", "smooth_diffuse"]

Array = NDArray[Any]

SMALL = 32 * EPS  # share of the sizes that it is made of, below which a cell is zero


class DiffuseRow(NamedTuple):
    """A row that the filter passed with a diffuse distribution."""

    predicted: DiffuseDistribution
    filtered: DiffuseDistribution
    steps: list[CellStep]
    move: Move


class Coordinates(NamedTuple):
    """The distribution of (w, y) given all rows."""

    w: Array  # (m,)
    y: Array  # (q,)
    w_root: Array  # (m, k)
    y_root: Array  # (q, k): of the same k standard normal numbers
    unknown: Array  # (q, any): directions of y of infinite variance
    size: Array  # of the numbers that these are made of

    def compressed(self) -> "Coordinates":
        """Return the same with as few columns as rows."""
        stacked = np.vstack([self.w_root, self.y_root])
        if stacked.shape[1] > stacked.shape[0]:
            stacked = np.asarray(np.linalg.qr(stacked.T, mode="r")).T
        return self._replace(w_root=stacked[: len(self.w)], y_root=stacked[len(self.w) :])


def turned(by: Array, by_size: Array, directions: Array, size: Array) -> tuple[Array, Array]:
    """Return a product without the cells that are rounding relative to the sizes of what it is made of, and those sizes."""
    found, size = by @ directions, np.maximum(np.abs(by), by_size) @ np.abs(directions) + np.abs(by) @ size
    rounding = np.abs(found) <= SMALL * size
    found[rounding] = size[rounding] = 0.0
    return found, size


def before_cells(found: Coordinates, steps: list[CellStep]) -> Coordinates:
    """Return the distribution of the coordinates before a row's cells from that after them."""
    for step in reversed(steps):
        if step.null is None:
            w = found.w + step.gain - step.shrink * step.along * (step.along @ found.w)
            w_root = found.w_root - step.shrink * np.outer(step.along, step.along @ found.w_root)
            found = found._replace(w=w, w_root=w_root)
            continue
        weights = np.append(step.along, step.deviation)
        y = step.gain * (step.innovation - weights @ found.w) + step.null @ found.y
        y_root = step.null @ found.y_root - np.outer(step.gain, weights @ found.w_root)
        unknown = turned(step.null, step.null_size, found.unknown, found.size)
        found = Coordinates(found.w[:-1], y, found.w_root[:-1], y_root, *unknown)
    return found


def after_row(found: Coordinates, move: Move) -> Coordinates:
    """Return the distribution of the coordinates after a row from that before the next."""
    fresh = move.fresh.shape[1]
    unknown, size = turned(move.moved, move.size, found.unknown, found.size)
    return Coordinates(
        move.known @ found.w,
        move.moved @ found.y,
        np.hstack([move.known @ found.w_root, move.fresh]),
        np.hstack([move.moved @ found.y_root, np.zeros((len(move.moved), fresh))]),
        np.hstack([unknown, move.lost]),
        np.hstack([size, np.abs(move.lost)]),
    )


def smooth_diffuse(
    rows: list[DiffuseRow],
    last: Coordinates | None,
    later: Array | None,
    mean: Array,
    covariance: Array,
    lag_one: Array,
) -> None:
    """Write means, covariances and lag-one covariances of the diffuse rows.

    `last` is the distribution of the coordinates of the row after them, `later` a factor of its state in the same numbers, if any.
    """
    following, unknown, informed = last, np.zeros((mean.shape[1], 0)), last is not None
    for t in range(len(rows) - 1, -1, -1):
        state = rows[t].filtered
        informed = informed or (following is not None and rows[t].move.lost.shape[1] > 0)
        if following is None:
            m, q = state.root.shape[1], state.basis.shape[1]
            found = Coordinates(np.zeros(m), np.zeros(q), np.eye(m), np.zeros((q, m)), state.scale, np.abs(state.scale))
        else:
            found = after_row(following, rows[t].move)
            if not informed:  # the distribution of y is then as it was, exactly
                found = found._replace(unknown=state.scale, size=np.abs(state.scale))
                unknown = cleaned(rows[t + 1].predicted.basis, cleaned(rows[t].move.part, state.scale))
        factor, infinite = (
            state.root @ found.w_root + state.basis @ found.y_root,
            turned(state.basis, state.size[0], found.unknown, found.size)[0],
        )
        mean[t] = state.mean + state.root @ found.w + state.basis @ found.y
        covariance[t] = with_infinities(factor @ factor.T, infinite)
        if following is not None and later is not None:
            shared = later.shape[1]
            pair = later @ factor[:, :shared].T
            lag_one[t] = with_infinities(pair, unknown, infinite[:, : unknown.shape[1]])
        unknown = infinite
        found = found.compressed()
        later = state.root @ found.w_root + state.basis @ found.y_root
        following = before_cells(found, rows[t].steps)
        informed = informed or any(step.null is not None for step in rows[t].steps)
