r"""The conditional distribution of a node given its parents.

    table:      P(x | u) = p[u, x],     p >= 0,   sum_x p[u, x] = 1 for every u                                     (1)
    noisy-or:   P(x = off | u) = (1 - leak) prod_{i on} (1 - strength_i)                                            (2)

A discrete node has `states`; a node without states is a real number. `table` is what exact inference reads.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from novum.exceptions import DataWarning, ParameterError
from novum.runtime.checks import check_number
from novum.runtime.message_text import first_few
from novum.runtime.typing import Label
from novum.runtime.warn import warn

__all__ = ["NoisyOr", "Table", "conditional_table"]

MOST_PARENTS = 24  # of a noisy-or whose table is written down
ROUNDED = 1e-2  # a printed row may miss one by its rounding; what is further off is a mistake
LEAST_ODD = 1e-5  # files keep six decimals or more
UNTOUCHED = 1e-12  # a row this near to one is kept as it is, so that files survive a round trip


def rounding_error(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how far a sum may miss one because its numbers were printed with few decimals: half a unit of the last for each."""
    out = np.full((*table.shape[:-1], 1), 0.0)
    for decimals in range(6, 0, -1):
        scaled = table * 10.0**decimals
        whole = (np.abs(scaled - np.round(scaled)) < 1e-6).all(axis=-1, keepdims=True)
        out = np.where(whole, 0.5 * table.shape[-1] * 10.0**-decimals, out)
    return out


def conditional_table(owner: str, node: Any, p: ArrayLike, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Return (1) with axes (parents, node), rows rescaled where their sum misses one by rounding."""
    try:
        table = np.array(p, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(f"{owner}: the table of {node!r} must hold numbers, in a regular array.") from None
    if table.shape != shape:
        if table.size != int(np.prod(shape)) or table.ndim > 1:
            raise ParameterError(
                f"{owner}: the table of {node!r} has shape {table.shape}; its parents in order and then itself need {shape}."
            )
        table = table.reshape(shape)
    if not np.isfinite(table).all() or (table < 0).any():
        raise ParameterError(f"{owner}: the table of {node!r} must hold finite numbers >= 0.")
    total = table.sum(axis=-1, keepdims=True)
    if (np.abs(total - 1) > ROUNDED).any():
        at = np.unravel_index(int(np.argmax(np.abs(total - 1))), total.shape)[:-1]
        where = f" for parents in states {tuple(int(i) for i in at)}" if at else ""
        raise ParameterError(f"{owner}: the table of {node!r} sums to {float(total[(*at, 0)]):.6g}{where}, not to 1.")
    off = np.abs(total - 1)
    odd = (off > LEAST_ODD) & (off >= rounding_error(table) * (1 - 1e-9))
    if odd.any():
        worst = float(total.flat[int(np.argmax(np.where(odd, off, 0)))])
        warn(
            f"{owner}: {int(odd.sum())} row(s) of the table of {node!r} do not sum to 1 (the worst to {worst:.6g}), by more "
            "than the rounding of their digits; they were rescaled. Correct them, or give more digits.",
            DataWarning,
        )
    return np.where(off > UNTOUCHED, table / total, table)


class Table:
    """P(x | parents) as an array (1).

    Parameters
    ----------
    p : ndarray
        Axes (parents in order, node).
    states : tuple
    """

    def __init__(self, p: NDArray[np.float64], states: tuple[Any, ...]) -> None:
        p.flags.writeable = False
        self.p, self.states = p, states

    def table(self) -> NDArray[np.float64]:
        return self.p

    def rows(self, parents: tuple[NDArray[np.int32], ...]) -> NDArray[np.float64]:
        """Return P(x | u) for rows of states of the parents, shape (n, states), or (states,) of a root."""
        return self.p[parents]

    @property
    def n_parameters(self) -> int:
        return int(self.p.size // self.p.shape[-1] * (self.p.shape[-1] - 1))


class NoisyOr:
    """A binary node that each active parent switches on by itself with some probability (2).

        noisy-or:   P(x = off | u) = (1 - leak) prod_{i on} (1 - strength_i)    (2)

    Parameters
    ----------
    strength : mapping of parent to float
        P(node on | this parent on, the others off), less what the leak does. A parent is on in its second state.
    leak : float, default=0
        P(node on | all parents off).
    states : (off, on), default=("no", "yes")
        Those that the network is given for the node come first.

    Examples
    --------
    >>> from novum.graphical import BayesianNetwork, NoisyOr
    >>> fever = NoisyOr({"flu": 0.8, "cold": 0.4}, leak=0.05)
    >>> network = BayesianNetwork({"flu": [], "cold": [], "fever": ["flu", "cold"]},
    ...                           {"flu": [0.9, 0.1], "cold": [0.7, 0.3], "fever": fever})
    >>> network.query("fever", evidence={"flu": "yes", "cold": "yes"})["yes"].round(4).item()
    0.886
    """

    def __init__(
        self, strength: Mapping[Any, float], leak: float = 0.0, states: tuple[Any, Any] = ("no", "yes")
    ) -> None:
        self.strength = {
            parent: check_number("NoisyOr", f"strength[{parent!r}]", value, 0, 1) for parent, value in strength.items()
        }
        self.leak = check_number("NoisyOr", "leak", leak, 0, 1)
        if len(states) != 2:
            raise ParameterError(f"NoisyOr(states={states!r}): give two states, off first.")
        self.states = tuple(states)

    def ordered(self, owner: str, node: Label, parents: tuple[Any, ...], states: tuple[Any, ...]) -> "NoisyOr":
        """Return the node with its strengths in the order of the parents, and the states of the network."""
        if set(parents) != set(self.strength):
            raise ParameterError(
                f"{owner}: NoisyOr of {node!r} has strengths for {first_few(self.strength)}; "
                f"its parents are {first_few(parents) or 'none'}."
            )
        return NoisyOr({parent: self.strength[parent] for parent in parents}, self.leak, (states[0], states[1]))

    def rows(self, parents: tuple[NDArray[np.int32], ...]) -> NDArray[np.float64]:
        """Return (2) for rows of states of the parents, shape (n, 2); no table is needed.

        noisy-or:   P(x = off | u) = (1 - leak) prod_{i on} (1 - strength_i)    (2)
        """
        off = np.array(1 - self.leak)
        for strength, codes in zip(self.strength.values(), parents, strict=True):
            off = off * np.where(codes == 1, 1 - strength, 1.0)
        return np.stack([off, 1 - off], axis=-1)

    def table(self) -> NDArray[np.float64]:
        if len(self.strength) > MOST_PARENTS:
            raise MemoryError(
                f"NoisyOr: the table of {len(self.strength)} parents has 2^{len(self.strength) + 1} cells; "
                "queries, samples and likelihoods do without it."
            )
        off = np.array(1 - self.leak)
        for strength in self.strength.values():
            off = off[..., None] * np.array([1, 1 - strength])
        return np.stack([off, 1 - off], axis=-1)

    @property
    def n_parameters(self) -> int:
        return len(self.strength) + 1
