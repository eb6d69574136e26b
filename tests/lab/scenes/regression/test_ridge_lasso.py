"""Ridge and lasso: every point of the path by its optimality conditions, errors and the ball by their formulas."""

import numpy as np
import pytest
from lab.runs import run_of

from novum.lab.scenes.regression.ridge_lasso import made_rows
from novum.linear_model import ElasticNet, Lasso

STATES = [{}, {"l1_ratio": 0.0, "columns": 3, "seed": 2, "steps": 10}, {"l1_ratio": 0.4, "columns": 8, "n": 25}]
STATES.append({"columns": 2, "correlation": 0.99, "l1_ratio": 0.9, "noise": 0.3, "steps": 12})


@pytest.fixture(scope="module", params=STATES)
def run(request):
    return run_of("ridge-lasso", **request.param)


def rows(run, ahead=0):
    s = run.state
    return made_rows(s.n, s.columns, s.correlation, s.noise, s.seed + ahead)[:2]


def test_every_point_is_optimal(run):
    (X, y), r = rows(run), run.state.l1_ratio
    for frame in run.frames:
        w, penalty = frame.arrays["coef"], frame.values["penalty"]
        slope = X.T @ (y - X @ w) / len(y) - penalty * (1 - r) * w
        kept = w != 0
        assert slope[kept] == pytest.approx(penalty * r * np.sign(w[kept]), abs=2e-5 * np.abs(y).max())
        assert (np.abs(slope[~kept]) <= penalty * r * (1 + 1e-9)).all()
        assert frame.values["kept"] == kept.sum()
        assert [frame.values[f"w{j + 1}"] for j in range(len(w))] == list(w)


def test_numbers_are_their_formulas(run):
    (X, y), (X_new, y_new), r = rows(run), rows(run, 1), run.state.l1_ratio
    for frame in run.frames:
        w = frame.arrays["coef"]
        paid = r * sum(map(abs, w)) + (1 - r) / 2 * sum(v * v for v in w)
        expected = np.mean((y - X @ w) ** 2) / 2 + frame.values["penalty"] * paid
        assert frame.values["objective"] == pytest.approx(expected, rel=1e-12)
        assert frame.values["train"] == pytest.approx(np.mean((y - X @ w) ** 2), rel=1e-12)
        assert frame.values["test"] == pytest.approx(np.mean((y_new - X_new @ w) ** 2), rel=1e-12)


def test_the_ball_goes_through_the_coefficients(run):
    r = run.state.l1_ratio
    for frame in run.frames[1:]:
        w = frame.arrays["coef"][:2]
        balls = [np.array(line["p"]) for line in frame.arrays["lines"] if line["role"] == "now"]
        level = r * np.abs(w).sum() + (1 - r) / 2 * (w**2).sum()
        assert bool(balls) == (level > 0)
        for p in balls:
            assert r * np.abs(p).sum(axis=1) + (1 - r) / 2 * (p**2).sum(axis=1) == pytest.approx(level, rel=1e-9)


def test_the_path_begins_at_zero_and_ends_at_the_fit():
    run = run_of("ridge-lasso")
    assert run.frames[0].values["kept"] == 0 and run.frames[1].values["kept"] > 0
    X, y = rows(run)
    model = Lasso(run.last.values["penalty"], fit_intercept=False, tol=1e-12).fit(X, y)
    assert run.last.arrays["coef"] == pytest.approx(model.coef_, abs=1e-6)
    mixed = run_of("ridge-lasso", **STATES[2])
    X, y = rows(mixed)
    model = ElasticNet(mixed.last.values["penalty"], l1_ratio=0.4, fit_intercept=False, tol=1e-12).fit(X, y)
    assert mixed.last.arrays["coef"] == pytest.approx(model.coef_, abs=1e-6)


def test_rows_are_made_as_they_say():
    X, y, truth = made_rows(4000, 6, 0.7, 0.5, 3)
    assert np.corrcoef(X[:, 0], X[:, 1])[0, 1] == pytest.approx(0.7, abs=0.03)
    assert X.mean(axis=0) == pytest.approx(np.zeros(6), abs=1e-12)
    assert np.std(y - X @ truth) == pytest.approx(0.5, abs=0.03)
