"""Signals taken apart: every pass of the fixed point and of the natural gradient by its formula, turns and matches again."""

import itertools

import numpy as np
import pytest
from lab.runs import refusal_of, run_of

from novum.decomposition import ICA, FastICA

STATES = [
    {},
    {"method": "cube", "first": "laplace", "second": "sawtooth", "seed": 3},
    {"first": "laplace", "second": "gaussian", "noise": 0.05, "mixing": [[1.0, -0.5], [0.3, 2.0]], "n": 800},
    {"method": "likelihood", "seed": 1},
    {"method": "gradient", "second": "laplace", "n": 300},
]


@pytest.fixture(scope="module", params=STATES)
def run(request):
    return run_of("sources", **request.param)


def components(run):
    """Return the components of every frame, exactly: those that are drawn are rounded."""
    _, X, _ = run.scene.signals(run.state)
    for frame in run.frames:
        yield X, np.array(frame.arrays["taken"], float), frame


def test_signals_are_mixed_as_the_matrix_says(run):
    s = run.state
    S, X, _ = run.scene.signals(s)
    if not s.noise:
        found = np.linalg.lstsq(S, X, rcond=None)[0].T
        assert found == pytest.approx(np.array(s.mixing), abs=1e-9)
    assert run.last.arrays["mixed"] == pytest.approx(X, abs=1e-5)
    kinds = {
        "square": lambda x: len(np.unique(x.round(6))) <= 3,
        "sine": lambda x: np.ptp(x) < 3,
        "sawtooth": lambda x: np.ptp(x) < 3.6,
    }
    for kind, column in zip((s.first, s.second), S.T):
        assert kinds.get(kind, lambda x: np.ptp(x) > 4)(column)


def test_turns_and_matches(run):
    S, _, _ = run.scene.signals(run.state)
    last, before = -1, None
    for _, Y, frame in components(run):
        unit = lambda A: (A - A.mean(axis=0)) / A.std(axis=0) / np.sqrt(len(A))  # noqa: E731
        inner = np.abs(unit(Y).T @ unit(S))
        match = max(inner[0, 0] + inner[1, 1], inner[0, 1] + inner[1, 0]) / 2
        assert frame.values["match"] == pytest.approx(match, abs=1e-5)
        if before is not None and frame.n == last + 1:  # later frames are thinned
            together = np.abs((unit(Y) * unit(before)).sum(axis=0)).min()
            assert np.cos(np.radians(frame.values["turn"])) == pytest.approx(together, abs=1e-5)
        last, before = frame.n, Y


def test_passes_of_fast_ica_by_their_formula():
    for method, g, slope in (
        ("logcosh", np.tanh, lambda y: 1 - np.tanh(y) ** 2),
        ("cube", lambda y: y**3, lambda y: 3 * y**2),
    ):
        run = run_of("sources", method=method, second="laplace", n=400, seed=2)
        seen = list(components(run))
        X = seen[0][0]
        values, vectors = np.linalg.eigh(np.cov(X.T, bias=True))
        z = (X - X.mean(axis=0)) @ vectors / np.sqrt(values)
        for (_, before, _), (_, after, frame) in itertools.pairwise(seen):
            W = before.T @ z / len(z)
            y = z @ W.T
            W = g(y).T @ z / len(z) - slope(y).mean(axis=0)[:, None] * W
            left, _, right = np.linalg.svd(W)
            assert np.abs(np.corrcoef((z @ (left @ right).T).T, after.T)[:2, 2:]).max(axis=1) == pytest.approx(
                1, abs=1e-6
            ), frame.n


def test_the_likelihood_is_that_of_the_components(run):
    if run.state.method in ("logcosh", "cube"):
        assert run.last.values["likelihood"] is None
        return
    _, X, _ = run.scene.signals(run.state)
    assert run.last.values["likelihood"] > run.frames[0].values["likelihood"]
    model = ICA(2).fit(X) if run.state.method == "likelihood" else None
    if model is not None:
        assert run.last.values["likelihood"] == model.score(X)


def test_the_last_frame_is_the_fit():
    run = run_of("sources")
    _, X, _ = run.scene.signals(run.state)
    model = FastICA(2, random_state=0).fit(X)
    assert run.last.n == model.n_iter_
    assert run.last.arrays["taken"] == pytest.approx(model.transform(X), abs=1e-5)
    assert run.last.values["match"] > 0.999


def test_two_gaussian_sources_cannot_be_found_and_one_can():
    both = [run_of("sources", first="gaussian", second="gaussian", seed=seed).last.values["match"] for seed in range(4)]
    one = [run_of("sources", second="gaussian", seed=seed).last.values["match"] for seed in range(4)]
    assert min(both) < 0.95 and min(one) > 0.98


def test_mixtures_that_are_the_same_are_refused():
    assert refusal_of("sources", mixing=[[1.0, 1.0], [1.0, 1.01]])[1] == "mixing"
    assert refusal_of("sources", first="square", second="square")[1] == "second"
