r"""Learning to play by playing: a linear evaluation of boards, mended after every game (Mitchell's design of a learning program).

    V(b) = sum_i w_i f_i(b)                                                       of the board that I leave to the other         (1)
    training values: V_train(b) = V(next board that I leave), and of my last board the result: 1, 0 or -1                        (2)
    w_i <- w_i + c f_i(b) (V_train(b) - V(b))                                     the LMS rule                                   (3)
    P = games won / games played                                                  against a given opponent                       (4)

Task: to play. Performance: (4). Experience: games against oneself, a random player or one who looks ahead.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from novum.exceptions import DataError, ParameterError, ParameterTypeError
from novum.report.legends import draw_legend
from novum.report.numbers import counted, num
from novum.report.result import Result, result
from novum.runtime.checks import check_count, check_number
from novum.runtime.random import seed_of
from novum.runtime.typing import Numbers, Seed
from novum.teaching.games.checkers import Checkers
from novum.teaching.games.rules import Game, Player, random_player
from novum.teaching.games.search import minimax_player
from novum.teaching.games.tic_tac_toe import ConnectFour, TicTacToe

__all__ = ["GAMES", "LinearEvaluation", "SelfPlay", "Tournament", "self_play", "tournament", "win_rate"]

GAMES: dict[str, type[Game[Any]]] = {"tic-tac-toe": TicTacToe, "connect-four": ConnectFour, "checkers": Checkers}
OPPONENT_DEPTH = {
    "tic-tac-toe": 9,
    "connect-four": 3,
    "checkers": 3,
}  # of "minimax": to the end, or what takes milliseconds
SMALL = 0.01  # first weights


class LinearEvaluation:
    """A weighted sum of features (1) that plays: the move whose board is worth most, any of the best.

    Parameters
    ----------
    game : Game
    weights : array-like of shape (n_features,)
    """

    def __init__(self, game: Game[Any], weights: Numbers) -> None:
        self.game = game
        self.weights = np.array(weights, dtype=np.float64)
        if self.weights.shape != (len(game.feature_names),):
            raise DataError(
                f"LinearEvaluation: {game!r} has {counted(len(game.feature_names), 'feature')}; weights has "
                f"shape {self.weights.shape}."
            )

    def __repr__(self) -> str:
        terms = (f"{num(w):+.3f} {name}" for w, name in zip(self.weights, self.game.feature_names))
        return f"LinearEvaluation({self.game.name}: {', '.join(terms)})"

    def value(self, state: Any) -> float:
        """Return (1) for the player who has just moved; the result where the game is over."""
        ended = self.game.result(state)
        if ended is not None:
            return float(-ended * self.game.player(state))
        return float(self.weights @ self.game.features(state))

    def __call__(self, game: Game[Any], state: Any, generator: np.random.Generator) -> Any:
        moves = game.moves(state)
        values = np.array([self.value(game.play(state, move)) for move in moves])
        best = np.flatnonzero(values == values.max())
        return moves[int(best[0] if best.size == 1 else generator.choice(best))]


def lms_step(weights: NDArray[np.float64], features: NDArray[np.float64], target: float, rate: float) -> None:
    """Apply (3) in place."""
    weights += rate * (target - float(weights @ features)) * features


def game_boards(game: Game[Any], players: dict[int, Player], generator: np.random.Generator) -> tuple[list[Any], int]:
    """Play one game; return every state that was reached, and the result."""
    states = [game.start()]
    while (ended := game.result(states[-1])) is None:
        state = states[-1]
        states.append(game.play(state, players[game.player(state)](game, state, generator)))
    return states, ended


def win_rate(results: Sequence[Any]) -> float:
    """Return (4), games won over games played, of results 1, 0 and -1.

    P = games won / games played    (4)
    """
    played = np.asarray(results)
    if played.ndim != 1 or not played.size or not np.isin(played, (-1, 0, 1)).all():
        raise DataError("win_rate: give the results of games: 1 for won, 0 for drawn, -1 for lost.")
    return float((played == 1).mean())


@result
class Tournament(NamedTuple):
    """Games of one player against another; (4) with Wilson's interval at 95 %."""

    wins: int
    draws: int
    losses: int
    win_rate: float
    low: float
    high: float


