"""Grid worlds that scenes plan and learn in: prepared maps, painted ones as numbers, and values on the cells.

A painted map is rows of numbers, each the place of its letter in `LETTERS`: free, wall, exit, bad exit, start, cliff.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.lab.calls import Call
from novum.lab.controls import Matrix, Refusal

__all__ = ["LETTERS", "MAPS", "arrows_on_grid", "cells_of", "codes_of", "map_of", "on_grid", "painting", "world_call"]

LETTERS = ".#+-SC"
KINDS = ("free", "wall", "exit", "exit", "start", "cliff")
MAPS = {
    "room": "...+\n.#.-\nS...",
    "corridor": "-..S...+",
    "rooms": "S..#...\n...#...\n.......\n...#..-\n...#..+",
    "cliff": "........\n........\n........\nSCCCCCC+",
}
MOST_SIDE = 12  # cells


def painting() -> Matrix:
    """Return the control that holds a painted map; None where nothing is painted since `world` was chosen."""
    return Matrix("world", None, 0, len(LETTERS) - 1, drag="grid")


def map_of(s: Any) -> str:
    """Return the map of a state: the painted one, or the prepared one of its name."""
    if s.painted is None:
        return MAPS[s.world]
    if max(len(s.painted), len(s.painted[0])) > MOST_SIDE or any(c != int(c) for row in s.painted for c in row):
        raise Refusal(f"painted: must be whole numbers on at most {MOST_SIDE} x {MOST_SIDE} cells.", "painted")
    text = "\n".join("".join(LETTERS[int(c)] for c in row) for row in s.painted)
    if "." not in text and "S" not in text:
        raise Refusal("painted: there is no free cell; take a wall or an exit away.", "painted")
    if "C" in text and text.count("S") != 1:
        raise Refusal("painted: a cliff leads back to the start; paint exactly one S.", "painted")
    return text


def world_call(s: Any, exits: dict[str, float], **options: Any) -> Call:
    """Return the call that makes the process of a state's map."""
    return Call("novum.reinforcement.grid_world", map_of(s), exits=exits, **options)


def codes_of(text: str) -> list[list[int]]:
    """Return a map as numbers."""
    return [[LETTERS.index(letter) for letter in line] for line in text.split("\n")]


def cells_of(text: str) -> list[dict[str, Any]]:
    """Return the cells of a map as the view of grids draws them."""
    return [
        {"r": r, "c": c, "kind": KINDS[LETTERS.index(letter)], "text": letter if letter in "+-S" else ""}
        for r, line in enumerate(text.split("\n"))
        for c, letter in enumerate(line)
    ]


def on_grid(mdp: Any, values: NDArray) -> NDArray:
    """Return what belongs to states (n_states, ...) on the cells of the map, NaN where there is no state."""
    cells = mdp.layout.cells
    out = np.full((*cells.shape, *np.shape(values)[1:]), np.nan)
    out[cells >= 0] = np.asarray(values, float)[cells[cells >= 0]]
    return out


def arrows_on_grid(mdp: Any, policy: Any) -> NDArray[np.int32]:
    """Return the action of every cell, -1 where there is none to take."""
    action = np.where(mdp.model.terminal, -1, policy.probabilities.argmax(axis=1))
    return np.asarray(np.nan_to_num(on_grid(mdp, action), nan=-1)).astype(np.int32)
