"""Grid worlds from maps of text.

    .  free           #  wall            S  start (free; several: any of them)
    +  exit, +1       -  exit, -1        G  exit, goal        H  exit, hole        C  cliff: costs, and leads back to the start

A move succeeds with probability 1 - slip and goes to either side with slip / 2 each; against a wall one stays. States are named
(column, row), counted from 1 at the lower left, as in the notes' room.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from novum.exceptions import DataError, ParameterTypeError
from novum.reinforcement.layout import ARROWS, Layout
from novum.reinforcement.mdp import MDP
from novum.runtime.checks import check_number

__all__ = ["grid_world", "room_4x3"]

EXITS = {"+": 1.0, "-": -1.0, "G": 1.0, "H": -1.0}
FREE = ".S"
CLIFF = "C"
MOVES = ((-1, 0), (0, 1), (1, 0), (0, -1))  # (row, column): up, right, down, left
ROOM = "...+\n.#.-\nS..."


def grid_world(
    text: str,
    *,
    step_reward: float = -0.04,
    slip: float = 0.0,
    discount: float = 1.0,
    exits: Mapping[str, float] | None = None,
    cliff_reward: float = -100.0,
    wind: Sequence[int] | None = None,
    name: str = "grid world",
) -> MDP:
    """Return the process of a map; see the module for its letters.

    Parameters
    ----------
    text : str
        Lines of equal length.
    step_reward : float, default=-0.04
        Received in every state that is no exit.
    slip : float, default=0.0
        Probability of going to one of the sides.
    discount : float, default=1.0
        What a reward is worth a step later.
    exits : mapping, default=None
        Rewards of exits by letter, besides or instead of those above; other letters become exits by standing here.
    cliff_reward : float, default=-100.0
        Received instead of `step_reward` by whoever steps on C, and is put back to the start.
    wind : sequence of int, default=None
        How many cells every column blows upwards those who leave it.
    name : str, default="grid world"
        What it is called in messages.

    Examples
    --------
    >>> from novum.reinforcement import grid_world, value_iteration
    >>> maze = grid_world("S.#.\\n....\\n.#.G", step_reward=-1)
    >>> value_iteration(maze)
    value iteration: 7 sweeps, last change < 1e-6; the policy evaluated exactly leaves no better action: optimal
       -4.0000   -3.0000     ###     -1.0000      >  v  #  v
       -3.0000   -2.0000   -1.0000     .0000      >  >  >  v
       -4.0000     ###       .0000  +1            ^  #  >  G
    """
    if not isinstance(text, str):
        raise ParameterTypeError(f"{name}: the map must be text, lines of letters; got {type(text).__name__}.")
    rows = text.strip("\n").split("\n")
    worth = EXITS | dict(exits or {})
    slip = check_number(name, "slip", slip, 0, 1)
    width = len(rows[0])
    if any(len(row) != width for row in rows) or not width:
        raise DataError(f"{name}: the lines of the map have lengths {[len(row) for row in rows]}; they must be equal.")
    unknown = {letter for row in rows for letter in row} - set(FREE) - {"#", CLIFF} - set(worth)
    if unknown:
        raise DataError(
            f"{name}: the map has the letters {sorted(unknown)}; known are '.', 'S', '#', 'C' and the exits {sorted(worth)}."
        )
    if wind is not None and len(wind) != width:
        raise DataError(f"{name}: wind has {len(wind)} numbers for {width} columns; give one each.")
    letters = {
        (r, c): letter for r, row in enumerate(rows) for c, letter in enumerate(row) if letter not in ("#", CLIFF)
    }
    if not any(letter in FREE for letter in letters.values()):
        raise DataError(f"{name}: the map has no free cell; draw '.' or 'S' somewhere.")
    number = {place: k for k, place in enumerate(letters)}
    starts = [number[place] for place, letter in letters.items() if letter == "S"]
    cliff = any(CLIFF in row for row in rows)
    if cliff and len(starts) != 1:
        raise DataError(f"{name}: a cliff leads back to the start; draw exactly one S, not {len(starts)}.")
    cells = np.full((len(rows), width), -1, np.int64)
    for place, k in number.items():
        cells[place] = k

    def moved(place: tuple[int, int], direction: int) -> tuple[int, bool]:
        """Return where a move ends, and whether over the cliff."""
        r, c = place[0] + MOVES[direction][0], place[1] + MOVES[direction][1]
        r, c = (r, c) if 0 <= c < width else (place[0], place[1])
        r = min(max(r - (wind[place[1]] if wind is not None else 0), 0), len(rows) - 1)
        if rows[r][c] == CLIFF:
            return starts[0], True
        return (number[r, c] if (r, c) in number else number[place]), False

    table: dict[tuple[int, int], dict[str, list[tuple[float, tuple[int, int], float]]]] = {}
    names = [(c + 1, len(rows) - r) for r, c in letters]
    for place, letter in letters.items():
        if letter not in FREE:
            continue
        own = table.setdefault(names[number[place]], {})
        for a, arrow in enumerate(ARROWS):
            outcomes = []
            for turn, probability in ((0, 1 - slip), (1, slip / 2), (3, slip / 2)):
                if probability > 0:
                    target, fell = moved(place, (a + turn) % len(MOVES))
                    outcomes.append((probability, names[target], cliff_reward if fell else step_reward))
            own[arrow] = outcomes
    marks = tuple("" if letter in FREE else letter for letter in letters.values())
    ends = {names[k]: worth[mark] for k, mark in enumerate(marks) if mark}
    initial = None
    if starts:
        initial = np.zeros(len(names))
        initial[starts] = 1 / len(starts)
    made = MDP(
        table,
        ends,
        terminal=list(ends),
        discount=discount,
        initial=initial,
        states=names,
        actions=ARROWS,
        name=name,
        layout=Layout(cells, marks),
    )
    made.recipe = f"grid_world(..., step_reward={step_reward:g}, {{}})"
    return made


def room_4x3(step_reward: float = -0.04, discount: float = 1.0) -> MDP:
    """Return the notes' room: 4 columns, 3 rows, a wall at (2, 2), exits (4, 3) = +1 and (4, 2) = -1, start (1, 1).

    Moves succeed with probability 0.8 and slip to either side with 0.1.

    Examples
    --------
    >>> from novum.reinforcement import room_4x3, value_iteration
    >>> value_iteration(room_4x3()).policy
      >  >  >  +
      ^  #  ^  -
      ^  <  <  <
    """
    step_reward = check_number("room_4x3", "step_reward", step_reward)
    room = grid_world(ROOM, step_reward=step_reward, slip=0.2, discount=discount, name="room_4x3")
    room.recipe = f"room_4x3(step_reward={step_reward:g}, {{}})"
    return room
