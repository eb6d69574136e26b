"""What a board game of two players must say of itself, and who plays it.

A state knows its board and who moves next, +1 (who began) or -1. Features describe a board to the player who has just moved:
what is mine comes first, so that one evaluation serves both sides.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

__all__ = ["Game", "Player", "random_player"]

State = TypeVar("State", bound=Hashable)
Player = Callable[[Any, Any, np.random.Generator], Any]  # (game, state, generator) -> move


class Game(ABC, Generic[State]):
    """The rules of a game of two players who know everything and win what the other loses."""

    name: str
    feature_names: tuple[str, ...]

    @abstractmethod
    def start(self) -> State:
        """Return the first state."""

    @abstractmethod
    def player(self, state: State) -> int:
        """Return who moves next: +1 or -1."""

    @abstractmethod
    def moves(self, state: State) -> list[Any]:
        """Return the legal moves; none where the game is over."""

    @abstractmethod
    def play(self, state: State, move: Any) -> State:
        """Return the state after a move."""

    @abstractmethod
    def result(self, state: State) -> int | None:
        """Return +1 or -1 for who has won, 0 for a draw, None while the game goes on."""

    @abstractmethod
    def features(self, state: State) -> NDArray[np.float64]:
        """Return numbers that describe the board to the player who has just moved; the first is one."""

    @abstractmethod
    def text(self, state: State) -> str:
        """Return the board in lines of letters."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


def random_player(game: Game[Any], state: Any, generator: np.random.Generator) -> Any:
    """Return any legal move."""
    moves = game.moves(state)
    return moves[int(generator.integers(len(moves)))]
