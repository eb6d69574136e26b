"""Evaluations learned by play: the LMS rule by hand, and programs that play better for it."""

import numpy as np
import pytest
from scipy.stats import binomtest

from novum.exceptions import DataError, ParameterError
from novum.teaching import self_play
from novum.teaching.games.rules import random_player
from novum.teaching.games.self_play import LinearEvaluation, learn_from, lms_step, tournament, win_rate
from novum.teaching.games.tic_tac_toe import TicTacToe


@pytest.mark.notes("001", "linear-evaluation")
def test_evaluation_is_a_weighted_sum_of_board_features():
    game = TicTacToe()
    state = game.start()
    for square in (4, 0, 2):
        state = game.play(state, square)
    # x has just moved: 4 and 2 share a line that is open; o has 0
    expected = [1, 3, 1, 1, 0, 1, 0]
    assert game.features(state).tolist() == expected
    weights = np.array([0.1, 0.2, 0.5, -0.3, -0.7, 0.05, 0.9])
    assert LinearEvaluation(game, weights).value(state) == pytest.approx(float(np.dot(weights, expected)))
    assert game.feature_names[0] == "one"
    with pytest.raises(DataError, match="7 features"):
        LinearEvaluation(game, [1.0])


@pytest.mark.notes("001", "linear-evaluation")
def test_lms_by_hand():
    w = np.zeros(3)
    lms_step(w, np.array([1.0, 2, 1]), 1.0, 0.1)
    np.testing.assert_allclose(w, [0.1, 0.2, 0.1])
    lms_step(w, np.array([1.0, 0, 3]), -1.0, 0.1)
    np.testing.assert_allclose(w, [-0.04, 0.2, -0.32])


@pytest.mark.notes("001", "checkers-task")
@pytest.mark.notes("001", "self-play-loop")
def test_learning_from_one_game():
    game = TicTacToe()
    states = [game.start()]
    for square in (0, 3, 1, 4, 2):  # x wins with the top row
        states.append(game.play(states[-1], square))
    weights = np.linspace(-0.2, 0.3, 7)
    expected = weights.copy()
    for boards, target in (([states[3], states[1]], 1.0), ([states[4], states[2]], -1.0)):
        for board in boards:  # last first: the result, then the value of the board after
            f = game.features(board)
            expected += 0.05 * (target - expected @ f) * f
            target = expected @ f
    learn_from(game, weights, states, 1, 0.05)
    np.testing.assert_allclose(weights, expected, rtol=1e-12)
    before = tournament(game, LinearEvaluation(game, np.zeros(7)), random_player, 200, 0)
    learned = self_play("tic-tac-toe", 600, n_checks=3, random_state=1)
    after = learned.against("random", 200, random_state=0)
    assert after.losses < 0.05 * 200 < before.losses and after.win_rate > 0.85
    assert learned.against("minimax", 20, random_state=0).losses <= 6
    assert "experience: 600 games against itself" in repr(learned)
    line = learned.plot().get_lines()[0]
    np.testing.assert_array_equal(line.get_ydata(), learned.win_rates)


@pytest.mark.notes("001", "win-rate")
def test_win_rate_counts_wins_only():
    assert win_rate([1, 0, -1, 1]) == 0.5
    assert win_rate([0, 0]) == 0
    for bad in ([], [2], [[1]]):
        with pytest.raises(DataError, match="results of games"):
            win_rate(bad)
    always = tournament(TicTacToe(), LinearEvaluation(TicTacToe(), np.zeros(7)), random_player, 1, 0)
    assert always.wins + always.draws + always.losses == 1
    many = tournament(TicTacToe(), random_player, random_player, 40, 0)
    wilson = binomtest(many.wins, 40).proportion_ci(0.95, method="wilson")
    assert (many.win_rate, many.low, many.high) == pytest.approx((many.wins / 40, wilson.low, wilson.high))
    assert many.wins + many.draws + many.losses == 40 and 0 < many.wins < 40


@pytest.mark.parametrize(("game", "opponent", "n"), [("connect-four", "minimax", 40), ("checkers", "random", 40)])
def test_other_games_and_opponents(game, opponent, n):
    learned = self_play(game, n, opponent=opponent, n_checks=1, check_games=20, random_state=0)
    assert learned.win_rates[-1] >= 0.6
    assert opponent in learned.experience


def test_seeds_repeat():
    one, two = (self_play("tic-tac-toe", 40, n_checks=2, random_state=3) for _ in range(2))
    np.testing.assert_array_equal(one.weights, two.weights)
    np.testing.assert_array_equal(one.win_rates, two.win_rates)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"game": "chess"}, "chess"),
        ({"game": 3}, "Game"),
        ({"n_games": 0}, "n_games"),
        ({"opponent": "nobody"}, "opponent"),
        ({"learning_rate": 0}, "learning_rate"),
        ({"exploration": 2}, "exploration"),
    ],
)
def test_bad_options_are_named(options, words):
    with pytest.raises(ParameterError, match=words):
        self_play(**options)
