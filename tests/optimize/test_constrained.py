"""Problems with constraints: the object, KKT reports, Lagrange multipliers, the general solver."""

import numpy as np
import pytest

from novum.exceptions import DataError, NotConverged, ParameterError
from novum.optimize import Constraint, Problem, check_kkt, dual_value, lagrange, solve

AREA = Problem(
    lambda x: x[0] * x[1],
    gradient=lambda x: x[::-1],
    equalities=[Constraint(lambda x: x[0] + x[1], bound=10, jacobian=lambda x: [1.0, 1.0])],
    maximize=True,
)
CIRCLE = Constraint(lambda x: x @ x, bound=2)


@pytest.mark.notes("004", "lagrange-multipliers")
@pytest.mark.notes("002", "lagrange-eq")
def test_largest_rectangle():
    for objective, constraints in (
        (AREA, None),
        (lambda x: x[0] * x[1], [Constraint(lambda x: x[0] + x[1], bound=10)]),
    ):
        found = lagrange(objective, [1.0, 2.0], constraints, keep_path=True)
        np.testing.assert_allclose(found.x, [5, 5], rtol=1e-8)
        np.testing.assert_allclose(found.multipliers, [5], rtol=1e-8)
        np.testing.assert_allclose(found.value, 25, rtol=1e-8)
        assert found.kind == "maximum" and found.converged and len(found.path) == found.n_iter + 1
        assert "maximum, multipliers [5.]" in repr(found)
    dear = lagrange(lambda x: x[0] * x[1], [1.0, 2.0], [Constraint(lambda x: 2 * x[0] + 5 * x[1], bound=20)])
    np.testing.assert_allclose(
        [*dear.x, *dear.multipliers, dear.value], [5, 2, 1, 10], rtol=1e-6
    )  # sides of unlike price


@pytest.mark.notes("002", "lagrange-eq")
def test_curved_constraint_has_two_stationary_points_and_the_multiplier_is_a_price():
    low = lagrange(lambda x: x[0] + x[1], [-0.5, -1.5], [CIRCLE])
    high = lagrange(lambda x: x[0] + x[1], [0.5, 1.5], [CIRCLE])
    np.testing.assert_allclose(low.x, [-1, -1], atol=1e-8)
    np.testing.assert_allclose(high.x, [1, 1], atol=1e-8)
    assert (low.kind, high.kind) == ("minimum", "maximum")
    h = 1e-4
    moved = lagrange(lambda x: x[0] + x[1], [0.5, 1.5], [Constraint(lambda x: x @ x, bound=2 + h)])
    np.testing.assert_allclose((moved.value - high.value) / h, high.multipliers[0], atol=1e-4)


def test_several_constraints_and_exact_second_derivatives():
    problem = Problem(
        lambda x: x @ x,
        gradient=lambda x: 2 * x,
        hessian=lambda x: 2 * np.eye(3),
        equalities=[Constraint(lambda x: [x.sum(), x[0] - x[2]], [3.0, 1.0], lambda x: [[1, 1, 1], [1, 0, -1]])],
    )
    found = lagrange(problem, [9.0, -3.0, 2.0])
    np.testing.assert_allclose(found.x, [1.5, 1, 0.5], atol=1e-12)
    np.testing.assert_allclose(found.multipliers, [2, 1], atol=1e-12)
    assert found.n_iter == 1 and found.kind == "minimum"  # quadratic and linear: one Newton step


def test_lagrange_failures_are_named():
    with pytest.raises(ParameterError, match="lagrange: no constraints"):
        lagrange(lambda x: x @ x, [1.0])
    with pytest.raises(ParameterError, match="leave `constraints` out"):
        lagrange(AREA, [1.0, 2.0], [CIRCLE])
    with pytest.raises(ParameterError, match="equalities and no inequalities"):
        lagrange(Problem(lambda x: x @ x, inequalities=[lambda x: x[0]]), [1.0])
    with pytest.warns(NotConverged, match="lagrange: stopped"):
        lagrange(lambda x: x[0], [1.0], [lambda x: x[0] ** 2 + 1])


@pytest.mark.notes("000-b", "lagrangian-kkt")
def test_kkt_report_lists_each_condition():
    nearest = Problem(
        lambda z: z @ z, gradient=lambda z: 2 * z, inequalities=[lambda z: z[0] + z[1] - 2, lambda z: z[0] + 5]
    )
    good = check_kkt(nearest, [1.0, 1.0], inequality_multipliers=[2.0, 0.0])
    assert good and good.gap == pytest.approx(0, abs=1e-12) and "hold" in str(good)
    np.testing.assert_array_equal(good.active, [True, False])
    for z, alpha, failure in (
        ([2.0, 0.0], [2.0, 0.0], "stationarity"),
        ([0.0, 0.0], [0.0, 0.0], "inequality_violation"),
        ([-5.0, 9.0], [-2.0, 0.0], "multiplier_violation"),
        ([2.0, 2.0], [4.0, 0.0], "complementarity"),
    ):
        report = check_kkt(nearest, z, inequality_multipliers=alpha)
        assert not report and failure in report.failures and "fail" in str(report)
    loose = check_kkt(nearest, [2.0, 2.0], inequality_multipliers=[4.0, 0.0])  # stationary, with room to spare
    assert loose.gap == pytest.approx(8 - nearest.lagrangian([2.0, 2.0], [], [4.0, 0.0]))
    assert nearest.minimax([1.0, 1.0]) == 2 and nearest.minimax([0.0, 0.0]) == np.inf


