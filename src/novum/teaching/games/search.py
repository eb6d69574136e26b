r"""Exact values by optimal play, and players that look ahead.

    V(b) = 1 | -1 | 0 where the game is over, else the best V(b') that who is to move can reach                          (1)

Alpha and beta cut what cannot matter; positions that were met before are not searched again. Values are those of who began.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from novum.exceptions import ParameterError
from novum.report.result import result
from novum.runtime.checks import check_count
from novum.teaching.games.rules import Game, Player

__all__ = ["BoardValue", "minimax", "minimax_player"]

EXACT, LOWER, UPPER = 0, 1, 2


@result
class BoardValue(NamedTuple):
    """The value (1) of a position for who began, a best move, and how many positions were looked at."""

    value: float
    move: Any
    n_positions: int


class TooMany(Exception):
    """More positions than allowed."""


class Search:
    """One search: its table and its count."""

    def __init__(self, game: Game[Any], evaluation: Callable[[Any], float] | None, most: int) -> None:
        self.game, self.evaluation, self.most = game, evaluation, most
        self.table: dict[tuple[Any, int], tuple[int, float, Any]] = {}
        self.count = 0

    def value(self, state: Any, depth: int, low: float, high: float) -> tuple[float, Any]:
        """Return the value for who is to move, and a best move."""
        known = self.table.get((state, depth))
        if known is not None:
            kind, value, move = known
            if kind == EXACT or (kind == LOWER and value >= high) or (kind == UPPER and value <= low):
                return value, move
        self.count += 1
        if self.count > self.most:
            raise TooMany
        player = self.game.player(state)
        ended = self.game.result(state)
        if ended is not None:
            return float(ended * player), None
        if depth == 0:
            return (0.0 if self.evaluation is None else player * self.evaluation(state)), None
        best, at, floor = -np.inf, None, low
        for move in self.game.moves(state):
            child = self.game.play(state, move)
            value = -self.value(child, depth - 1, -high, -floor)[0]
            if value > best:
                best, at = value, move
            floor = max(floor, best)
            if floor >= high:
                break
        kind = UPPER if best <= low else LOWER if best >= high else EXACT
        self.table[state, depth] = (kind, best, at)
        return best, at


def minimax(
    game: Game[Any],
    state: Any = None,
    *,
    depth: int | None = None,
    evaluation: Callable[[Any], float] | None = None,
    most_positions: int = 2_000_000,
) -> BoardValue:
    """Return the value of a position by optimal play, (1), or as far as `depth` looks.

        V(b) = 1 | -1 | 0 where the game is over, else the best V(b') that who is to move can reach    (1)

    Parameters
    ----------
    game : Game
    state : state, default=None
        None: the first.
    depth : int, default=None
        Plies to look ahead; None: to the end, which is refused where that takes too long.
    evaluation : callable, default=None
        Value, for who began, of a position at which the search ends early; None: zero.
    most_positions : int, default=2000000
        How many positions may be looked at.

    Examples
    --------
    >>> from novum.teaching.games.search import minimax
    >>> from novum.teaching.games.tic_tac_toe import TicTacToe
    >>> minimax(TicTacToe()).value  # nobody can force a win
    0.0
    """
    if not isinstance(game, Game):
        raise ParameterError(f"minimax(game={game!r}): give a game, such as TicTacToe().")
    look = 10_000 if depth is None else check_count("minimax", "depth", depth)
    search = Search(game, evaluation, check_count("minimax", "most_positions", most_positions))
    first = game.start() if state is None else state
    try:
        value, move = search.value(first, look, -np.inf, np.inf)
    except (TooMany, RecursionError):
        raise ParameterError(
            f"minimax: {game!r} was not solved within {most_positions:,} positions; give a depth, a later position or "
            "a smaller board."
        ) from None
    return BoardValue(value * game.player(first) + 0.0, move, search.count)


def minimax_player(depth: int | None = None, evaluation: Callable[[Any], float] | None = None) -> Player:
    """Return a player who looks `depth` plies ahead, to the end by default, and plays at random among equals."""

    def play(game: Game[Any], state: Any, generator: np.random.Generator) -> Any:
        moves = game.moves(state)
        search = memory.setdefault(id(game), Search(game, evaluation, 10_000_000))
        search.count = 0
        if len(search.table) > 1_000_000:
            search.table.clear()
        look = (10_000 if depth is None else depth) - 1
        values = [-search.value(game.play(state, move), look, -np.inf, np.inf)[0] for move in moves]
        best = max(values)
        equals = [move for move, value in zip(moves, values) if value >= best]
        return equals[int(generator.integers(len(equals)))]

    memory: dict[int, Search] = {}
    return play
