"""Partial dependence as a block of the report: a picture for every column, and its numbers with intervals."""

from collections.abc import Callable
from typing import Any

import numpy as np

from novum.report.numbers import num
from novum.study.plots.insight import dependence_picture
from novum.study.report.blocks import Block, Cell

__all__ = ["dependence_block"]


def dependence_block(found: list[Any], output: Callable[[int], str]) -> Block:
    """Return how predictions move with columns; `output` names the prediction that a dependence is about."""
    words = [
        "What the model says on average when one column is set to a value and the others stay as they are. Thin lines: single rows"
        " (individual conditional expectations); band: the middle 80 % of the rows. Where columns go together, some of these rows"
        " could not occur."
    ]
    return Block(
        "dependence",
        "How predictions move with a column (partial dependence)",
        words,
        [(one.column, dependence_picture(one, output(one.output))) for one in found],
        "Partial dependence with 95 % intervals of the mean over rows",
        ["column", "value", "mean prediction", "95 % interval", "middle 80 % of the rows"],
        [row for one in found for row in dependence_rows(one)],
        folded=True,
    )


def dependence_rows(one: Any) -> list[list[Cell]]:
    """Return the dependence on a column as rows of a table."""
    rows = []
    for value, mean, half, low, high in zip(one.values, one.mean, one.half_width, one.lower, one.upper):
        text = str(np.datetime64(int(value), "D")) if one.days else f"{num(value):.6g}" if one.numeric else str(value)
        rows.append(
            [
                Cell(one.column),
                Cell(text, float(value) if one.numeric else ""),
                Cell(f"{num(mean):.4g}", float(mean)),
                Cell(f"{num(mean - half):.4g} to {num(mean + half):.4g}", float(mean - half)),
                Cell(f"{num(low):.4g} to {num(high):.4g}", float(low)),
            ]
        )
    return rows
