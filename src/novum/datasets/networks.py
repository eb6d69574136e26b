"""The notes' Bayesian networks.

    P(x_1, ..., x_n) = prod_i P(x_i | parents of x_i)                                                            (1)
A loader returns a `novum.graphical.BayesianNetwork` that also carries `facts`, what the notes compute or say about it, and
`DESCR`. Networks of which the notes give the graph only have no tables.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from novum.runtime.checks import check_choice

__all__ = ["joint_table", "load_fuel_gauge", "load_gene_network", "load_network"]


def joint_table(network: Any) -> NDArray[np.float64]:
    """Return (1) as an array with one axis per node."""
    letter = {node: chr(ord("a") + i) for i, node in enumerate(network.nodes)}
    operands = [
        ("".join(letter[p] for p in network.parents[node]) + letter[node], network.tables[node])
        for node in network.nodes
    ]
    return np.einsum(",".join(s for s, _ in operands) + "->" + "".join(letter.values()), *(t for _, t in operands))


def make_network(
    name: str,
    parents: Mapping[str, Sequence[str]],
    description: str,
    states: Mapping[str, Sequence[str]] | None = None,
    tables: Mapping[str, ArrayLike] | None = None,
    **facts: Any,
) -> Any:
    """Put a network together; nodes without named states are ("no", "yes")."""
    from novum.graphical import BayesianNetwork  # when needed: a family takes a while to import

    states = {node: tuple((states or {}).get(node, ("no", "yes"))) for node in parents}
    network: Any = BayesianNetwork(parents, tables, states, name)
    network.facts, network.DESCR = facts, description
    return network


def load_fuel_gauge() -> Any:
    """Return the car's fuel system: battery -> gauge <- fuel.

    Examples
    --------
    >>> from novum.datasets import load_fuel_gauge
    >>> car = load_fuel_gauge()
    >>> car
    BayesianNetwork: battery -> gauge <- fuel; 3 variables, 6 free parameters (the full joint has 7)
    >>> car.tables["gauge"][0, 1]  # battery flat, fuel full: gauge empty, gauge full
    array([0.8, 0.2])
    """
    return make_network(
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


def load_gene_network() -> Any:
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
    return make_network(
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


def load_network(name: str) -> Any:
    """Return one of the notes' small networks by name.

    Parameters
    ----------
    name : {"rain", "covid", "wet", "burglar", "burglar_call", "d_separation", "d_separation_large", "polytree"}
        Forks, a chain and colliders as stories; the graphs of the d-separation exercises; the poly-tree A -> B <- C <- D,
        which alone has tables. `facts["d_separated"]` and `facts["connected"]` list triples (a, b, given).

    Examples
    --------
    >>> from novum.datasets import load_network
    >>> load_network("burglar_call")
    BayesianNetwork: burglar -> alarm <- earthquake, alarm -> call; 4 variables, no tables
    """
    check_choice("load_network", "name", name, (*GRAPHS, "polytree"))
    if name == "polytree":
        return make_network(
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
    return make_network(name, parents, f"{story} (000 section 8.2.1).", **facts)
