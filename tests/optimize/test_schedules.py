"""Schedules: formulas, Robbins-Monro, time scales."""

import numpy as np
import pytest

from novum.exceptions import ParameterError
from novum.optimize import (
    ConstantSchedule,
    ExponentialSchedule,
    InverseSqrtSchedule,
    InverseTimeSchedule,
    LinearSchedule,
    PolynomialSchedule,
    PowerSchedule,
    StepSchedule,
    gradient_descent,
    subgradient_descent,
)
from novum.teaching import check_time_scales

K = np.arange(30)


@pytest.mark.notes("000-b", "learning-rate-schedule")
@pytest.mark.notes("002", "lr-schedule")
def test_formulas():
    np.testing.assert_allclose(ConstantSchedule(0.3)(K), 0.3)
    np.testing.assert_allclose(InverseTimeSchedule(1 / 0.5)(K), 1 / (0.5 * (K + 1)))  # 1 / (lambda t), t = 1, 2, ...
    np.testing.assert_allclose(PowerSchedule(2.0, 0.7, offset=3)(K), 2 * (3.0 + K) ** -0.7)
    np.testing.assert_allclose(InverseSqrtSchedule(2.0)(K), 2 / np.sqrt(1 + K))
    np.testing.assert_allclose(ExponentialSchedule(0.1, 0.9)(K), 0.1 * 0.9**K)
    np.testing.assert_allclose(StepSchedule(0.1, 0.5, every=10)(K), np.repeat([0.1, 0.05, 0.025], 10))
    for schedule in (ConstantSchedule(), PowerSchedule(), ExponentialSchedule(), StepSchedule(), LinearSchedule()):
        assert isinstance(float(schedule(3)), float)
        np.testing.assert_allclose([schedule(int(k)) for k in K], schedule(K))


@pytest.mark.notes("000-b", "learning-rate-schedule")
def test_schedules_plug_into_every_driver():
    bowl, slope = (lambda x: x @ x / 2), (lambda x: x)
    for schedule in (0.5, ConstantSchedule(0.5), InverseTimeSchedule(0.9), lambda k: 0.5):
        assert gradient_descent(bowl, [1.0], gradient=slope, learning_rate=schedule, max_iter=10**5, tol=1e-3).converged
        assert subgradient_descent(bowl, [1.0], subgradient=slope, learning_rate=schedule).value < 1e-2


@pytest.mark.notes("000-c", "lr-linear-decay")
def test_linear_decay_with_floor():
    eta = LinearSchedule(0.1, 0.01, 100)
    np.testing.assert_allclose(eta(np.array([0, 25, 50, 75, 100, 200])), [0.1, 0.0775, 0.055, 0.0325, 0.01, 0.01])


@pytest.mark.notes("003", "step-size-conditions")
def test_robbins_monro():
    assert InverseTimeSchedule().satisfies_robbins_monro()
    assert InverseTimeSchedule(3.0, offset=10).satisfies_robbins_monro()
    constant = ConstantSchedule(0.1).satisfies_robbins_monro()
    assert constant.sum_diverges and not constant.squares_converge and not constant
    square = PowerSchedule(1.0, 2.0).satisfies_robbins_monro()
    assert not square.sum_diverges and square.squares_converge and "too fast" in square.reason
    for p, holds in ((0.4, False), (0.5, False), (0.51, True), (0.8, True), (1.0, True), (1.01, False)):
        assert bool(PowerSchedule(1.0, p).satisfies_robbins_monro()) is holds
    assert "length 10" in ExponentialSchedule(0.1, 0.99).satisfies_robbins_monro().reason
    assert not StepSchedule().satisfies_robbins_monro().sum_diverges
    assert "length 2 " in StepSchedule(0.1, 0.5, every=10).satisfies_robbins_monro().reason  # 10 (0.1 + 0.05 + ...)
    assert not LinearSchedule(0.1, 0.0).satisfies_robbins_monro().sum_diverges
    assert not LinearSchedule(0.1, 0.01).satisfies_robbins_monro().squares_converge


@pytest.mark.notes("003", "time-scales")
def test_time_scales_of_learning_and_exploring():
    episodes = 500
    alpha, eps = LinearSchedule(0.1, 0.0, episodes), PolynomialSchedule(0.1, 0.0, episodes, power=2)
    m = np.arange(episodes)
    np.testing.assert_allclose(alpha(m), 0.1 * (1 - m / episodes))
    np.testing.assert_allclose(eps(m), 0.1 * (1 - m / episodes) ** 2)
    floor = PolynomialSchedule(0.5, 0.1, 10, power=3)(np.arange(13))
    np.testing.assert_allclose(floor, 0.1 + 0.4 * np.maximum(1 - np.arange(13) / 10, 0) ** 3)
    report = check_time_scales(1 - 0.9, alpha, eps, n_steps=episodes)
    assert report and report.ordered and report.separated
    np.testing.assert_allclose(report.ratios, [[1, 1 / 500], [1, 1 / 500]], rtol=1e-9)
    crossed = check_time_scales(0.1, eps, alpha, n_steps=episodes)
    assert not crossed.ordered and "schedule 2 exceeds schedule 1 at step 1" in crossed.reason
    same = check_time_scales(0.1, alpha, LinearSchedule(0.01, 0.0, episodes), n_steps=episodes)
    assert same.ordered and not same.separated and "do not draw apart" in same.reason


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ConstantSchedule(0), r"ConstantSchedule\(initial=0\): initial must lie in \(0, inf\)"),
        (lambda: ExponentialSchedule(0.1, 1.0), r"ExponentialSchedule\(factor=1.0\)"),
        (lambda: StepSchedule(every=0), r"StepSchedule\(every=0\): every must be at least 1"),
        (lambda: StepSchedule(every=2.5), r"StepSchedule\(every=2.5\): every must be a whole number"),
        (lambda: LinearSchedule(0.1, 0.2), r"LinearSchedule\(final=0.2\): final must lie in \[0, 0.1\]"),
        (lambda: check_time_scales(0.1, n_steps=3), "1 schedules; pass two or more"),
        (lambda: check_time_scales("a", 0.1, n_steps=3), r"schedules\[0\]='a'"),
        (lambda: check_time_scales(LinearSchedule(0.1, 0, 2), 0.1, n_steps=9), "shorten n_steps"),
    ],
)
def test_wrong_arguments(make, message):
    with pytest.raises(ParameterError, match=message):
        make()
