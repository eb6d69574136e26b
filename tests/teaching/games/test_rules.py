"""Rules against counts that others have published, and positions that can be checked by eye."""

from collections import Counter
from functools import cache

import numpy as np
import pytest

from novum.exceptions import ParameterError
from novum.teaching.games.checkers import DRAW_PLIES, KING, MAN, Checkers, CheckersState
from novum.teaching.games.search import minimax, minimax_player
from novum.teaching.games.self_play import game_boards
from novum.teaching.games.tic_tac_toe import ConnectFour, LineState, TicTacToe


def count(game, state, depth):
    return 1 if depth == 0 else sum(count(game, game.play(state, move), depth - 1) for move in game.moves(state))


def board(**pieces):
    squares = [0] * 32
    for name, piece in pieces.items():
        squares[int(name[1:])] = piece
    return tuple(squares)


@pytest.mark.notes("001", "checkers-task")
def test_checkers_has_as_many_games_as_published():
    game = Checkers()
    assert [count(game, game.start(), d) for d in range(1, 7)] == [7, 49, 302, 1469, 7361, 36768]
    state = CheckersState(board(s17=MAN, s13=-MAN, s5=-MAN, s3=-MAN, s30=MAN), 1, 3)
    assert game.moves(state) == [(17, 8, 1)]  # a capture must be made, and made to its end
    after = game.play(state, (17, 8, 1))
    assert after.board == board(s1=KING, s3=-MAN, s30=MAN) and after.player == -1 and after.quiet == 0
    crown = CheckersState(board(s9=MAN, s6=-MAN, s7=-MAN, s5=-MAN), 1, 0)
    ways = game.moves(crown)
    assert ways == [(9, 0), (9, 2)]  # becoming a king ends the move, though (2) could jump on over 7
    kings = CheckersState(board(s14=KING, s0=-MAN), 1, 0)
    assert sorted(game.moves(kings)) == [(14, 9), (14, 10), (14, 17), (14, 18)]
    around = CheckersState(board(s22=KING, s18=-MAN, s10=-MAN, s9=-MAN, s17=-MAN), 1, 0)
    # a king may come back to where it began, either way round
    assert sorted(game.moves(around)) == [(22, 13, 6, 15, 22), (22, 15, 6, 13, 22)]
    stuck = CheckersState(board(s28=MAN, s24=-KING, s21=-KING), 1, 0)
    assert game.moves(stuck) == [] and game.result(stuck) == -1
    quiet = CheckersState(board(s14=KING, s0=-KING), 1, DRAW_PLIES)
    assert game.result(quiet) == 0 and game.moves(quiet) == []
    with pytest.raises(ParameterError, match="legal moves"):
        game.play(game.start(), (20, 12))


def test_checkers_features_are_the_players_own():
    game = Checkers()
    state = CheckersState(board(s17=MAN, s13=-MAN, s30=KING, s3=-KING), -1, 0)  # +1 has just moved
    assert game.features(state).tolist() == [1, 2, 2, 1, 1, 1, 1]
    assert "X" in game.text(state) and "O" in game.text(state)


@pytest.mark.notes("000-c", "env-examples")
@pytest.mark.notes("001", "checkers-task")
def test_tic_tac_toe_has_as_many_games_as_published():
    """255,168 games, of which the first player wins 131,184, the second 77,904 and none 46,080."""
    game = TicTacToe()

    @cache
    def ends(state):
        if (result := game.result(state)) is not None:
            return Counter([result])
        return sum((ends(game.play(state, move)) for move in game.moves(state)), Counter())

    assert ends(game.start()) == {1: 131_184, -1: 77_904, 0: 46_080}


@pytest.mark.notes("001", "game-value")
def test_exact_values():
    game = TicTacToe()
    assert minimax(game).value == 0
    fork = LineState(0b000000001 | 0b100000000, 0b000010000, -1)  # x on two corners, o in the middle, o to move
    plain = plain_value(game, fork)
    assert minimax(game, fork).value == plain == 0
    won = LineState(0b000000011, 0b000011000, 1)
    assert minimax(game, won)[:2] == (1.0, 2)
    lost = LineState(0b100000001, 0b000100010, -1)
    assert minimax(game, lost).value == plain_value(game, lost)
    assert minimax(ConnectFour(4, 4)).value == 0  # Tromp's table of small boards
    assert minimax(ConnectFour(3, 4, connect=3)).value == 1
    with pytest.raises(ParameterError, match="not solved"):
        minimax(Checkers(), most_positions=2000)


def plain_value(game, state):
    ended = game.result(state)
    if ended is not None:
        return ended
    values = [plain_value(game, game.play(state, move)) for move in game.moves(state)]
    return max(values) if game.player(state) == 1 else min(values)


def test_pruned_search_agrees_with_plain_recursion():
    game, rng = TicTacToe(), np.random.default_rng(0)
    for _ in range(25):
        state = game.start()
        for _ in range(int(rng.integers(2, 6))):
            if not game.moves(state):
                break
            state = game.play(state, rng.choice(game.moves(state)))
        assert minimax(game, state).value == plain_value(game, state)


def test_two_perfect_players_draw():
    perfect = minimax_player()
    for seed in range(3):
        assert game_boards(TicTacToe(), {1: perfect, -1: perfect}, np.random.default_rng(seed))[1] == 0


def test_connect_four_counts_and_lines():
    game = ConnectFour()
    assert [count(game, game.start(), d) for d in range(1, 6)] == [7, 49, 343, 2401, 16807]
    state = game.start()
    for column in (3, 3, 2, 2, 1, 1):
        state = game.play(state, column)
    assert minimax(game, state, depth=2).value == 1.0
    done = game.play(state, 0)
    assert game.result(done) == 1 and game.moves(done) == []
    full = game.start()
    for column in [0] * 6:
        full = game.play(full, column)
    assert 0 not in game.moves(full)
    with pytest.raises(ParameterError, match="columns"):
        game.play(full, 0)
    with pytest.raises(ParameterError, match="connect=9"):
        ConnectFour(connect=9)