def tournament(
    game: Game[Any], player: Player, opponent: Player, n_games: int = 100, random_state: Seed = None
) -> Tournament:
    """Play games, each side beginning half of them, and return what the first player made of them."""
    n = check_count("tournament", "n_games", n_games)
    generator = np.random.default_rng(seed_of(random_state))
    results = []
    for k in range(n):
        side = 1 if k % 2 == 0 else -1
        results.append(side * game_boards(game, {side: player, -side: opponent}, generator)[1])
    wins, losses = results.count(1), results.count(-1)
    z, p = float(norm.ppf(0.975)), win_rate(results)
    middle, half = (p + z * z / (2 * n)), z * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return Tournament(
        wins,
        n - wins - losses,
        losses,
        p,
        float((middle - half) / (1 + z * z / n)),
        float((middle + half) / (1 + z * z / n)),
    )


@dataclass(frozen=True, repr=False)
class SelfPlay(Result):
    """What was learned by playing, and how well it plays.

    Attributes
    ----------
    game : Game
    evaluation : LinearEvaluation
        Also a player: `evaluation(game, state, generator)` gives a move.
    games : ndarray of shape (n_checks,)
        After how many games the player was tried.
    win_rates, loss_rates : ndarray of shape (n_checks,)
        Shares of the games won and lost against a random player.
    weights : ndarray of shape (n_checks, n_features)
    experience : str
        Against whom it learned.
    """

    game: Game[Any]
    evaluation: LinearEvaluation
    games: NDArray[np.int64]
    win_rates: NDArray[np.float64]
    loss_rates: NDArray[np.float64]
    weights: NDArray[np.float64]
    experience: str

    def _result_columns(self) -> dict[str, Any]:
        table = {"games": self.games.tolist(), "won": self.win_rates.tolist(), "lost": self.loss_rates.tolist()}
        return table | {name: self.weights[:, j].tolist() for j, name in enumerate(self.game.feature_names)}

    def _result_title(self) -> str:
        return f"Task: play {self.game.name}; performance: games won against a random player; experience: {self.experience}"

    def against(
        self, opponent: str | Callable[..., Any] = "random", n_games: int = 100, random_state: Seed = None
    ) -> Tournament:
        """Return a tournament against "random", "minimax" or any player, without learning."""
        return tournament(self.game, self.evaluation, opponent_of(self.game, opponent), n_games, random_state)

    def _result_picture(self, ax: Any) -> None:
        ax.plot(self.games, self.win_rates, marker=".", label="won")
        ax.plot(self.games, self.loss_rates, marker=".", label="lost")
        ax.set_ylim(0, 1)
        ax.set_xlabel("games of experience")
        ax.set_ylabel("share against a random player")
        draw_legend(ax)


def opponent_of(game: Game[Any], opponent: Any) -> Player:
    """Return the player that a word stands for."""
    if opponent == "random":
        return random_player
    if opponent == "minimax":
        return minimax_player(OPPONENT_DEPTH.get(game.name, 2))
    if not callable(opponent):
        raise ParameterTypeError(
            f"opponent={opponent!r}: give 'random', 'minimax', or a function (game, state, generator) -> move."
        )
    return opponent


def learn_from(game: Game[Any], weights: NDArray[np.float64], states: list[Any], ended: int, rate: float) -> None:
    """Apply (3) to every board of a game, last first, with the training values (2)."""
    for side in (1, -1):
        boards = [s for s in states[1:] if -game.player(s) == side]
        target = float(ended * side)
        for k, state in enumerate(reversed(boards)):
            features = game.features(state)
            if not (k == 0 and game.result(state) is not None):  # of a finished board the value is known
                lms_step(weights, features, target, rate)
                target = float(weights @ features)


