"""Rare treatments overlap where rows like the others received them; the lack of such rows is reported."""

import warnings

import numpy as np
import pytest

from novum.causal import adjust
from novum.exceptions import DataError, DataWarning

METHODS = ["adjustment", "ipw", "doubly_robust"]


def rare(seed, n, base, slope, groups=False):
    rng = np.random.default_rng(seed)
    s = rng.integers(0, 4, n) / 2 if groups else rng.normal(size=n)
    x = rng.random(n) < 1 / (1 + np.exp(-(base + slope * s)))
    y = 2 * x + 3 * s + rng.normal(size=n)
    return {"s": [f"k{v}" for v in s] if groups else s, "x": x, "y": y}


@pytest.mark.parametrize("groups", [False, True])
@pytest.mark.parametrize("method", METHODS)
def test_one_in_two_hundred_of_many_rows(method, groups):
    data = rare(0, 100_000, -5.4, 0.5, groups)
    assert 400 < data["x"].sum() < 1100 and data["x"].mean() < 0.011
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        value, (low, high) = adjust(data, "x", "y", "s", method=method).difference()
    assert low < 2 < high and high - low < 0.8 and abs(value - 2) < 0.4


@pytest.mark.parametrize(
    "n, base, slope, groups",
    [
        (5000, -4, 0.5, False),
        (5000, -4, 0.5, True),
        (20_000, -5, 0.7, False),
        (2000, -3, 1.5, False),
    ],
)
@pytest.mark.parametrize("method", METHODS)
def test_intervals_hold_or_the_call_warns(method, n, base, slope, groups):
    if groups and method != "adjustment":
        pytest.skip("over strata the methods are one")
    good = []
    for seed in range(40):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            _, (low, high) = adjust(
                rare(3000 + seed, n, base, slope, groups), "x", "y", "s", method=method
            ).difference()
        good.append(low < 2 < high or bool(said))
    assert np.mean(good) >= 0.84  # 95 % of 40, less three standard deviations


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("share", [0.005, 0.5])
def test_treatments_without_a_like_are_refused(method, share):
    rng = np.random.default_rng(1)
    u = rng.normal(size=20_000)
    x = u > np.quantile(u, 1 - share)
    y = 2 * u + x + rng.normal(size=u.size)
    with pytest.raises(DataError, match=r"no overlap.*cannot be estimated"):
        adjust({"u": u, "x": x, "y": y}, "x", "y", "u", method=method)
    few = rng.random(u.size) < np.where(u > 1.0, 0.05, 1e-5)  # only those above one are treated
    with pytest.raises((DataError, DataWarning), match="no overlap"), warnings.catch_warnings():
        warnings.simplefilter("error")
        adjust({"u": u, "x": few, "y": y}, "x", "y", "u", method=method)
