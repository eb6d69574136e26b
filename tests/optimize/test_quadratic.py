"""Quadratic programmes: optimality by multipliers, peers, duals of support vector machines, certificates, refusals."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog, minimize
from sklearn.svm import SVC

from novum.exceptions import DataError, NotConverged, ParameterError
from novum.optimize import Constraint, InfeasibleProblem, Problem, UnboundedProblem, check_kkt, solve_qp

TIGHT = 1e-9


def random_programme(seed):
    """A feasible programme with some of every kind of constraint, often degenerate."""
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 9))
    B = rng.normal(size=(rng.integers(0, d + 1), d))
    x0, m, p = rng.normal(size=d), int(rng.integers(0, 8)), int(rng.integers(0, d // 2 + 1))
    G, A = rng.normal(size=(m, d)), rng.normal(size=(p, d))
    constraints = {"lower": np.where(rng.random(d) < 0.5, x0 - 1, -20), "upper": x0 + rng.exponential(size=d)}
    if m:
        constraints |= {"A_ub": G, "b_ub": G @ x0 + rng.exponential(size=m) * (rng.random(m) < 0.7)}
    if p:
        constraints |= {"A_eq": A, "b_eq": A @ x0}
    return B.T @ B, rng.normal(size=d), constraints


def measure(Q, c, found, A_eq=None, b_eq=None, A_ub=None, b_ub=None, lower=None, upper=None):
    """The optimality conditions, written out once more."""
    x, d = found.x, len(c)
    A = np.zeros((0, d)) if A_eq is None else np.asarray(A_eq)
    G = np.zeros((0, d)) if A_ub is None else np.asarray(A_ub)
    residual = Q @ x + c - A.T @ found.equality + G.T @ found.inequality - found.lower + found.upper
    assert np.abs(residual).max() < TIGHT
    assert min(found.inequality.min(initial=0), found.lower.min(), found.upper.min()) >= 0
    assert np.all(x >= np.broadcast_to(-np.inf if lower is None else lower, d) - TIGHT)
    assert np.all(x <= np.broadcast_to(np.inf if upper is None else upper, d) + TIGHT)
    if len(A):
        assert np.abs(A @ x - b_eq).max() < TIGHT
    if len(G):
        assert (G @ x - b_ub).max() < TIGHT
        assert np.abs(found.inequality * (G @ x - b_ub)).max() < TIGHT


@pytest.mark.notes("000-b", "qp-solver")
@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6))
def test_random_programmes_are_optimal_and_have_no_gap(seed):
    Q, c, constraints = random_programme(seed)
    found = solve_qp(Q, c, **constraints)
    measure(Q, c, found, **constraints)
    assert abs(found.gap) < 10 * TIGHT * (1 + abs(found.value))
    assert found.converged and max(found.stationarity, found.infeasibility, found.complementarity) < TIGHT


@pytest.mark.parametrize("seed", [408, 827, *range(10)])  # the first two make the unsafeguarded method cycle
def test_units_of_the_variables_and_of_the_objective_do_not_matter(seed):
    Q, c, k = random_programme(seed)
    D = 10.0 ** np.random.default_rng(seed).uniform(-3, 3, len(c))
    value = solve_qp(Q, c, **k).value
    units = {"A_ub": D, "A_eq": D, "lower": 1 / D, "upper": 1 / D}
    scaled = solve_qp(1e4 * Q * D * D[:, None], 1e4 * c * D, **{n: v * units.get(n, 1.0) for n, v in k.items()})
    assert scaled.value / 1e4 == pytest.approx(value, rel=1e-7, abs=1e-7)


@pytest.mark.notes("000-b", "qp-solver")
@pytest.mark.notes("003", "lagrangian-qp")
@pytest.mark.parametrize("seed", range(6))
def test_against_scipy(seed):
    Q, c, k = random_programme(seed + 100)
    found = solve_qp(Q, c, **k)
    bounds = list(zip(k["lower"], k["upper"]))
    rules = []
    if "A_ub" in k:
        rules.append({"type": "ineq", "fun": lambda x: k["b_ub"] - k["A_ub"] @ x})
    if "A_eq" in k:
        rules.append({"type": "eq", "fun": lambda x: k["A_eq"] @ x - k["b_eq"]})
    peer = minimize(
        lambda x: x @ Q @ x / 2 + c @ x, found.x * 0, jac=lambda x: Q @ x + c, bounds=bounds, constraints=rules
    )
    assert found.value <= peer.fun + 1e-6 * (1 + abs(peer.fun))
    lp = solve_qp(np.zeros_like(Q), c, **k)
    names = {"A_ub", "b_ub", "A_eq", "b_eq"} & set(k)
    highs = linprog(c, bounds=bounds, **{name: k[name] for name in names})
    np.testing.assert_allclose(lp.value, highs.fun, rtol=1e-8, atol=1e-8)


@pytest.mark.notes("000-b", "qp-solver")
@pytest.mark.notes("003", "lagrangian-qp")
def test_hard_margin_primal_and_dual_meet():
    X, t = np.array([[0.0, 0], [1, 0], [3, 1], [4, 0], [3, 3]]), np.array([-1.0, -1, 1, 1, 1])
    primal = solve_qp(
        np.diag([1.0, 1, 0]), np.zeros(3), A_ub=-t[:, None] * np.column_stack([X, np.ones(5)]), b_ub=-np.ones(5)
    )
    K = (t[:, None] * X) @ (t[:, None] * X).T
    dual = solve_qp(K, -np.ones(5), A_eq=t[None], b_eq=[0.0], lower=0.0)
    np.testing.assert_allclose(primal.value, -dual.value, rtol=1e-10)
    np.testing.assert_allclose(primal.inequality, dual.x, atol=1e-9)  # multipliers are the dual variables
    np.testing.assert_allclose(primal.x[:2], (dual.x * t) @ X, atol=1e-9)
    np.testing.assert_allclose(dual.equality, [-primal.x[2]], atol=1e-9)  # and the multiplier of the dual is the bias
    problem = Problem(
        lambda z: z[:2] @ z[:2] / 2,
        gradient=lambda z: np.array([z[0], z[1], 0.0]),
        inequalities=[Constraint(lambda z: t * (X @ z[:2] + z[2]), bound=1)],
    )
    report = check_kkt(problem, primal.x, inequality_multipliers=primal.inequality)
    assert report and abs(report.gap) < 1e-9
    np.testing.assert_allclose(primal.dual_value, primal.value, atol=1e-10)


@pytest.mark.notes("000-b", "qp-solver")
def test_soft_margin_dual_agrees_with_libsvm():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    t = np.where(X[:, 0] + 0.6 * rng.normal(size=80) > 0, 1.0, -1.0)
    K = np.exp(-0.5 * ((X[:, None] - X[None]) ** 2).sum(axis=2))
    found = solve_qp(K * np.outer(t, t), -np.ones(80), A_eq=t[None], b_eq=[0.0], lower=0.0, upper=2.0)
    peer = SVC(C=2.0, kernel="precomputed", tol=1e-10).fit(K, t)
    np.testing.assert_allclose(K @ (found.x * t) - found.equality[0], peer.decision_function(K), atol=1e-6)
    assert found.complementarity < 1e-10


@pytest.mark.notes("002", "kkt")
def test_active_and_inactive_constraints():
    inside = solve_qp(2 * np.eye(2), [-2.0, -2.0], A_ub=[[1.0, 1.0]], b_ub=[5.0])
    np.testing.assert_allclose(inside.x, [1, 1], atol=1e-10)
    np.testing.assert_allclose(inside.inequality, 0, atol=1e-9)  # room to spare: no price
    edge = solve_qp(2 * np.eye(2), [-2.0, -2.0], A_ub=[[1.0, 1.0]], b_ub=[1.0])
    np.testing.assert_allclose(edge.x, [0.5, 0.5], atol=1e-12)
    np.testing.assert_allclose(edge.inequality, [1.0], atol=1e-12)
    h = 1e-4
    moved = solve_qp(2 * np.eye(2), [-2.0, -2.0], A_ub=[[1.0, 1.0]], b_ub=[1.0 + h])
    np.testing.assert_allclose((moved.value - edge.value) / h, -1.0, atol=1e-3)  # the price of the constraint


def test_equalities_alone_fixed_variables_and_redundant_rows():
    found = solve_qp(np.eye(3), [1.0, 0, 0], A_eq=[[1, 1, 1], [2, 2, 2], [0, 1, -1]], b_eq=[3, 6, 0])
    np.testing.assert_allclose(found.x, [1 / 3, 4 / 3, 4 / 3], atol=1e-12)
    measure(np.eye(3), np.array([1.0, 0, 0]), found, A_eq=[[1, 1, 1], [2, 2, 2], [0, 1, -1]], b_eq=[3, 6, 0])
    fixed = solve_qp(np.eye(2), [0.0, 0.0], lower=[2.0, -np.inf], upper=[2.0, -1.0])
    np.testing.assert_allclose(fixed.x, [2, -1], atol=1e-10)
    np.testing.assert_allclose([fixed.lower[0], fixed.upper[1]], [2, 1], atol=1e-9)
    measure(np.eye(2), np.zeros(2), fixed, lower=[2.0, -np.inf], upper=[2.0, -1.0])
    assert "gap" in repr(fixed)


def farkas(certificate, A, b, G, h, low, high):
    y, z, lo, up = (certificate[name] for name in ("equality", "inequality", "lower", "upper"))
    assert min(z.min(initial=0), lo.min(), up.min()) >= -1e-12
    np.testing.assert_allclose(A.T @ y + G.T @ z - lo + up, 0, atol=1e-10)
    finite_low, finite_high = np.where(lo > 0, low, 0), np.where(up > 0, high, 0)
    assert b @ y + h @ z - finite_low @ lo + finite_high @ up < -1e-9


@pytest.mark.notes("000-b", "qp-solver")
@pytest.mark.parametrize(
    "constraints",
    [
        {"A_ub": [[1.0, 0], [-1, 0]], "b_ub": [0.0, -1]},
        {"A_eq": [[1.0, 1], [1, 1]], "b_eq": [0.0, 1]},
        {"A_eq": [[1.0, 1]], "b_eq": [5.0], "upper": 1.0},
        {"A_ub": [[1.0, 1]], "b_ub": [-1.0], "lower": 0.0},
        {"A_eq": [[1.0, 0]], "b_eq": [5.0], "lower": [2.0, 0], "upper": [2.0, 1]},
    ],
)
def test_infeasible_problems_are_proved_so(constraints):
    with pytest.raises(InfeasibleProblem, match=r"solve_qp: .*certificate holds the proof") as caught:
        solve_qp(np.eye(2), [1.0, -1.0], **constraints)
    A, G = np.array(constraints.get("A_eq", np.zeros((0, 2)))), np.array(constraints.get("A_ub", np.zeros((0, 2))))
    b, h = np.array(constraints.get("b_eq", [])), np.array(constraints.get("b_ub", []))
    low, high = (np.broadcast_to(constraints.get(n, v), 2) for n, v in (("lower", -np.inf), ("upper", np.inf)))
    farkas(caught.value.certificate, A, b, G, h, low, high)


def test_crossed_bounds_and_unbounded_descent():
    with pytest.raises(InfeasibleProblem, match=r"lower\[1\]=3 exceeds upper\[1\]=2") as caught:
        solve_qp(np.eye(2), [0.0, 0.0], lower=[0, 3], upper=2)
    assert caught.value.certificate == {"variable": 1}
    Q, c = np.diag([1.0, 0.0]), np.array([0.0, -1.0])
    for constraints in ({}, {"A_ub": [[1.0, 0.0]], "b_ub": [1.0]}, {"A_eq": [[1.0, 0.0]], "b_eq": [1.0]}):
        with pytest.raises(UnboundedProblem, match="falls without end") as caught:
            solve_qp(Q, c, **constraints)
        v = caught.value.certificate["direction"]
        assert c @ v < 0 and np.abs(Q @ v).max() < 1e-6 * np.abs(v).max()


@pytest.mark.notes("000-b", "qp-solver")
def test_refusals():
    with pytest.raises(ParameterError, match=r"solve_qp\(Q\): not convex: eigenvalue -1 in direction .*0.707"):
        solve_qp([[1.0, 2], [2, 1]], [0.0, 0])
    for arguments, message in (
        (([[1.0, 2], [0, 1]], [0.0, 0], {}), r"Q is not symmetric; pass \(Q \+ Q.T\) / 2"),
        ((np.eye(3), [0.0, 0], {}), r"Q has shape \(3, 3\)"),
        ((np.eye(2), [0.0, 0], {"A_ub": [[1, 2, 3]], "b_ub": [1]}), r"A_ub has shape \(1, 3\)"),
        (
            (np.eye(2), [0.0, 0], {"A_eq": [[1, 2]], "b_eq": [1, 2]}),
            r"b_eq has shape \(2,\); it must be of shape \(1,\)",
        ),
        ((np.eye(2), [0.0, 0], {"lower": [1, 2, 3]}), "lower must be one number or 2"),
        ((np.eye(2), [np.inf, 0], {}), "c holds NaN or infinity"),
    ):
        with pytest.raises(DataError, match=message):
            solve_qp(arguments[0], arguments[1], **arguments[2])
    with pytest.raises(ParameterError, match="A_ub and b_ub come together"):
        solve_qp(np.eye(2), [0.0, 0], A_ub=[[1, 1]])
    rng = np.random.default_rng(0)
    G = rng.normal(size=(40, 20))
    with pytest.warns(NotConverged, match="solve_qp: stopped after 1 iteration:"):
        solve_qp(np.eye(20), rng.normal(size=20), A_ub=G, b_ub=-np.abs(G).sum(axis=1) + 20, max_iter=1)