def self_play(
    game: Literal["tic-tac-toe", "connect-four", "checkers"] | Game = "tic-tac-toe",
    n_games: int = 1000,
    *,
    opponent: Literal["self", "random", "minimax"] | Callable[..., Any] = "self",
    learning_rate: float = 0.02,
    exploration: float = 0.2,
    n_checks: int = 10,
    check_games: int = 100,
    random_state: Seed = None,
) -> SelfPlay:
    """Learn a linear evaluation of boards by playing, with the LMS rule.

        V_train(b) = V(next board that I leave), at the end the result;  w_i <- w_i + c f_i(b) (V_train(b) - V(b))    (3)

    Parameters
    ----------
    game : {"tic-tac-toe", "connect-four", "checkers"} or Game, default="tic-tac-toe"
    n_games : int, default=1000
    opponent : {"self", "random", "minimax"} or callable, default="self"
        Against whom it gathers experience; a callable gets (game, state, generator) and gives a move.
    learning_rate : float, default=0.02
        c of (3), divided by the mean of the squared features, so that it means the same in every game.
    exploration : float, default=0.2
        Share of moves that are drawn at random while it learns.
    n_checks : int, default=10
        How often it is tried against a random player.
    check_games : int, default=100
        Games of a trial.
    random_state : int, Generator, RandomState, SeedSequence or None, default=None

    Returns
    -------
    SelfPlay

    Examples
    --------
    >>> from novum.teaching import self_play
    >>> learned = self_play("tic-tac-toe", 200, n_checks=2, random_state=0)
    >>> bool(learned.win_rates[-1] > 0.8)
    True
    """
    owner = "self_play"
    if isinstance(game, str):
        if game not in GAMES:
            raise ParameterError(f"{owner}(game={game!r}): games are {', '.join(map(repr, GAMES))}, or give a Game.")
        game = GAMES[game]()
    if not isinstance(game, Game):
        raise ParameterTypeError(f"{owner}(game={game!r}): give the name of a game, or a Game.")
    n_games, n_checks = check_count(owner, "n_games", n_games), check_count(owner, "n_checks", n_checks)
    rate = check_number(owner, "learning_rate", learning_rate, 0, 1, open_low=True)
    explores = check_number(owner, "exploration", exploration, 0, 1)
    check_games = check_count(owner, "check_games", check_games)
    generator = np.random.default_rng(seed_of(random_state))
    evaluation = LinearEvaluation(game, SMALL * generator.normal(size=len(game.feature_names)))

    def learner(game: Game[Any], state: Any, generator: np.random.Generator) -> Any:
        return (random_player if generator.random() < explores else evaluation)(game, state, generator)

    other = learner if opponent == "self" else opponent_of(game, opponent)
    checks = sorted({max(1, round(n_games * (k + 1) / n_checks)) for k in range(n_checks)})
    square, seen = 0.0, 0
    kept: list[tuple[float, float, NDArray[np.float64]]] = []
    for k in range(1, n_games + 1):
        side = 1 if k % 2 else -1
        states, ended = game_boards(game, {side: learner, -side: other}, generator)
        for state in states[1:]:
            square, seen = square + float(np.sum(game.features(state) ** 2)), seen + 1
        learn_from(game, evaluation.weights, states, ended, rate / (square / seen))
        if not np.isfinite(evaluation.weights).all():
            raise DataError(f"{owner}(learning_rate={learning_rate:g}): the weights left all bounds; choose less.")
        if k in checks:
            tried = tournament(game, evaluation, random_player, check_games, generator)
            kept.append((tried.wins / check_games, tried.losses / check_games, evaluation.weights.copy()))
    words = {"self": "games against itself"}.get(
        opponent if isinstance(opponent, str) else "", f"games against {opponent}"
    )
    won, lost, weights = zip(*kept)
    return SelfPlay(
        game, evaluation, np.array(checks), np.array(won), np.array(lost), np.array(weights), f"{n_games:,} {words}"
    )
