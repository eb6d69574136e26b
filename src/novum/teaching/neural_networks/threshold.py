r"""Networks of threshold units that compute Boolean functions.

    and of p positive and q negated literals    step(sum of literals - (p - 1/2)),   x counts +1, not x counts -1          (1)
    or  of p positive and q negated literals    step(sum of literals + (q - 1/2))                                         (2)
    DNF: units (1), one per term, under a unit (2);   CNF: units (2), one per clause, under a unit (1)                     (3)

Any Boolean function has such a network of two layers, perhaps of exponential size: parity of n bits needs 2^(n-1) terms, or n - 1
blocks of a xor b = (a and not b) or (not a and b) one after the other                                                  (4)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from novum.exceptions import DataError
from novum.neural_network.plots.layers import draw_network
from novum.report.axes import drawing_axes
from novum.report.legends import class_keys, draw_legend
from novum.report.result import Result
from novum.report.style import ink, series
from novum.runtime.checks import check_choice, check_count
from novum.runtime.typing import Axes, Numbers, Rows
from novum.teaching.neural_networks.logic import Literal, NormalForm, normal_form

__all__ = ["ParityNetworks", "ThresholdNetwork", "logic_to_network", "parity_network"]

GRID = 201  # points of a picture each way
MOST_BITS = 16  # of a parity that is also built with two layers


@dataclass(repr=False)
class ThresholdNetwork(Result):
    """A layered network of units that fire (1) where their sum is positive, else not (0)."""

    names: list[str]
    coefs: list[np.ndarray]  # (n_in, n_out)
    intercepts: list[np.ndarray]
    form: str = ""

    @property
    def n_units(self) -> int:
        """Units above the input."""
        return sum(w.shape[1] for w in self.coefs)

    def layer_outputs(self, X: Rows) -> list[np.ndarray]:
        """Return what the units of every layer say of rows of zeros and ones."""
        z = np.asarray(X, float)
        if z.ndim != 2 or z.shape[1] != len(self.names):
            raise DataError(
                f"ThresholdNetwork: X has shape {z.shape}; give rows of {len(self.names)} inputs {self.names}."
            )
        found = []
        for w, b in zip(self.coefs, self.intercepts):
            z = (z @ w + b > 0).astype(float)
            found.append(z)
        return found

    def predict(self, X: Rows) -> np.ndarray:
        """Return 0 or 1 for every row of zeros and ones."""
        return self.layer_outputs(X)[-1][:, 0].astype(np.int64)

    def _result_columns(self) -> dict[str, Any]:
        sizes = [w.shape for w in self.coefs]
        return {
            "layer": list(range(1, len(sizes) + 1)),
            "inputs": [n for n, _ in sizes],
            "units": [m for _, m in sizes],
        }

    def _result_scalars(self) -> dict[str, Any]:
        return {"form": self.form, "units in all": self.n_units}

    def plot(self, ax: Axes | None = None, *, most_units: int = 12) -> Axes:
        """Draw the network: weights as edges (red: negative), and the formula of every layer."""
        formulas = [rf"$z_{l + 1} = [z_{{{l}}} W_{l + 1} + b_{l + 1} > 0]$" for l in range(len(self.coefs))]
        return draw_network([len(self.names), *(w.shape[1] for w in self.coefs)], self.coefs, formulas, ax, most_units)

    def plot_regions(self, ax: Axes | None = None) -> Axes:
        """Draw, for two inputs, the four points of the truth table, the regions of the output and the lines of the hidden units."""
        if len(self.names) != 2:
            raise DataError(
                f"ThresholdNetwork.plot_regions draws two inputs in a plane; this network has {len(self.names)}."
            )
        ax = drawing_axes(ax)
        grid = np.linspace(-0.5, 1.5, GRID)
        across, up = np.meshgrid(grid, grid)
        regions = self.predict(np.column_stack([across.ravel(), up.ravel()])).reshape(across.shape)
        ax.contourf(across, up, regions, levels=[-0.5, 0.5, 1.5], alpha=0.3, colors=[series(ax, 0), series(ax, 1)])
        for w, b in zip(self.coefs[0].T, self.intercepts[0]):
            if w.any():  # the points where the unit's sum is zero, far beyond the picture both ways
                foot, along = -b * w / (w @ w), np.array([-w[1], w[0]])
                ax.plot(*np.transpose([foot - 9 * along, foot + 9 * along]), "--", color=ink(ax), linewidth=1)
        corners = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
        ax.scatter(
            *corners.T,
            c=[series(ax, 1) if true else series(ax, 0) for true in self.predict(corners)],
            edgecolor=ink(ax),
            zorder=3,
        )
        ax.set(xlim=(-0.5, 1.5), ylim=(-0.5, 1.5), xlabel=self.names[0], ylabel=self.names[1])
        ax.set(xticks=(0, 1), yticks=(0, 1), aspect="equal")
        draw_legend(ax, class_keys(ax, ("false", "true")))
        return ax


def unit(group: list[Literal], n_inputs: int, conjunction: bool) -> tuple[np.ndarray, float]:
    """Return weights and shift of (1) or (2)."""
    weights = np.zeros(n_inputs)
    for place, sign in group:
        weights[place] = 1.0 if sign else -1.0
    positive = sum(sign for _, sign in group)
    return weights, -(positive - 0.5) if conjunction else len(group) - positive - 0.5


def two_layers(form: NormalForm) -> ThresholdNetwork:
    """Return (3); without groups the output is constant."""
    n, groups = len(form.names), form.groups
    dnf = form.kind == "dnf"
    units = [unit(group, n, conjunction=dnf) for group in groups] or [(np.zeros(n), -0.5)]
    top, shift = unit([(k, True) for k in range(len(groups))], len(units), conjunction=not dnf)
    return ThresholdNetwork(
        form.names,
        [np.stack([w for w, _ in units], axis=1), top[:, None]],
        [np.array([b for _, b in units]), np.array([shift])],
        form.kind,
    )


def logic_to_network(
    formula: str | Numbers, names: Sequence[Any] | None = None, *, form: str = "auto"
) -> ThresholdNetwork:
    """Return a network of two layers of threshold units that computes a Boolean function, by (3).

        and: step(sum of literals - (p - 1/2)),   or: step(sum of literals + (q - 1/2))    (1, 2)

    Parameters
    ----------
    formula : str or array-like of shape (2^n,)
        A formula of names with `and`, `or`, `not`, `xor` (or & | ~ ^), or a truth table in the order 00, 01, 10, 11.
    names : list of str, default=None
        Order of the inputs; as they occur, or x1, x2, ...
    form : {"auto", "dnf", "cnf"}, default="auto"
        Terms under an or, or clauses under an and; the smaller of both.

    Returns
    -------
    ThresholdNetwork
        With `predict`, `coefs`, `intercepts`, `n_units` and `plot`.

    Examples
    --------
    >>> from novum.teaching import logic_to_network
    >>> xor = logic_to_network("(x1 or x2) and (not x1 or not x2)")
    >>> xor.predict([[0, 0], [0, 1], [1, 0], [1, 1]])
    array([0, 1, 1, 0])
    >>> xor.coefs[0], xor.intercepts[0]
    (array([[ 1., -1.],
           [ 1., -1.]]), array([-0.5,  1.5]))
    """
    check_choice("logic_to_network", "form", form, ("auto", "dnf", "cnf"))
    return two_layers(normal_form(formula, names, form))


@dataclass(repr=False)
class ParityNetworks(Result):
    """The parity of n bits by two layers and by a chain of xor blocks; (4)."""

    n_bits: int
    shallow: ThresholdNetwork
    deep: ThresholdNetwork

    def _result_columns(self) -> dict[str, Any]:
        kinds = (self.shallow, self.deep)
        return {
            "network": ["two layers", "chain of xor"],
            "layers": [len(net.coefs) for net in kinds],
            "blocks": [self.shallow.coefs[0].shape[1], self.n_bits - 1],
            "units": [net.n_units for net in kinds],
        }

    def _result_scalars(self) -> dict[str, Any]:
        return {"bits": self.n_bits}

    def predict(self, X: Rows) -> np.ndarray:
        """Return the parity of every row by the deep network."""
        return self.deep.predict(X)


def xor_chain(n: int) -> ThresholdNetwork:
    """Return the chain of (4): layers that pass the bits still to come along unchanged."""
    coefs, intercepts = [], []
    for k in range(1, n):  # parity so far is the first input of a block, bit k the second, later bits follow
        later = n - 1 - k
        first = np.zeros((2 + later, 2 + later))
        first[:2, :2] = [[1, -1], [-1, 1]]
        first[2:, 2:] = np.eye(later)
        second = np.zeros((2 + later, 1 + later))
        second[:2, 0] = 1
        second[2:, 1:] = np.eye(later)
        coefs += [first, second]
        intercepts += [np.full(2 + later, -0.5), np.full(1 + later, -0.5)]
    return ThresholdNetwork([f"x{j + 1}" for j in range(n)], coefs, intercepts, "chain")


def parity_network(n_bits: int) -> ParityNetworks:
    """Return the parity of n bits as networks of two layers and of many: 2^(n-1) terms against n - 1 xor blocks (4).

    Parameters
    ----------
    n_bits : int
        From 2 to 16.

    Examples
    --------
    >>> from novum.teaching import parity_network
    >>> parity_network(4)
    Parity networks: bits 4
      network       layers  blocks  units
      two layers         2       8      9
      chain of xor       6       3     15
    """
    n = check_count("parity_network", "n_bits", n_bits, 2)
    if n > MOST_BITS:
        raise DataError(
            f"parity_network(n_bits={n}): two layers would need 2^{n - 1} units; at most {MOST_BITS} bits are built."
        )
    ones = np.bitwise_count(np.arange(1 << n, dtype=np.uint64)) % 2
    return ParityNetworks(n, logic_to_network(ones, form="dnf"), xor_chain(n))
