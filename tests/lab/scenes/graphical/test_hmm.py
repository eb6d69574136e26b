"""The casino: columns against sums over all paths, passes against Baum-Welch written out, the last frame against a fit."""

from itertools import product

import numpy as np
import pytest
from lab.runs import refusal_of, run_of

from novum.sequence import CategoricalHMM

STATES = [{"n": 7}, {"rolls": "6616", "six": 0.8}, {"n": 6, "stay_fair": 0.6, "stay_loaded": 0.99, "seed": 5}]
LEARN = [{"do": "learn"}, {"do": "learn", "rolls": "66666123451234566666", "six": 0.3}]


def parts(s):
    moves = [[s.stay_fair, 1 - s.stay_fair], [1 - s.stay_loaded, s.stay_loaded]]
    return np.array([0.5, 0.5]), np.array(moves), np.array([[1 / 6] * 6, [(1 - s.six) / 5] * 5 + [s.six]])


def faces(run):
    return np.array([int(face) - 1 for face in run.last.arrays["observed"]])


def joint(path, x, start, moves, dice):
    p = start[path[0]] * dice[path[0], x[0]]
    for t in range(1, len(path)):
        p *= moves[path[t - 1], path[t]] * dice[path[t], x[t]]
    return p


@pytest.mark.parametrize("state", STATES)
def test_every_column_is_over_all_paths(state):
    run = run_of("hmm", **state)
    x, model = faces(run), parts(run.state)
    assert len(run.frames) == len(x)
    for frame in run.frames:
        t = frame.n
        joints = {path: joint(path, x[:t], *model) for path in product(range(2), repeat=t)}
        total, best = sum(joints.values()), max(joints, key=joints.get)
        assert frame.values["L"] == pytest.approx(np.log(total), rel=1e-12)
        assert frame.values["delta"] == pytest.approx(np.log(joints[best]), rel=1e-12)
        assert tuple(frame.arrays["path"]) == best
        deltas = [max(p for path, p in joints.items() if path[-1] == j) for j in range(2)]
        assert frame.arrays["log_delta"][t - 1] == pytest.approx(np.log(deltas), rel=1e-6)
        loaded = [sum(p for path, p in joints.items() if path[i] == 1) / total for i in range(t)]
        assert frame.arrays["smoothed"] == pytest.approx(loaded, rel=1e-6)
        assert frame.arrays["filtered"][-1] == pytest.approx(loaded[-1], rel=1e-6)


def test_pointers_lead_along_the_best_path():
    run = run_of("hmm")
    back = {(t, j): i for t, i, j in run.last.arrays["pointers"]}
    path = run.last.arrays["path"].tolist()
    assert all(back[t, path[t]] == path[t - 1] for t in range(1, len(path)))


@pytest.mark.parametrize("state", LEARN)
def test_a_pass_is_baum_welch(state):
    run = run_of("hmm", **state)
    x, (start, moves, dice) = faces(run), parts(run.state)
    for frame in run.frames[:4]:
        assert frame.arrays["dice"] == pytest.approx(dice, rel=1e-6)
        assert frame.arrays["moves"] == pytest.approx(moves, rel=1e-6)
        alpha, beta = np.zeros((len(x), 2)), np.ones((len(x), 2))
        alpha[0] = start * dice[:, x[0]]
        for t in range(1, len(x)):
            alpha[t] = alpha[t - 1] @ moves * dice[:, x[t]]
        for t in range(len(x) - 2, -1, -1):
            beta[t] = moves @ (dice[:, x[t + 1]] * beta[t + 1])
        assert frame.values["L"] == pytest.approx(np.log(alpha[-1].sum()), rel=1e-12)
        gamma = alpha * beta / alpha[-1].sum()
        xi = sum(np.outer(alpha[t], dice[:, x[t + 1]] * beta[t + 1]) * moves for t in range(len(x) - 1))
        start, moves = gamma[0], xi / xi.sum(axis=1, keepdims=True)
        dice = np.array([[gamma[x == face, j].sum() for face in range(6)] for j in range(2)])
        dice /= dice.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("state", LEARN)
def test_the_last_pass_is_the_fit(state):
    run = run_of("hmm", **state)
    model = CategoricalHMM(2, n_features=6, init_params="", max_iter=60, tol=1e-3)
    model.startprob_, model.transmat_, model.emissionprob_ = parts(run.state)
    X = faces(run)[:, None]
    assert run.last.values["L"] == float(model.fit(X).score(X))
    gains = np.diff(run.shown())
    assert (gains > -1e-9).all() and len(gains) > 2


def test_faces_that_no_die_has_are_refused():
    assert refusal_of("hmm", rolls="1270")[1] == "rolls"
