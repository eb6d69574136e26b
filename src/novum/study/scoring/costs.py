"""What mistakes cost: from what a user writes to a table by true and said class."""

import re
from typing import Any

import numpy as np

from novum.exceptions import ParameterError
from novum.study.data.spellings import find_label

__all__ = ["cost_table", "read_costs"]

PAIR = re.compile(r"\s*(.+?)\s*:\s*(.+?)\s*=\s*([-+.\deE]+)\s*")


def read_costs(text: str) -> dict[tuple[str, str], float]:
    """Return costs written as "true:said=cost", parted by commas.

    Examples
    --------
    >>> from novum.study.scoring.costs import read_costs
    >>> read_costs("sick:healthy=20, healthy:sick=1")
    {('sick', 'healthy'): 20.0, ('healthy', 'sick'): 1.0}
    """
    found = {}
    for piece in text.split(","):
        match = PAIR.fullmatch(piece)
        if match is None:
            raise ParameterError.of("Study", f"{piece.strip()!r} is not of the form true:said=cost.", costs=text)
        found[match[1], match[2]] = float(match[3])
    return found


def cost_table(costs: Any, labels: list[str]) -> np.ndarray | None:
    """Return the costs by true (row) and said (column) class: 0 for right ones, 1 for pairs that were left out."""
    if costs is None:
        return None
    table = 1.0 - np.eye(len(labels))
    for pair, cost in dict(costs).items():
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise ParameterError.of("Study", f"{pair!r} is no pair of classes (true, said).", costs=...)
        places = [find_label(label, labels) for label in pair]
        for label, place in zip(pair, places):
            if place is None:
                raise ParameterError.of(
                    "Study", f"{label!r} is no class; the classes are {', '.join(labels[:8])}.", costs=...
                )
        if not np.isfinite(cost):
            raise ParameterError.of("Study", f"the cost of {pair!r} is {cost!r}; it must be finite.", costs=...)
        table[places[0], places[1]] = cost
    return table
