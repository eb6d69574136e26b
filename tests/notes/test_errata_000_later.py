"""Misprints of 000 from chapter 13 on (machines, networks, reinforcement), each shown by a computation."""

import numpy as np
import pytest

from novum import datasets
from novum.ensemble import RandomForestRegressor
from novum.optimize import solve_qp


def soft_margin(X, y, C):
    """Return w, b, slack and multipliers of the soft margin by its primal and dual programmes."""
    n, d = X.shape
    Q = np.zeros((d + 1 + n, d + 1 + n))
    Q[:d, :d] = np.eye(d)
    A = -np.hstack([y[:, None] * np.column_stack([X, np.ones(n)]), np.eye(n)])
    lower = np.r_[np.full(d + 1, -np.inf), np.zeros(n)]
    z = solve_qp(Q, np.r_[np.zeros(d + 1), np.full(n, C)], A_ub=A, b_ub=-np.ones(n), lower=lower).x
    K = (y[:, None] * X) @ (y[:, None] * X).T
    alpha = solve_qp(K, -np.ones(n), A_eq=y[None].astype(float), b_eq=[0.0], lower=np.zeros(n), upper=np.full(n, C)).x
    return z[:d], z[d], z[d + 1 :], alpha


LINE = np.array([[0.0], [1.0], [2.0], [3.0], [1.6], [1.2]])
SIGN = np.array([-1, -1, 1, 1, -1, 1])


def test_000_slack_below_one_is_no_error():
    w, b, slack, _ = soft_margin(LINE, SIGN, 0.3)
    margin = SIGN * (LINE @ w + b)
    inside = (slack > 1e-6) & (slack < 1 - 1e-6)
    assert inside.any() and (margin[inside] > 0).all() and (margin[slack > 1 + 1e-6] < 0).all()


def test_000_support_vectors_have_positive_multipliers():
    w, _, slack, alpha = soft_margin(LINE, SIGN, 0.3)
    np.testing.assert_allclose((alpha * SIGN) @ LINE, w, atol=1e-6)
    assert alpha.min() > -1e-9 and np.all(slack[alpha < 0.3 - 1e-6] < 1e-6)  # only the bound ones have slack
    assert np.any(alpha > 1e-3)


def test_000_subgradient_of_the_hinge():
    x, y, lam, w, h = np.array([1.0, 2.0]), 1, 0.1, np.array([0.1, 0.2]), 1e-6

    def loss(v):
        return lam / 2 * v @ v + max(0, 1 - y * v @ x)

    slope = [(loss(w + h * e) - loss(w - h * e)) / (2 * h) for e in np.eye(2)]
    np.testing.assert_allclose(slope, lam * w - y * x, atol=1e-8)
    assert not np.allclose(slope, lam * w + y * x)


def test_000_lambda_is_one_over_c_m():
    C, m, w, slack = 0.5, 4, np.array([0.3, -1.2]), np.array([0.0, 0.4, 1.5, 0.1])
    soft = 0.5 * w @ w + C * slack.sum()
    lam = 1 / (C * m)
    assert lam / 2 * w @ w + slack.mean() == pytest.approx(soft * lam)  # the same objective, scaled
    assert (1 / C) / 2 * w @ w + slack.mean() != pytest.approx(soft * (1 / C))


def test_000_sign_of_the_regression_dual():
    x, eps, C = np.arange(4.0), 0.1, 10.0
    y = 2 * x
    K = np.outer(x, x)
    slopes = []
    for sign in (1, -1):  # sign of the linear term y (alpha - alpha*)
        Q = np.block([[K, -K], [-K, K]])
        c = np.r_[eps - sign * y, eps + sign * y]
        ones = np.r_[np.ones(4), -np.ones(4)][None]
        a = solve_qp(Q, c, A_eq=ones, b_eq=[0.0], lower=np.zeros(8), upper=np.full(8, C)).x
        slopes.append((a[:4] - a[4:]) @ x)
    assert slopes == pytest.approx([1.933333, -1.933333], abs=1e-5)


def test_000_kernel_machine_needs_its_bias():
    X, y = np.array([0.0, 1.0]), np.array([-1, 1])
    alpha = np.array([2.0, 2.0])  # hard margin on the line: w = 2, w0 = -1
    raw = np.outer(X, X) @ (alpha * y)
    assert np.sign(raw - 1).tolist() == [-1, 1] and np.sign(raw).tolist() != [-1, 1]


def test_000_polynomial_kernel_features():
    x, z, r = np.array([1.0, 2.0]), np.array([3.0, 4.0]), np.sqrt(2)
    phi = [np.array([1, r * v[0], r * v[1], v[0] ** 2, r * v[0] * v[1], v[1] ** 2]) for v in (x, z)]
    assert phi[0] @ phi[1] == pytest.approx((1 + x @ z) ** 2) == 144  # degrees 0, 1 and 2 all occur


