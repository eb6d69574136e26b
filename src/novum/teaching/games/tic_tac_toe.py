"""Tic-tac-toe, and connect-four with stones that fall: lines on small boards.

A line is won by `connect` stones in a row, a column or a diagonal. Both games are the same but for where a stone may be put, so
they share their lines and their features: for every number of stones, the lines that hold so many of mine and none of theirs.
"""

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import ParameterError
from novum.runtime.checks import check_count
from novum.teaching.games.rules import Game

__all__ = ["ConnectFour", "LineState", "TicTacToe"]

LETTERS = {1: "x", -1: "o", 0: "."}


class LineState(NamedTuple):
    """Stones of who began and of the other, as bits of squares counted by rows from the top left; who moves next."""

    first: int
    second: int
    player: int


class LineGame(Game[LineState]):
    """Stones in lines."""

    def __init__(self, rows: int, columns: int, connect: int) -> None:
        name = type(self).__name__
        self.rows, self.columns = check_count(name, "rows", rows), check_count(name, "columns", columns)
        self.connect = check_count(name, "connect", connect, 2)
        if connect > max(rows, columns):
            raise ParameterError(f"{name}(connect={connect}): no line of {connect} fits on {rows} x {columns} squares.")
        mine = [f"my lines of {k}" for k in range(1, connect)]
        theirs = [f"their lines of {k}" for k in range(1, connect)]
        self.feature_names = ("one", *mine, *theirs, "my center", "their center")

    @cached_property
    def lines(self) -> list[int]:
        """The squares of every line, as bits."""
        found = []
        for r in range(self.rows):
            for c in range(self.columns):
                for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                    last_r, last_c = r + (self.connect - 1) * down, c + (self.connect - 1) * right
                    if last_r < self.rows and 0 <= last_c < self.columns:
                        squares = ((r + k * down) * self.columns + c + k * right for k in range(self.connect))
                        found.append(sum(1 << square for square in squares))
        return found

    @cached_property
    def center(self) -> int:
        """The squares of the middle, as bits."""
        rows = range(self.rows) if self.columns > self.rows else range((self.rows - 1) // 2, self.rows // 2 + 1)
        columns = range((self.columns - 1) // 2, self.columns // 2 + 1)
        return sum(1 << (r * self.columns + c) for r in rows for c in columns)

    @cached_property
    def full(self) -> int:
        """All squares, as bits."""
        return (1 << (self.rows * self.columns)) - 1

    def start(self) -> LineState:
        """Return the empty board."""
        return LineState(0, 0, 1)

    def player(self, state: LineState) -> int:
        """Return who moves next."""
        return state.player

    def has_line(self, stones: int) -> bool:
        """Return whether some line is full of these stones."""
        return any(stones & line == line for line in self.lines)

    def result(self, state: LineState) -> int | None:
        """Return who has a line, 0 on a full board, None while the game goes on."""
        if self.has_line(
            state.second if state.player == 1 else state.first
        ):  # only who has just moved can have made one
            return -state.player
        return 0 if state.first | state.second == self.full else None

    def put(self, state: LineState, square: int) -> LineState:
        """Return the state after a stone of who is to move."""
        bit = 1 << square
        if state.player == 1:
            return LineState(state.first | bit, state.second, -1)
        return LineState(state.first, state.second | bit, 1)

    def features(self, state: LineState) -> NDArray[np.float64]:
        """Return one, open lines by number of stones (mine, theirs), and stones in the middle."""
        mine, theirs = (state.second, state.first) if state.player == 1 else (state.first, state.second)
        counts = np.zeros(2 * self.connect + 1)
        counts[0] = 1.0
        k = self.connect - 1
        for line in self.lines:
            a, b = (mine & line).bit_count(), (theirs & line).bit_count()
            if a and not b and a <= k:
                counts[a] += 1
            elif b and not a and b <= k:
                counts[k + b] += 1
        counts[-2:] = (mine & self.center).bit_count(), (theirs & self.center).bit_count()
        return counts

    def text(self, state: LineState) -> str:
        """Return the board in lines of letters."""
        owner = [(state.first >> s & 1) - (state.second >> s & 1) for s in range(self.rows * self.columns)]
        rows = [owner[r * self.columns : (r + 1) * self.columns] for r in range(self.rows)]
        return "\n".join(" ".join(LETTERS[o] for o in row) for row in rows)


class TicTacToe(LineGame):
    """Three in a row on nine squares, which are numbered by rows from the top left.

    Examples
    --------
    >>> from novum.teaching.games.tic_tac_toe import TicTacToe
    >>> game = TicTacToe()
    >>> state = game.start()
    >>> for square in (4, 0, 2):
    ...     state = game.play(state, square)
    >>> print(game.text(state))
    o . x
    . x .
    . . .
    """

    name = "tic-tac-toe"

    def __init__(self) -> None:
        super().__init__(3, 3, 3)

    def moves(self, state: LineState) -> list[Any]:
        """Return the empty squares, or nothing after the end."""
        if self.result(state) is not None:
            return []
        taken = state.first | state.second
        return [s for s in range(9) if not taken >> s & 1]

    def play(self, state: LineState, move: Any) -> LineState:
        """Return the state after a stone on an empty square."""
        if move not in self.moves(state):
            raise ParameterError(f"TicTacToe.play(move={move!r}): legal moves are {self.moves(state)}.")
        return self.put(state, int(move))


class ConnectFour(LineGame):
    """Four in a row with stones that fall to the lowest free square of a column.

    Parameters
    ----------
    rows, columns : int, default=6, 7
    connect : int, default=4

    Examples
    --------
    >>> from novum.teaching.games.tic_tac_toe import ConnectFour
    >>> game = ConnectFour()
    >>> len(game.moves(game.start())), len(game.lines)
    (7, 69)
    """

    name = "connect-four"

    def __init__(self, rows: int = 6, columns: int = 7, connect: int = 4) -> None:
        super().__init__(rows, columns, connect)

    def moves(self, state: LineState) -> list[Any]:
        """Return the columns with room, the middle first, or nothing after the end."""
        if self.result(state) is not None:
            return []
        taken = state.first | state.second
        return [c for c in self.order if not taken >> c & 1]

    @cached_property
    def order(self) -> list[int]:
        """Columns from the middle outwards: a search that looks there first sees more."""
        return sorted(range(self.columns), key=lambda c: abs(2 * c - self.columns + 1))

    def play(self, state: LineState, move: Any) -> LineState:
        """Return the state after a stone has fallen."""
        if move not in self.moves(state):
            raise ParameterError(f"ConnectFour.play(move={move!r}): legal columns are {sorted(self.moves(state))}.")
        taken = state.first | state.second
        square = next(s for r in reversed(range(self.rows)) if not taken >> (s := r * self.columns + int(move)) & 1)
        return self.put(state, square)