@pytest.mark.notes("002", "kkt")
def test_dual_of_a_maximum_and_estimated_multipliers():
    hill = Problem(lambda x: -(x[0] ** 2) - x[1] ** 2, inequalities=[lambda x: x[0] - 1], maximize=True)
    report = check_kkt(hill, [1.0, 0.0])
    assert report
    np.testing.assert_allclose(report.inequality_multipliers, [2.0], atol=1e-6)
    duals = [dual_value(hill, [0.5, 0.5], inequality_multipliers=[mu]) for mu in (0.0, 1.0, 2.0, 4.0)]
    np.testing.assert_allclose(duals, [0, -0.75, -1, 0], atol=1e-6)
    assert min(duals) == pytest.approx(hill.value([1.0, 0.0]), abs=1e-6)  # minimise over mu >= 0: no gap
    free = Problem(lambda x: -(x[0] ** 2), inequalities=[lambda x: x[0] + 1], maximize=True)
    assert check_kkt(free, [0.0]).inequality_multipliers == [0.0]  # inactive: no multiplier
    with pytest.raises(DataError, match="dual is defined for multipliers >= 0"):
        dual_value(hill, [0.0, 0.0], inequality_multipliers=[-1.0])
    with pytest.raises(DataError, match="inequality_multipliers is missing for 1 constraints"):
        check_kkt(hill, [1.0, 0.0], equality_multipliers=[])
    with pytest.raises(ParameterError, match=r"check_kkt\(problem=.*must be a Problem"):
        check_kkt(lambda x: x, [1.0])


@pytest.mark.notes("003", "lagrangian-qp")
def test_mixed_constraints_solved_and_reported():
    problem = Problem(
        lambda x: (x[0] - 3) ** 2 + (x[1] - 2) ** 2 + x[2] ** 2,
        equalities=[lambda x: x[0] + x[2] - 1],
        inequalities=[lambda x: 2 - x @ x, lambda x: x[1]],
    )
    found = solve(problem, [0.5, 0.5, 0.5])
    assert found.converged and found.kkt and problem.is_feasible(found.x, 1e-7)
    np.testing.assert_allclose(
        problem.lagrangian(found.x, found.kkt.equality_multipliers, found.kkt.inequality_multipliers),
        found.value,
        atol=1e-6,
    )
    assert found.history[-1] == pytest.approx(found.value)


@pytest.mark.notes("004", "optimisation-problem")
def test_problem_objects_are_solved_and_say_why_they_stopped():
    free = solve(Problem(lambda t: (t[0] - 1) ** 2), [4.0])
    np.testing.assert_allclose(free.x, 1, atol=1e-6)
    assert "gradient" in free.reason and np.all(np.diff(free.history) <= 0)
    curved = solve(Problem(lambda t: (t[0] - 1) ** 2, gradient=lambda t: 2 * (t - 1), hessian=lambda t: [[2.0]]), [4.0])
    assert curved.n_iter == 1 and curved.x == pytest.approx(1)
    bound = Problem(
        lambda t: t[0] ** 2,
        equalities=[Constraint(lambda t: t[1], bound=4)],
        inequalities=[Constraint(lambda t: t[0], bound=2)],
    )
    found = solve(bound, [5.0, 5.0])
    np.testing.assert_allclose(found.x, [2, 4], atol=1e-8)
    assert not bound.is_feasible([1.0, 4.0]) and bound.is_feasible([2.0, 4.0])
    np.testing.assert_allclose(bound.equality([2.0, 5.0]), [1.0])
    np.testing.assert_allclose(solve(AREA, [1.0, 2.0]).x, [5, 5], atol=1e-6)
    with pytest.warns(NotConverged, match="solve: stopped .* KKT conditions fail.*contradict"):
        solve(Problem(lambda x: x[0], equalities=[lambda x: x[0] - 1, lambda x: x[0] - 2]), [0.0])
    with pytest.raises(ParameterError, match="wrap the function in Problem"):
        solve(lambda x: x, [0.0])
    with pytest.raises(DataError, match="2 equality_multipliers for 1 constraints"):
        AREA.lagrangian([1.0, 1.0], [1.0, 2.0])
