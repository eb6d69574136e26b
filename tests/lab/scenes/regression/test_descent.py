"""Descent: paths stepped by hand, gradients and second derivatives against differences, the last point against the driver."""

import numpy as np
import pytest
from lab.runs import refusal_of, run_of

from novum.lab.surfaces import SURFACES
from novum.optimize import gradient_descent

STATES = [
    {},
    {"surface": "squared", "rule": "momentum", "rate": 0.05},
    {"surface": "squared", "rule": "rows", "rate": 0.1},
]
STATES += [
    {"surface": "rosenbrock", "rule": "adam", "rate": 0.1},
    {"surface": "hinge", "rate": 0.3, "start": [[1.0, -2.0]]},
]
STATES += [{"surface": "rosenbrock", "rule": "newton"}, {"surface": "hills", "rule": "lbfgs", "start": [[0.5, -1.0]]}]


@pytest.fixture(scope="module", params=STATES)
def run(request):
    return run_of("descent", **request.param)


def surface_of(state):
    of_lines = state.surface in ("squared", "absolute", "hinge")
    return SURFACES[state.surface](*((state.points.X[:, 0], state.points.y) if of_lines else ()))


def path_of(frame):
    return np.array(frame.arrays["path"][0]["p"])


def test_numbers_are_those_of_the_surface(run):
    surface = surface_of(run.state)
    for frame in run.frames:
        path = path_of(frame)
        assert len(path) == frame.n + 1
        assert frame.values["value"] == surface.value(path[-1])
        assert frame.values["second"] == path[-1, 1]
        assert frame.values["norm"] == pytest.approx(np.sqrt((surface.gradient(path[-1]) ** 2).sum()), rel=1e-12)
        if frame.n:
            assert frame.values["length"] == pytest.approx(np.hypot(*(path[-1] - path[-2])), rel=1e-12)


def test_steps_are_those_of_the_rule(run):
    s, surface, path = run.state, surface_of(run.state), path_of(run.last)
    if s.rule == "lbfgs":
        assert run.last.values["norm"] < 1e-6
        return
    w, v, m, r = np.array(s.start[0]), 0.0, 0.0, 0.0
    for k, after in enumerate(path[1:]):
        g = surface.gradient(w, [k % len(s.points.X)]) if s.rule == "rows" else surface.gradient(w)
        if s.rule == "newton":
            step = -np.linalg.solve(surface.hessian(w), g)
            full = np.allclose(after - w, step, rtol=1e-6, atol=1e-9)
            assert (
                full
                or surface.value(w + step) > surface.value(w)
                or (np.linalg.eigvalsh(surface.hessian(w)) <= 0).any()
            )
            w = after
            continue
        if s.rule == "adam":
            m, r = 0.9 * m + 0.1 * g, 0.999 * r + 0.001 * g**2
            v = -s.rate * (m / (1 - 0.9 ** (k + 1))) / (np.sqrt(r / (1 - 0.999 ** (k + 1))) + 1e-8)
        else:
            v = (s.momentum * v if s.rule == "momentum" else 0) - s.rate * g
        w = w + v
        assert after == pytest.approx(w, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("name", SURFACES)
def test_derivatives_are_differences(name):
    x, t = np.array([-0.9, -0.2, 0.4, 0.8]), np.array([-1.1, 0.3, 0.2, 0.7])
    surface = SURFACES[name](x, t) if name in ("squared", "absolute", "hinge") else SURFACES[name]()
    for w in (np.array([0.7, -0.4]), np.array([-1.3, 1.1])):
        for j, e in enumerate(1e-6 * np.eye(2)):
            slope = (surface.value(w + e) - surface.value(w - e)) / 2e-6
            assert surface.gradient(w)[j] == pytest.approx(slope, rel=1e-6, abs=1e-7)
            bend = (surface.gradient(w + e) - surface.gradient(w - e)) / 2e-6
            assert surface.hessian(w)[j] == pytest.approx(bend, rel=1e-6, abs=1e-6)


def test_two_over_l_is_where_the_valley_is_left():
    inside, outside = run_of("descent", rate=0.166, steps=300), run_of("descent", rate=0.168, steps=300)
    assert inside.frames[0].values["limit"] == pytest.approx(2 / 12, rel=1e-12)
    assert abs(path_of(inside.last)[-1, 1]) < 1.4 < abs(path_of(outside.last)[-1, 1])
    assert run_of("descent", rate=1.0, steps=100).last.say[0] == "gone"


@pytest.mark.filterwarnings("ignore::novum.exceptions.NotConverged")
def test_the_last_frame_is_the_driver():
    run, surface = run_of("descent"), SURFACES["valley"]()
    found = gradient_descent(
        surface.value, [-2.2, 1.4], gradient=surface.gradient, learning_rate=0.15, tol=0.0, max_iter=40
    )
    assert run.last.n == 40 and run.last.values["value"] == found.value


def test_rules_that_do_not_fit_are_refused():
    assert refusal_of("descent", surface="hinge", rule="newton")[1] == "rule"
    assert refusal_of("descent", surface="valley", rule="rows")[1] == "rule"