def test_000_narrow_gaussian_kernel_is_stricter():
    k = {sigma: np.exp(-8 / (2 * sigma**2)) for sigma in (1, 2, 4)}
    assert k[1] < k[2] < k[4] and k[2] == pytest.approx(0.367879, abs=5e-7)


def test_000_match_kernel():
    same = np.equal.outer(list("aba"), list("aba")).astype(float)
    np.testing.assert_allclose(np.linalg.eigvalsh(same), [0, 1, 2], atol=1e-15)
    np.testing.assert_allclose(np.linalg.eigvalsh(1 - same), [-1.414214, 0, 1.414214], atol=5e-7)


def test_000_xor_by_clauses():
    X, y = datasets.make_boolean("xor", return_X_y=True)
    clauses = np.column_stack([X[:, 0] | X[:, 1], (1 - X[:, 0]) | (1 - X[:, 1])])
    np.testing.assert_array_equal(clauses.all(axis=1), y == 1)
    assert not np.array_equal((X[:, 0] & X[:, 1]) | (X[:, 0] & X[:, 1]), y)


def test_000_mean_of_models():
    """Trees on resampled rows of y = 100: their mean predicts about 100, their sum about m times that."""
    rng = np.random.default_rng(0)
    X, y = rng.uniform(size=(60, 1)), 100 + rng.normal(size=60)
    forest = RandomForestRegressor(n_estimators=7, random_state=0).fit(X, y)
    said = np.array([tree.predict(X) for tree in forest.estimators_])
    np.testing.assert_allclose(forest.predict(X), [sum(column) / 7 for column in said.T], rtol=1e-12)
    assert np.abs(forest.predict(X) - 100).max() < 5 < 500 < np.abs(said.sum(axis=0) - 100).min()


ROOM = [(c, r) for c in (1, 2, 3, 4) for r in (1, 2, 3) if (c, r) != (2, 2)]
ENDS = {(4, 2): -1.0, (4, 3): 1.0}
MOVES = {"U": (0, 1), "D": (0, -1), "L": (-1, 0), "R": (1, 0)}
SIDES = {"U": "LR", "D": "LR", "L": "UD", "R": "UD"}


def transitions(state, action):
    """Return next states of the 4x3 room with their probabilities."""
    for move, p in ((action, 0.8), (SIDES[action][0], 0.1), (SIDES[action][1], 0.1)):
        to = (state[0] + MOVES[move][0], state[1] + MOVES[move][1])
        yield (to if to in ROOM else state), p


def evaluate(policy, reward=-0.04, sweeps=2000):
    U = {s: ENDS.get(s, 0.0) for s in ROOM}
    for _ in range(sweeps):
        for s in ROOM:
            if s not in ENDS:
                q = {a: reward + sum(p * U[t] for t, p in transitions(s, a)) for a in MOVES}
                U[s] = max(q.values()) if policy is None else q[policy[s]]
    return U


LOWER = dict(zip([(1, 1), (2, 1), (3, 1), (3, 2), (3, 3), (1, 2), (1, 3), (2, 3), (4, 1)], "RRUURURRL"))


def test_000_policy_evaluation_has_no_maximum():
    assert evaluate(LOWER, sweeps=300)[1, 1] == pytest.approx(0.5082, abs=5e-5)
    assert evaluate(None, sweeps=100)[1, 1] == pytest.approx(0.7053, abs=5e-5)


def test_000_q_values_depend_on_the_action():
    U = evaluate(None, sweeps=100)
    q = {a: -0.04 + sum(p * U[t] for t, p in transitions((3, 2), a)) for a in MOVES}
    assert q["U"] == pytest.approx(0.6603, abs=5e-5) and q["R"] < 0 and max(q.values()) == q["U"]


def test_000_terminal_reward_is_needed():
    best = dict(zip([(1, 1), (1, 2), (1, 3), (2, 3), (3, 3), (3, 2), (2, 1), (3, 1), (4, 1)], "UURRRULLL"))
    rng = np.random.default_rng(0)
    learned = {}
    for literal in (True, False):
        U = {s: 0.0 if literal else ENDS.get(s, 0.0) for s in ROOM}
        visits = dict.fromkeys(ROOM, 0)
        for _ in range(400):
            s = (1, 1)
            while s not in ENDS:
                targets, probabilities = zip(*transitions(s, best[s]))
                t = targets[rng.choice(3, p=probabilities)]
                visits[s] += 1
                U[s] += 60 / (59 + visits[s]) * (-0.04 + U[t] - U[s])
                s = t
        learned[literal] = U[1, 1]
    assert learned[True] < 0 and learned[False] == pytest.approx(0.7053, abs=0.15)
