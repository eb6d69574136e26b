"""The kernel trick: the perceptron on a Gram matrix by hand, the lift against the kernel, the last frame against a plain fit."""

import warnings

import numpy as np
import pytest
from lab.runs import refusal_of, run_of

from novum.exceptions import NotConverged
from novum.kernels import RBF, KernelPerceptron, Linear, Polynomial
from novum.lab.scenes.kernels.kernel_trick import TILT

STATES = [
    {},
    {"first": "rbf", "operation": "times", "second": "linear", "gamma": 2.0, "points": {"preset": "moons", "n": 30}},
]
STATES += [
    {"first": "sigmoid", "most": 12, "seed": 3},
    {"first": "cubic", "operation": "plus", "second": "rbf", "turn": 90},
]
STATES += [{"first": "linear", "points": {"rows": [[1, 1, 1], [2, 1, 1], [-1, -1, 0], [-2, -1, 0]]}}]


@pytest.fixture(scope="module", params=STATES)
def run(request):
    return run_of("kernel-trick", **request.param)


def gram(run, A, B):
    """Return the kernel of rows by its formula."""
    s = run.state

    def one(name):
        dot = A @ B.T
        far = ((A[:, None] - B) ** 2).sum(axis=2)
        return {
            "linear": dot,
            "square": (1 + dot) ** 2,
            "cubic": (1 + s.gamma * dot) ** 3,
            "rbf": np.exp(-s.gamma * far),
            "sigmoid": np.tanh(s.gamma * dot - 1),
        }[name]

    if s.operation == "alone":
        return one(s.first)
    return one(s.first) + one(s.second) if s.operation == "plus" else one(s.first) * one(s.second)


def test_every_mistake_is_that_of_the_perceptron(run):
    X, y, s = run.state.points.X, run.state.points.y, run.state
    K, t, a = gram(run, X, X), 2 * y - 1, np.zeros(len(y))
    made, states = [], {}
    for i in [*range(len(y))] * s.most:
        if t[i] * (K[i] @ a) <= 0 and len(made) < s.most:
            a[i] += t[i]
            made.append(i)
            states[len(made)] = a.copy()
    assert run.last.n == len(made)
    for frame in run.frames:
        assert frame.arrays["row"] == [made[frame.n - 1]] and frame.values["mistakes"] == frame.n
        assert frame.values["wrong"] == (t * (K @ states[frame.n]) <= 1e-12).sum()
        counts = np.abs(states[frame.n])
        assert frame.arrays["sizes"] == pytest.approx(0.1 + 0.6 * counts / counts.max(), abs=1e-6)


def test_the_gram_matrix_and_its_least_eigenvalue(run):
    X, y = run.state.points.X, run.state.points.y
    rows = X[np.argsort(y, kind="stable")]
    K = gram(run, rows, rows)
    assert run.last.arrays["gram"] == pytest.approx(K, rel=1e-5, abs=1e-5)
    least = np.linalg.eigvalsh(K)[0]
    assert run.last.values["eigenvalue"] == pytest.approx(least, rel=1e-6, abs=1e-9 * np.abs(K).max())
    if run.state.first == "sigmoid":
        assert least < -0.1 and run.last.say[0] in ("no_kernel", "clean")


def test_the_lift_is_the_square_of_the_inner_product(run):
    X = run.state.points.X
    space = np.column_stack([X[:, 0] ** 2, np.sqrt(2) * X[:, 0] * X[:, 1], X[:, 1] ** 2])
    assert space @ space.T == pytest.approx((X @ X.T) ** 2, rel=1e-9, abs=1e-9)
    angle, drawn = np.radians(run.state.turn), run.last.arrays["lifted"]
    assert drawn[:, 0] == pytest.approx(np.cos(angle) * space[:, 0] - np.sin(angle) * space[:, 2], abs=1e-5)
    depth = np.sin(angle) * space[:, 0] + np.cos(angle) * space[:, 2]
    assert drawn[:, 1] == pytest.approx(np.cos(TILT) * depth + np.sin(TILT) * space[:, 1], abs=1e-5)


def test_the_last_frame_is_the_fit():
    for state, kernel in ((STATES[0], Polynomial(degree=2)), (STATES[1], RBF(0.5) * Linear())):
        run = run_of("kernel-trick", **state)
        X, y = run.state.points.X, run.state.points.y
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NotConverged)
            model = KernelPerceptron(kernel, max_iter=run.state.most).fit(X, y)
        if run.last.say[0] == "clean":
            assert run.last.values["mistakes"] == model.mistakes_.sum()
            assert run.last.values["wrong"] == (model.predict(X) != y).sum() == 0
    assert run_of("kernel-trick").last.say[0] == "clean"


def test_one_class_is_refused():
    assert refusal_of("kernel-trick", points={"rows": [[0, 0, 1], [1, 1, 1]]})[1] == "points"
