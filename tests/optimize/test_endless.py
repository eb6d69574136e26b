"""No driver calls an iteration converged that runs away, and none that has arrived is called a runaway."""

import warnings

import numpy as np
import pytest

from novum.exceptions import DataError, NotConverged
from novum.optimize import (
    Problem,
    gradient_descent,
    lbfgs,
    minimize_stochastic,
    newton,
    newton_root,
    proximal_gradient,
    solve,
    subgradient_descent,
)
from novum.optimize.endless import falls_endlessly


def slope(function):
    """Return central differences as a gradient over rows that are all alike."""
    steps = 1e-6 * np.eye(3)
    return lambda w, rows: np.array([(function(w + e) - function(w - e)) / 2e-6 for e in steps])


DRIVERS = {
    "lbfgs": lambda f, start: lbfgs(f, start, max_iter=200),
    "newton": newton,
    "gradient": lambda f, start: gradient_descent(f, start, max_iter=1500),
    "proximal": lambda f, start: proximal_gradient(f, start, prox=lambda v, t: v, max_iter=1500),
    "subgradient": lambda f, start: subgradient_descent(f, start, max_iter=1500),
    "constrained": lambda f, start: solve(Problem(f, inequalities=[lambda x: x[0] + 50]), start),
    "maximum": lambda f, start: lbfgs(Problem(lambda x: -f(x), maximize=True), start, max_iter=200),
    "stochastic": lambda f, start: minimize_stochastic(slope(f), start, 4, objective=f, tol=1e-3, max_epochs=200),
}


def runaways(rng):
    """Return functions without a lower bound, in random directions and units."""
    a, b = rng.normal(size=3), np.exp(rng.normal(size=3))
    return [
        lambda x: -float(b @ x**2),
        lambda x: float(a @ x),
        lambda x: float(a @ x) + (x[0] - 1) ** 2,
        lambda x: -np.log1p(float(b @ x**2)),
        lambda x: -np.sqrt(1 + float(b @ x**2)),
        lambda x: float(b @ x**3) - float(x @ x),
        lambda x: -float(b @ np.exp(x)),
        lambda x: -float(b @ x**4),
    ]


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.filterwarnings("ignore:.*:RuntimeWarning")
def test_what_has_no_lower_bound_has_no_minimum(driver, seed):
    rng = np.random.default_rng(seed)
    for function in runaways(rng):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = DRIVERS[driver](function, rng.normal(size=3) * 2)
        assert not found.converged or np.linalg.norm(found.x) < 3, (
            found
        )  # a local minimum or saddle may lie near the start


@pytest.mark.parametrize("driver", ["lbfgs", "newton", "gradient", "proximal", "maximum"])
def test_minima_are_no_runaways(driver):
    """Convex functions with minima near and far, of values around zero and around 1e6, and one that levels out."""
    rng = np.random.default_rng(3)
    for k in range(12):
        Q, center = rng.normal(size=(3, 3)), rng.normal(size=3) * 10 ** rng.uniform(-2, 2)
        Q, height = Q @ Q.T + 0.5 * np.eye(3), (0.0, 3.0, -40.0)[k % 3]
        found = DRIVERS[driver](lambda x, Q=Q, c=center, h=height: (x - c) @ Q @ (x - c) / 2 + h, rng.normal(size=3))
        assert found.converged and np.allclose(found.x, center, atol=1e-4 * (1 + np.abs(center).max()))
    assert DRIVERS[driver](lambda x: np.logaddexp(0, -x).sum(), np.zeros(3)).converged


def test_the_way_beyond_decides():
    assert falls_endlessly(lambda x: -float(x @ x), np.ones(2), np.full(2, 1e144))
    assert falls_endlessly(lambda x: np.inf, np.ones(2), np.zeros(2))
    assert not falls_endlessly(lambda x: float(x @ x), np.ones(2), np.zeros(2))
    assert not falls_endlessly(lambda x: -float(x @ x), np.ones(2), np.ones(2))  # nobody went anywhere
    with pytest.warns(NotConverged, match="no lower bound"):
        assert not lbfgs(lambda x: -x @ x, np.ones(3)).converged


def test_newton_names_what_it_cannot_use():
    with pytest.warns(NotConverged, match="second derivatives is not finite"):
        newton(lambda x: x @ x, [1.0, 2.0], gradient=lambda x: 2 * x, hessian=lambda x: np.full((2, 2), np.nan))
    steep = newton(lambda x: x @ x, [1.0, 2.0], gradient=lambda x: 2 * x, hessian=lambda x: np.full((2, 2), -1.7e308))
    assert np.isfinite(steep.x).all()
    with pytest.raises(DataError, match=r"derivative returned shape \(3,\)"):
        newton_root(lambda x: x, [1.0, 2.0], derivative=lambda x: [1.0, 2.0, 3.0])


@pytest.mark.parametrize("start", [0.5, 2.0, -3.0])
def test_a_halved_step_is_no_root(start):
    with pytest.warns(NotConverged):
        assert not newton_root(lambda t: t**2 + 1, start).converged
    assert newton_root(lambda t: t**3 - 2, start if start > 0 else 1.0).converged
