"""The notes' Bayesian networks as plain tables.

    P(x_1, ..., x_n) = prod_i P(x_i | parents of x_i)                                                            (1)
`tables[node]` is an array with one axis per parent, in the order of `parents[node]`, and a last axis for the node, which
sums to one: the layout that a Bayesian network is built from. `made` is the one place where a network is put together.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from novum._checks import check_choice

__all__ = ["NetworkTables", "joint_table", "load_fuel_gauge", "load_gene_network", "load_network"]


@dataclass(frozen=True)
class NetworkTables:
    """A directed network: nodes with states, parents and, where they are known, conditional tables.

    Attributes
    ----------
    name : str
    states : dict of str to tuple of str
        The states of every node, in the order of the axes of the tables.
    parents : dict of str to tuple of str
    tables : dict of str to ndarray
        P(node | parents), axes (parents in order, node); empty for networks of which the notes give the graph only.
    facts : dict
        What the notes compute or say about it.
    DESCR : str
    """

    name: str
    states: dict[str, tuple[str, ...]]
    parents: dict[str, tuple[str, ...]]
    tables: dict[str, NDArray[np.float64]]
    facts: dict[str, Any] = field(repr=False)
    DESCR: str = field(repr=False)

    @property
    def nodes(self) -> list[str]:
        return list(self.states)

    @property
    def arcs(self) -> list[tuple[str, str]]:
        """The arcs (parent, child)."""
        return [(parent, child) for child, parents in self.parents.items() for parent in parents]

    @property
    def n_parameters(self) -> int:
        """The number of free parameters of the tables of (1)."""
        sizes = {node: len(states) for node, states in self.states.items()}
        return sum((sizes[node] - 1) * int(np.prod([sizes[p] for p in self.parents[node]])) for node in sizes)

    def __repr__(self) -> str:
        arcs = ", ".join(f"{a} -> {b}" for a, b in self.arcs)
        known = f"{self.n_parameters} free parameters" if self.tables else "no tables"
        return f"NetworkTables {self.name}: {arcs}; {len(self.states)} variables, {known}"


def joint_table(network: NetworkTables) -> NDArray[np.float64]:
    """Return (1) as an array with one axis per node."""
    letter = {node: chr(ord("a") + i) for i, node in enumerate(network.nodes)}
    operands = [
        ("".join(letter[p] for p in network.parents[node]) + letter[node], network.tables[node])
        for node in network.nodes
    ]
    return np.einsum(",".join(s for s, _ in operands) + "->" + "".join(letter.values()), *(t for _, t in operands))


def made(
    name: str,
    parents: Mapping[str, Sequence[str]],
    description: str,
    states: Mapping[str, Sequence[str]] | None = None,
    tables: Mapping[str, ArrayLike] | None = None,
    **facts: Any,
) -> NetworkTables:
    """Put a network together; nodes without named states are ("no", "yes")."""
    nodes = list(parents)
    return NetworkTables(
        name,
        {node: tuple((states or {}).get(node, ("no", "yes"))) for node in nodes},
        {node: tuple(parents[node]) for node in nodes},
        {node: np.asarray(table, dtype=np.float64) for node, table in (tables or {}).items()},
        facts,
        description,
    )


def load_fuel_gauge() -> NetworkTables:
    """Return the car's fuel system: battery -> gauge <- fuel.

    Examples
    --------
    >>> from novum.datasets import load_fuel_gauge
    >>> car = load_fuel_gauge()
    >>> car
    NetworkTables fuel gauge: battery -> gauge, fuel -> gauge; 3 variables, 6 free parameters
    >>> car.tables["gauge"][0, 1]  # battery flat, fuel full: gauge empty, gauge full
    array([0.8, 0.2])
    """
    return made(
        "fuel gauge",
        {"battery": (), "fuel": (), "gauge": ("battery", "fuel")},
        "Battery, fuel and gauge of a car (000 section 8.2.1).",
        {"battery": ("flat", "charged"), "fuel": ("empty", "full"), "gauge": ("empty", "full")},
        {
            "battery": [0.1, 0.9],
            "fuel": [0.1, 0.9],
            "gauge": [[[0.9, 0.1], [0.8, 0.2]], [[0.8, 0.2], [0.2, 0.8]]],
        },
        fuel_empty=0.1,
        fuel_empty_given_gauge_empty=0.257,
        fuel_empty_given_gauge_empty_and_battery_flat=0.111,
    )


def load_gene_network() -> NetworkTables:
    """Return the toy regulatory network: two genes that activate a third, A -> C <- B.

    Given that C is active, the most probable pair is (A inactive, B active), though each gene by itself is more probably
    active than not.

    Examples
    --------
    >>> from novum.datasets import load_gene_network
    >>> load_gene_network().tables["C"][1, 1]  # A and B active: C inactive, C active
    array([0.1, 0.9])
    """
    active = ("inactive", "active")
    return made(
        "gene network",
        {"A": (), "B": (), "C": ("A", "B")},
        "Toy regulatory network of three genes (000 section 8.1).",
        dict.fromkeys("ABC", active),
        {"A": [0.7, 0.3], "B": [0.7, 0.3], "C": [[[0.9, 0.1], [0.3, 0.7]], [[0.4, 0.6], [0.1, 0.9]]]},
    )


GRAPHS: dict[str, tuple[dict[str, tuple[str, ...]], str, dict[str, Any]]] = {
    "rain": ({"rain": (), "bike": ("rain",), "bus_delay": ("rain",)}, "A fork", {}),
    "covid": ({"covid": (), "cough": ("covid",), "temperature": ("covid",)}, "A fork", {}),
    "wet": ({"cloudy": (), "rainy": ("cloudy",), "wet": ("rainy",)}, "A chain", {}),
    "burglar": (
        {"burglar": (), "earthquake": (), "alarm": ("burglar", "earthquake")},
        "A collider",
        {"d_separated": [("burglar", "earthquake", ())], "connected": [("burglar", "earthquake", ("alarm",))]},
    ),
    "burglar_call": (
        {"burglar": (), "earthquake": (), "alarm": ("burglar", "earthquake"), "call": ("alarm",)},
        "A collider with a descendant",
        {
            "d_separated": [("burglar", "earthquake", ())],
            "connected": [("burglar", "earthquake", ("alarm",)), ("burglar", "earthquake", ("call",))],
        },
    ),
    "d_separation": (
        {"a": (), "f": (), "e": ("a", "f"), "b": ("f",), "c": ("e",)},
        "The graph of three exercises",
        {
            "d_separated": [("a", "b", ()), ("a", "b", ("f",)), ("a", "b", ("c", "f"))],
            "connected": [("a", "b", ("c",)), ("a", "b", ("e",))],
        },
    ),
    "d_separation_large": (
        {
            "1": (),
            "2": ("1",),
            "5": ("2",),
            "beta": ("5",),
            "4": ("beta",),
            "3": ("2", "4"),
            "6": ("beta",),
            "7": ("5",),
            "8": ("7",),
        },
        "A graph with the path statuses that the fifth exercise states",
        {
            "connected": [("1", "468", ("beta",))],
            "d_separated": [("1", "468", ("beta", "5"))],
            "blocked_paths": ["1-2-3-4", "1-2-5-beta-6", "1-2-5-beta-4"],
            "open_paths": ["1-2-5-7-8"],
        },
    ),
}


def load_network(name: str) -> NetworkTables:
    """Return one of the notes' small networks by name.

    Parameters
    ----------
    name : {"rain", "covid", "wet", "burglar", "burglar_call", "d_separation", "d_separation_large", "polytree"}
        Forks, a chain and colliders told as stories; the graphs of the d-separation exercises; the poly-tree A -> B <- C <- D,
        which alone has tables. `facts["d_separated"]` and `facts["connected"]` list triples (a, b, given).

    Examples
    --------
    >>> from novum.datasets import load_network
    >>> load_network("burglar_call")
    NetworkTables burglar_call: burglar -> alarm, earthquake -> alarm, alarm -> call; 4 variables, no tables
    """
    check_choice("load_network", "name", name, (*GRAPHS, "polytree"))
    if name == "polytree":
        return made(
            "polytree",
            {"A": (), "D": (), "C": ("D",), "B": ("A", "C")},
            "Poly-tree whose marginal of B needs the message of C first (000 section 9.2.1).",
            dict.fromkeys("ABCD", ("0", "1")),
            {
                "A": [0.4, 0.6],
                "D": [0.3, 0.7],
                "C": [[0.9, 0.1], [0.2, 0.8]],
                "B": [[[0.1, 0.9], [0.5, 0.5]], [[0.3, 0.7], [0.6, 0.4]]],
            },
        )
    parents, story, facts = GRAPHS[name]
    return made(name, parents, f"{story} (000 section 8.2.1).", **facts)
