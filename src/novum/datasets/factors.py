"""Undirected models of the notes as plain tables of factors.

    P(x) = (1/Z) prod_f f(x_f)                                                                                   (1)
`factors[name]` is the pair (variables, table), the table with one axis per variable.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.report.result import Result
from novum.runtime.checks import check_choice

__all__ = ["FactorTables", "load_factors"]

AGREE = np.array([[2.0, 1.0], [1.0, 2.0]])  # neighbours rather agree: enough to make every edge matter


@dataclass(frozen=True)
class FactorTables(Result):
    """Variables with states, and factors with tables: `factors[name] = (variables, table)`."""

    name: str
    states: dict[str, tuple[str, ...]]
    factors: dict[str, tuple[tuple[str, ...], NDArray[np.float64]]]
    facts: dict[str, Any] = field(repr=False)
    DESCR: str = field(repr=False)

    def __repr__(self) -> str:
        scopes = ", ".join(f"{name}({', '.join(scope)})" for name, (scope, _) in self.factors.items())
        return f"FactorTables {self.name}: {scopes}"


def load_factors(name: str) -> FactorTables:
    """Return one of the notes' factor graphs or Markov networks.

    Parameters
    ----------
    name : {"star", "four_cycle"}
        Three factors around x2 (x1 and x4 are leaves, x3 the root), or the cycle A - C - B - D - A, whose two independences no
        directed graph on the same four nodes has together.

    Examples
    --------
    >>> from novum.datasets import load_factors
    >>> load_factors("star")
    FactorTables star: f_a(x1, x2), f_b(x2, x3), f_c(x4, x2)
    """
    check_choice("load_factors", "name", name, ("star", "four_cycle"))
    if name == "star":
        return FactorTables(
            "star",
            {f"x{i}": ("0", "1") for i in (1, 2, 3, 4)},
            {
                "f_a": (("x1", "x2"), np.array([[1.0, 2.0], [3.0, 4.0]])),
                "f_b": (("x2", "x3"), np.array([[2.0, 1.0], [1.0, 3.0]])),
                "f_c": (("x4", "x2"), np.array([[1.0, 1.0], [2.0, 5.0]])),
            },
            {"root": "x3", "leaves": ("x1", "x4")},
            "Four variables, three factors (000 section 9.2.1).",
        )
    edges = [("A", "C"), ("C", "B"), ("B", "D"), ("D", "A")]
    return FactorTables(
        "four_cycle",
        dict.fromkeys("ABCD", ("0", "1")),
        {f"psi_{a}{b}": ((a, b), AGREE) for a, b in edges},
        {"independent": [("C", "D", ("A", "B")), ("A", "B", ("C", "D"))]},
        "Markov network on a cycle of four (002 part 2, section 2.2.1).",
    )
