"""Checkers (English draughts), with all its rules.

Twelve men each on the dark squares of an 8 x 8 board. Men step diagonally forward, kings also back. Whoever can capture must: a
jump over a piece of the other to the free square behind it, and on as long as the same piece can jump. A man that reaches the
last row becomes a king and its move ends. Who cannot move has lost. After forty moves of both sides without a capture or a step
of a man the game is drawn. Squares are numbered 0 to 31 from the top left, four a row; who began moves up from the bottom.
"""

from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import ParameterError
from novum.teaching.games.rules import Game

__all__ = ["Checkers", "CheckersState"]

MAN, KING = 1, 2
DRAW_PLIES = 80
LETTERS = {MAN: "x", KING: "X", -MAN: "o", -KING: "O", 0: "."}
UP, DOWN = (0, 1), (2, 3)  # directions: up left, up right, down left, down right


class CheckersState(NamedTuple):
    """Pieces on 32 squares (positive: who began), who moves next, plies since a capture or a step of a man."""

    board: tuple[int, ...]
    player: int
    quiet: int


def neighbor(square: int, direction: int) -> int | None:
    """Return the square next to a square, or None beyond the board."""
    row, column = square // 4, 2 * (square % 4) + (1 - square // 4 % 2)
    row += -1 if direction in UP else 1
    column += -1 if direction in (0, 2) else 1
    return row * 4 + column // 2 if 0 <= row < 8 and 0 <= column < 8 else None


STEP = [[neighbor(s, d) for d in range(4)] for s in range(32)]
JUMP = [[None if (over := STEP[s][d]) is None else STEP[over][d] for d in range(4)] for s in range(32)]


def directions(piece: int) -> tuple[int, ...]:
    """Return where a piece may go."""
    return (0, 1, 2, 3) if abs(piece) == KING else UP if piece > 0 else DOWN


def crowned(piece: int, square: int) -> int:
    """Return the piece that arrives on a square."""
    return piece * KING if abs(piece) == MAN and square // 4 == (0 if piece > 0 else 7) else piece


def jumps(board: list[int], square: int, piece: int) -> list[tuple[int, ...]]:
    """Return every way to go on capturing from a square, as the squares that are landed on; the board is restored."""
    found: list[tuple[int, ...]] = []
    for d in directions(piece):
        over, to = STEP[square][d], JUMP[square][d]
        if over is None or to is None or board[to] or board[over] * piece >= 0:
            continue
        taken, left = board[over], board[square]
        board[over] = board[square] = 0
        further = [] if crowned(piece, to) != piece else jumps(board, to, piece)
        board[over], board[square] = taken, left
        found += [(to, *rest) for rest in further] if further else [(to,)]
    return found


@lru_cache(maxsize=1 << 16)
def legal_moves(board: tuple[int, ...], player: int) -> tuple[tuple[int, ...], ...]:
    """Return the moves of a player, captures only where there are any: the square left and the squares landed on."""
    captures, steps = [], []
    squares = list(board)
    for s, piece in enumerate(board):
        if piece * player <= 0:
            continue
        captures += [(s, *path) for path in jumps(squares, s, piece)]
        steps += [(s, to) for d in directions(piece) if (to := STEP[s][d]) is not None and not board[to]]
    return tuple(captures or steps)


def captured(start: int, to: int) -> int | None:
    """Return the square that is jumped over, or None for a step."""
    return next((STEP[start][d] for d in range(4) if JUMP[start][d] == to), None)


def threatened(board: tuple[int, ...], player: int) -> int:
    """Return how many pieces of a player the other can capture by one jump."""
    taken = set()
    for s, piece in enumerate(board):
        if piece * player < 0:
            for d in directions(piece):
                over, to = STEP[s][d], JUMP[s][d]
                if over is not None and to is not None and board[over] * player > 0 and not board[to]:
                    taken.add(over)
    return len(taken)


class Checkers(Game[CheckersState]):
    """The game of the notes. A move is the square that is left and every square that is landed on.

    Examples
    --------
    >>> from novum.teaching.games.checkers import Checkers
    >>> game = Checkers()
    >>> game.moves(game.start())
    [(20, 16), (21, 16), (21, 17), (22, 17), (22, 18), (23, 18), (23, 19)]
    """

    name = "checkers"
    feature_names = (
        "one",
        "my pieces",
        "their pieces",
        "my kings",
        "their kings",
        "my threatened",
        "their threatened",
    )

    def start(self) -> CheckersState:
        """Return twelve men each."""
        return CheckersState((-MAN,) * 12 + (0,) * 8 + (MAN,) * 12, 1, 0)

    def player(self, state: CheckersState) -> int:
        """Return who moves next."""
        return state.player

    def moves(self, state: CheckersState) -> list[Any]:
        """Return the legal moves; none after a draw."""
        return [] if state.quiet >= DRAW_PLIES else list(legal_moves(state.board, state.player))

    def play(self, state: CheckersState, move: Any) -> CheckersState:
        """Return the state after a move."""
        path = tuple(move) if isinstance(move, tuple | list) else (move,)
        if path not in self.moves(state):
            raise ParameterError(f"Checkers.play(move={move!r}): legal moves are {self.moves(state)}.")
        board = list(state.board)
        piece, loud = board[path[0]], abs(board[path[0]]) == MAN
        board[path[0]] = 0
        for start, to in pairwise(path):
            if (over := captured(start, to)) is not None:
                board[over] = 0
                loud = True
        board[path[-1]] = crowned(piece, path[-1])
        return CheckersState(tuple(board), -state.player, 0 if loud else state.quiet + 1)

    def result(self, state: CheckersState) -> int | None:
        """Return the winner where one cannot move, 0 after forty quiet moves, None while the game goes on."""
        if not legal_moves(state.board, state.player):
            return -state.player
        return 0 if state.quiet >= DRAW_PLIES else None

    def features(self, state: CheckersState) -> NDArray[np.float64]:
        """Return f_0 to f_6 of the notes: pieces, kings and threatened pieces, mine and theirs."""
        me = -state.player
        signs = np.array(state.board) * me
        own, other = signs > 0, signs < 0
        kings = np.abs(signs) == KING
        return np.array(
            [
                1.0,
                own.sum(),
                other.sum(),
                (own & kings).sum(),
                (other & kings).sum(),
                threatened(state.board, me),
                threatened(state.board, -me),
            ]
        )

    def text(self, state: CheckersState) -> str:
        """Return the board; x moves up, o down, capitals are kings."""
        rows = [[" "] * 8 for _ in range(8)]
        for s, piece in enumerate(state.board):
            rows[s // 4][2 * (s % 4) + (1 - s // 4 % 2)] = LETTERS[piece]
        return "\n".join("".join(row).rstrip() for row in rows)
