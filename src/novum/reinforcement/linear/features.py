r"""Features of states: tiles, radial functions, Fourier's cosines.

x are the coordinates scaled to [0, 1] by `low` and `high`.

    tiles     n_tilings grids of n_tiles a side, the k-th moved by k (1, 3, 5, ...) / n_tilings of a tile; one in each is on     (1)
    rbf       exp(-|x - c|^2 / (2 s^2)), c on a grid of n_centers a side, s = 1 / (n_centers - 1), normalised to sum one         (2)
    fourier   cos(pi c'x), c in {0, ..., order}^d                                                                                (3)
    linear    1, x                                                                                                               (4)
    one-hot   a feature for every state of a finite space: then everything is a table                                            (5)
"""

from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError, ParameterError
from novum.runtime.checks import check_choice, check_count, vector
from novum.runtime.typing import Numbers

__all__ = ["StateFeatures"]

KINDS = ("tiles", "rbf", "fourier", "linear", "one-hot")
MOST_FEATURES = 2_000_000
Active = tuple[Any, NDArray[np.float64]]  # where features are not zero (indices, or all), and their values


class StateFeatures:
    """A vector of features for every state.

    Parameters
    ----------
    kind : {"tiles", "rbf", "fourier", "linear", "one-hot"}, default="tiles"
    low, high : array-like of shape (n_coordinates,), default=None
        Bounds of the coordinates; what lies outside is moved to the bound. None: those of the environment's observations.
    n_tilings : int, default=8
        Of "tiles".
    n_tiles : int, default=8
        Tiles a side, of "tiles".
    n_centers : int, default=5
        Centers a side, of "rbf".
    order : int, default=3
        Highest frequency, of "fourier".

    Examples
    --------
    >>> from novum.reinforcement import StateFeatures
    >>> cosines = StateFeatures("fourier", low=[0], high=[2], order=2).prepare()
    >>> cosines([0.5]).round(4).tolist()  # cos(0), cos(pi/4), cos(pi/2)
    [1.0, 0.7071, 0.0]
    """

    def __init__(
        self,
        kind: str = "tiles",
        *,
        low: Numbers | None = None,
        high: Numbers | None = None,
        n_tilings: int = 8,
        n_tiles: int = 8,
        n_centers: int = 5,
        order: int = 3,
    ) -> None:
        name = "StateFeatures"
        self.kind = check_choice(name, "kind", kind, KINDS)
        self.low, self.high = low, high
        self.n_tilings, self.n_tiles = check_count(name, "n_tilings", n_tilings), check_count(name, "n_tiles", n_tiles)
        self.n_centers, self.order = check_count(name, "n_centers", n_centers, 2), check_count(name, "order", order)
        self.n_features = 0

    def __repr__(self) -> str:
        shown = {"tiles": ("n_tilings", "n_tiles"), "rbf": ("n_centers",), "fourier": ("order",)}.get(self.kind, ())
        return f"StateFeatures({', '.join([repr(self.kind), *(f'{name}={getattr(self, name)}' for name in shown)])})"

    def prepare(self, space: Any = None) -> "StateFeatures":
        """Learn the bounds from a space of observations where none were given, and lay out the features; return self."""
        name = "StateFeatures"
        if self.kind == "one-hot" or (self.low is None and hasattr(space, "n")):
            if not hasattr(space, "n"):
                raise ParameterError(f"{name}(kind='one-hot') needs a finite space of observations, not {space}.")
            self.kind, self.n_features, self._start = "one-hot", int(space.n), int(getattr(space, "start", 0))
            return self
        low = getattr(space, "low", None) if self.low is None else self.low
        high = getattr(space, "high", None) if self.high is None else self.high
        if low is None or high is None or not (np.isfinite(low).all() and np.isfinite(high).all()):
            raise ParameterError(
                f"{name}: the coordinates of {space} have no finite bounds; give low= and high=, one number for each."
            )
        self._low = vector(name, "low", np.ravel(low))
        self._width = vector(name, "high", np.ravel(high), self._low.size) - self._low
        if not (self._width > 0).all():
            raise ParameterError(f"{name}: high must lie above low in every coordinate.")
        self._lay_out(self._low.size)
        if self.n_features > MOST_FEATURES:
            raise ParameterError(f"{name}: {self.n_features:,} features are too many; choose fewer tiles or centers.")
        return self

    def _lay_out(self, d: int) -> None:
        if self.kind == "tiles":
            side = self.n_tiles + 1  # a grid that is moved covers one tile more
            self.n_features = self.n_tilings * side**d
            moves = np.arange(self.n_tilings)[:, None] * (2 * np.arange(d) + 1) / self.n_tilings
            self._moves = moves % 1.0
            self._strides = side ** np.arange(d)
            self._firsts = np.arange(self.n_tilings) * side**d
        elif self.kind == "rbf":
            self._table = np.array(list(product(np.linspace(0, 1, self.n_centers), repeat=d)))
            self.n_features = len(self._table)
        elif self.kind == "fourier":
            self._table = np.array(list(product(range(self.order + 1), repeat=d)), dtype=float)
            self.n_features = len(self._table)
        else:
            self.n_features = 1 + d

    def active(self, state: Any) -> Active:
        """Return where the features of a state are not zero, and their values there."""
        if self.kind == "one-hot":
            return np.array([int(state) - self._start]), np.ones(1)
        x = (np.ravel(state) - self._low) / self._width
        if x.shape != self._low.shape or np.isnan(x).any():
            raise DataError(f"StateFeatures: a state has {self._low.size} coordinates, none NaN; got {state!r}.")
        x = np.clip(x, 0.0, 1.0)
        if self.kind == "tiles":
            cells = np.minimum((x * self.n_tiles + self._moves).astype(np.int64), self.n_tiles)
            return self._firsts + cells @ self._strides, np.ones(self.n_tilings)
        if self.kind == "rbf":
            phi = np.exp(-0.5 * (self.n_centers - 1) ** 2 * np.sum((self._table - x) ** 2, axis=1))
            return slice(None), phi / phi.sum()
        if self.kind == "fourier":
            return slice(None), np.cos(np.pi * (self._table @ x))
        return slice(None), np.concatenate([[1.0], x])

    def __call__(self, state: Any) -> NDArray[np.float64]:
        """Return the features of a state as a whole vector."""
        where, values = self.active(state)
        phi = np.zeros(self.n_features)
        phi[where] = values
        return phi
