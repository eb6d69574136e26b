"""The compiled pass of Newton's method against the sums of the losses' own formulas, at odd shapes and at the edges of numbers."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from threadpoolctl import threadpool_limits

from novum import _core
from novum.fold.blocks import Block
from novum.linear_model import GammaRegressor, HuberRegressor, PoissonRegressor, TweedieRegressor
from novum.linear_model.newton import minimum
from novum.linear_model.newton.losses.huber import Huber
from novum.linear_model.newton.losses.tweedie import Tweedie
from novum.linear_model.newton.objective import Point, by_columns, compiled, squares
from novum.linear_model.newton.target_unit import TargetUnit

LOSSES = [
    Tweedie(0, "identity"),
    Tweedie(1, "log"),
    Tweedie(1.5, "log"),
    Tweedie(2, "log"),
    Tweedie(3, "log"),
    Huber(1.35),
]


def sample(n, p, loss, seed=0):
    rng = np.random.default_rng(seed)
    X, theta = rng.normal(size=(n, p)), rng.normal(size=p + 1 + loss.scaled) / 3
    theta[-1] = abs(theta[-1]) + 0.3
    y = rng.normal(size=n) if loss.accepts(np.array([-1.0])) else rng.gamma(1.0, 2.0, size=n)
    if loss.accepts(np.array([0.0])):
        y[::3] = 0
    return X, y, np.where(np.arange(n) % 4 == 1, 0.0, rng.random(n)), theta


@pytest.mark.parametrize("n, p", [(1, 1), (3, 7), (8, 8), (65, 1), (300, 23), (513, 3), (5, 0)])
@pytest.mark.parametrize("loss", LOSSES, ids=str)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("weighted", [False, True])
def test_sums_are_those_of_the_formulas(n, p, loss, dtype, weighted):
    X, y, w, theta = sample(n, p, loss)
    block = Block(X.astype(dtype), y, w if weighted else None)
    unit = TargetUnit(0.5, 0.25 if loss.accepts(np.array([-1.0])) else 0.0, False)
    for order in (0, 1, 2):
        point = Point(loss, theta, order, unit, 1)
        for found, expected in zip(compiled(point, block), by_columns(point, block)):
            assert np.shape(found) == np.shape(expected)
            assert_allclose(found, expected, rtol=1e-12, atol=1e-12 * n)


def test_rows_without_weight_may_lie_outside_of_the_range():
    X, w = np.ones((3, 1)), np.array([1.0, 0.0, 1.0])
    found = compiled(
        Point(Tweedie(2, "log"), np.array([0.1, 0.2]), 2, TargetUnit(1.0, 0.0, True), 1),
        Block(X, np.array([1, -np.inf, 2]), w),
    )
    assert np.isfinite(found.loss) and np.isfinite(found.hessian).all()


@pytest.mark.parametrize(
    "power, eta, expected",
    [(1, -720.0, 720.0 * 7.5), (1, -1e4, 1e4 * 7.5), (1, 720.0, np.inf), (2, 720.0, 3600.0), (2, -720.0, np.inf)],
)
def test_means_beyond_the_range_of_numbers(power, eta, expected):
    block = Block(np.zeros((5, 1)), np.array([1.0, 2.0, 0.5, 3.0, 1.0]))
    point = Point(Tweedie(power, "log"), np.array([0.0, eta]), 2, TargetUnit(1.0, 0.0, True), 1)
    found = compiled(point, block)
    assert_allclose(found.loss, expected, rtol=1e-14)
    assert np.isfinite(found.gradient).all() and np.isfinite(found.hessian).all()


@pytest.mark.parametrize("eta", [np.inf, -1e4])
def test_a_loss_that_is_no_number_is_not_taken_for_one(eta):
    block = Block(np.zeros((5, 1)), np.ones(5))
    found = compiled(Point(Tweedie(3, "log"), np.array([0.0, eta]), 2, TargetUnit(1.0, 0.0, True), 1), block)
    assert not found.loss < 0


def test_the_diagonal_without_curvatures():
    X, y, w, _ = sample(300, 5, LOSSES[0])
    found = squares(None, Block(X, y, w))
    assert_allclose(found.columns, w @ X**2, rtol=1e-13)
    assert_allclose(found.weight, w.sum(), rtol=1e-13)


def test_shapes_that_do_not_fit_are_refused():
    X, y = np.zeros((3, 2)), np.zeros(3)
    given = {"parameter": 0.0, "middle": 0.0, "unit": 1.0, "gradient": None, "hessian": None}
    for bad in (
        (X, y[:2], None, np.zeros(3), "squares"),
        (X, y, np.ones(2), np.zeros(3), "squares"),
        (X, y, None, np.zeros(4), "squares"),
        (X, y, None, np.zeros(3), "huber"),
        (X, y, None, np.zeros(3), "cubes"),
    ):
        with pytest.raises(ValueError, match="line_pass"):
            _core.linear_model.newton.line_pass(*bad[:4], loss=bad[4], **given)


@pytest.mark.parametrize("model", [PoissonRegressor(alpha=1e-3), GammaRegressor(alpha=0.0), HuberRegressor()], ids=str)
@pytest.mark.parametrize("sort", [False, True])
def test_a_start_on_a_share_ends_at_the_minimum_of_all_rows_with_the_same_bits_for_any_number_of_threads(model, sort):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60_000, 12))
    X[:30_000] += 0.5  # the leading rows of a block differ from the others
    y = rng.gamma(2.0, np.exp(X @ rng.normal(size=12) / 5))
    if sort:  # so that a share knows nothing of the others
        X, y = X[np.argsort(y)], np.sort(y)
    fits = []
    for count in (1, 2):
        with threadpool_limits(count):
            fits.append(model.fit(X, y).coef_.copy())
    assert_array_equal(*fits)
    rest, mean = y - X @ model.coef_ - model.intercept_, np.exp(X @ model.coef_ + model.intercept_)
    if isinstance(model, HuberRegressor):
        slope = np.clip(rest / model.scale_, -1.35, 1.35)
        assert_allclose(X.T @ slope, model.alpha * model.coef_, atol=1e-4)
    else:
        slope = mean - y if isinstance(model, PoissonRegressor) else 1 - y / mean
        assert_allclose(X.T @ slope / len(y), -model.alpha * model.coef_, atol=1e-10)


@pytest.mark.parametrize("power", [0, 1, 1.5, 2])
@pytest.mark.parametrize("alpha", [0.0, 0.3])
def test_small_tables_reach_in_one_call_what_steps_reach(power, alpha, monkeypatch):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(150, 7)).astype(np.float32)
    y, weight = rng.gamma(2.0, np.exp(X @ rng.normal(size=7) / 3)), rng.integers(0, 3, 150)
    model = TweedieRegressor(power=power, alpha=alpha)
    fits = [model.fit(X, y, sample_weight=weight).__dict__.copy()]
    monkeypatch.setattr(minimum, "in_one_call", lambda *_: None)
    fits.append(model.fit(X, y, sample_weight=weight).__dict__.copy())
    assert_allclose(fits[0]["coef_"], fits[1]["coef_"], rtol=2e-7, atol=1e-7)
    assert_allclose(fits[0]["intercept_"], fits[1]["intercept_"], rtol=1e-9)
    assert fits[0]["n_iter_"] == fits[1]["n_iter_"]


def test_a_hessian_without_full_rank_is_left_to_the_steps():
    X = np.random.default_rng(0).normal(size=(60, 3))
    twice = np.column_stack([X, X[:, 0]])
    y = np.exp(X[:, 0] / 2)
    both = PoissonRegressor(alpha=0.0).fit(twice, y).coef_
    assert_allclose(both[0], both[3], rtol=1e-6)  # the shortest solution shares alike
