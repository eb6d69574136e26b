"""Overlap, whole numbers, thin strata, widths of intervals, doses, the front door, refutation and sensitivity."""

import warnings

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from novum.causal import adjust, frontdoor
from novum.exceptions import DataError, DataWarning, ParameterError
from novum.graphical import BayesianNetwork


def drawn(seed, n=600, slope=1.0, effect=2.0):
    rng = np.random.default_rng(seed)
    s = rng.normal(size=n)
    x = rng.random(n) < 1 / (1 + np.exp(-slope * s))
    return {"s": s, "x": x, "y": effect * x + 3 * s + rng.normal(size=n)}


def measured(data_of, truth, repeats=120, **options):
    """Return coverage, and the width of intervals against the standard deviation of estimates."""
    values, widths, hits = [], [], 0
    for seed in range(repeats):
        value, (low, high) = adjust(data_of(seed), "x", "y", **options).difference()
        values.append(value)
        widths.append(high - low)
        hits += low < truth < high
    return hits / repeats, np.mean(widths) / (2 * 1.96 * np.std(values))


@pytest.mark.parametrize("method", ["adjustment", "ipw", "doubly_robust"])
def test_no_overlap_is_refused_with_the_propensities(method):
    rng = np.random.default_rng(0)
    u = rng.normal(size=1500)
    y = (u > 0) + 2 * u + rng.normal(size=1500)
    with pytest.raises(DataError, match=r"no overlap.*P\(x=True \| adjustment set\) is .*\(median .*trim="):
        adjust({"u": u, "x": u > 0, "y": y}, "x", "y", "u", method=method)
    with pytest.raises(DataError, match=r"trim=0.2.*too few to compare"):
        adjust({"u": u, "x": u > 0, "y": y}, "x", "y", "u", method=method, trim=0.2)
    with pytest.warns(DataWarning, match="no overlap.*leans on a few rows"):
        adjust(drawn(0, 2000, 3.0), "x", "y", "s", method=method)
    with pytest.raises(ParameterError, match="trim"):
        adjust(drawn(0), "x", "y", "s", trim=0.7)


@pytest.mark.parametrize("method", ["adjustment", "ipw", "doubly_robust"])
def test_trimmed_estimates(method):
    found = adjust(drawn(1, 3000, 4.0), "x", "y", "s", method=method, trim=0.1)
    _, (low, high) = found.difference()
    assert low < 2 < high and high - low < 0.8
    assert (
        "trimmed to propensities from .1" in repr(found)
        and found.propensities.min() > 0.02
        and len(found.received) < 2000
    )


def test_whole_numbers_are_numbers_where_they_are_many():
    rng = np.random.default_rng(0)
    age = rng.integers(18, 81, 800)
    x = rng.random(800) < 1 / (1 + np.exp(-(age - 50) / 20))
    y = 0.05 * age + 2 * x + rng.normal(size=800)
    found = adjust({"age": age, "x": x, "y": y}, "x", "y", "age")
    _, (low, high) = found.difference()
    assert low < 2 < high and "(regressions)" in repr(found)
    few = {"s": age % 3, "x": x, "y": y}
    assert "(strata)" in repr(adjust(few, "x", "y", "s"))
    thin = {
        "s": np.r_[age[:60] % 3, [7]],
        "x": np.r_[x[:60], True],
        "y": np.r_[y[:60], 1.0],
    }  # one value, one treatment
    assert "(regressions)" in repr(adjust(thin, "x", "y", "s"))


def thin_strata(size, n, binary):
    def rows(seed):
        rng = np.random.default_rng(seed)
        while True:
            s = rng.integers(0, size, n)
            x = rng.random(n) < 0.3 + 0.4 * s / size
            if len(set(zip(s, x, strict=True))) == 2 * size:
                break
        y = (
            (rng.random(n) < 0.2 + 0.3 * s / size + 0.1 * x).astype(int)
            if binary
            else x + 2 * s / size + rng.normal(size=n)
        )
        return {"s": [f"k{v}" for v in s], "x": x, "y": y}

    return rows


@pytest.mark.parametrize(
    ("size", "n", "binary", "truth"), [(10, 60, False, 1.0), (10, 60, True, 0.1), (20, 160, False, 1.0)]
)
def test_thin_strata_keep_their_level(size, n, binary, truth):
    covered, width = measured(thin_strata(size, n, binary), truth, 150, adjustment="s")
    assert (
        covered >= 0.92 and 0.9 < width < 1.3
    )  # 95 % of 150, less two standard deviations; plain variances: 88 to 91 %


@pytest.mark.parametrize("method", ["adjustment", "ipw", "doubly_robust"])
@pytest.mark.filterwarnings("ignore::novum.exceptions.DataWarning")
def test_widths_are_those_of_the_estimates(method):
    covered, width = measured(drawn, 2.0, adjustment="s", method=method)
    assert covered >= 0.88 and 0.8 < width < 1.25  # weights with known propensities: 1.75


def dose(seed, n=400):
    rng = np.random.default_rng(seed)
    s, c = rng.normal(size=n), rng.integers(0, 3, n)
    x = 0.7 * s + 0.3 * c + rng.normal(size=n)
    return {"s": s, "c": c, "x": x, "y": 1.5 * x + 2 * s + c + 0.3 * x * s + rng.normal(size=n)}


@pytest.mark.parametrize("method", ["adjustment", "doubly_robust"])
@pytest.mark.filterwarnings("ignore::novum.exceptions.DataWarning")
def test_doses(method):
    covered, width = measured(dose, 1.5, adjustment=["s", "c"], method=method)
    assert covered >= 0.89 and 0.85 < width < 1.2
    found = adjust(dose(0), "x", "y", ["s", "c"], method=method)
    frame = found.to_frame()
    assert (frame["low"] < frame["mean"]).all() and len(frame) == 11 and "per unit" in repr(found)
    assert found.difference(2.0, -1.0)[0] == pytest.approx(3 * found.slope)
    assert len(found.plot(Figure().subplots()).lines) == 1 and found.refute(n_repeats=10)
    with pytest.raises(ParameterError, match="weights alone are too uneven"):
        adjust(dose(0), "x", "y", "s", method="ipw")
    same = dose(0)
    with pytest.raises(DataError, match="is a function of the adjustment set"):
        adjust(same | {"z": 2 * same["x"]}, "x", "y", "z")


def test_a_linear_dose_is_least_squares():
    data = dose(3)
    Z = np.column_stack(
        [np.ones(400), data["x"], data["s"], (data["x"] - data["x"].mean()) * (data["s"] - data["s"].mean())]
    )
    b = np.linalg.lstsq(Z, data["y"], rcond=None)[0]
    assert adjust(data, "x", "y", "s").slope == pytest.approx(b[1], rel=1e-9)


def test_front_door_intervals():
    network = BayesianNetwork(
        {"u": [], "x": ["u"], "m": ["x"], "y": ["u", "m"]},
        {
            "u": [0.4, 0.6],
            "x": [[0.7, 0.3], [0.2, 0.8]],
            "m": [[0.8, 0.2], [0.3, 0.7]],
            "y": [[[0.9, 0.1], [0.5, 0.5]], [[0.6, 0.4], [0.2, 0.8]]],
        },
    )
    truth = frontdoor(network, "x", "y", "m").effect()
    assert frontdoor(network, "x", "y", "m").interval() == (truth, truth)
    hits, values, errors = 0, [], []
    for seed in range(120):
        found = frontdoor(network.sample(400, random_state=seed), "x", "y", "m")
        low, high = found.interval()
        hits += low < truth < high
        values.append(found.effect())
        errors.append((high - low) / 3.92)
    assert hits >= 106 and np.mean(errors) == pytest.approx(np.std(values), rel=0.2)
    np.testing.assert_allclose(
        found.standard_errors[:, 0], found.standard_errors[:, 1]
    )  # two outcomes: one probability
    assert "95 % interval" in repr(found) and "standard_error" in found.to_frame()
    assert len(found.plot(Figure().subplots()).patches) == 4


def test_front_door_derivatives():
    from novum.causal.formulas import frontdoor_covariance

    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(24)).reshape(2, 3, 4)

    def value(p):
        p = p / p.sum()
        p_x, p_xm = p.sum((1, 2)), p.sum(1)
        return np.einsum("xm,aym,a->xy", p_xm / p_x[:, None], p / p_xm[:, None, :], p_x)

    g = np.array([(value(p + h) - value(p - h)).ravel() / 2e-6 for h in 1e-6 * np.eye(24).reshape(24, 2, 3, 4)]).T
    flat = p.ravel()
    expected = (g * flat) @ g.T - np.outer(g @ flat, g @ flat)
    np.testing.assert_allclose(frontdoor_covariance(p, 1).reshape(6, 6), expected, atol=1e-7)


def test_refutation():
    effect = adjust(pd.DataFrame(drawn(0, 800)), "x", "y", "s")
    found = effect.refute(n_repeats=30)
    assert found and [t.kind for t in found.tests] == ["placebo", "random_common_cause", "subset"]
    assert abs(found.tests[0].mean) < 3 * effect.difference_error() and found.tests[1].mean == pytest.approx(
        effect.difference()[0], abs=0.05
    )
    assert repr(found) == repr(effect.refute(n_repeats=30)) and found.to_frame()["passed"].all()
    assert len(found.plot(Figure().subplots()).lines) == 6
    strata = adjust(thin_strata(4, 400, True)(0), "x", "y", "s").refute(n_repeats=20)
    assert len(strata.tests) == 3 and strata.tests[1]
    late = drawn(0, 800)
    late["y"] = np.where(np.arange(800) < 400, 10.0, 0.0) * late["x"] + late["y"]  # two populations
    assert effect.refute("placebo", n_repeats=10).tests[0].kind == "placebo"
    with pytest.raises(ParameterError, match="kind must be one of"):
        effect.refute("luck")


def test_sensitivity_to_what_was_not_seen():
    rng = np.random.default_rng(0)
    n = 4000
    u, x = rng.normal(size=n), rng.normal(size=n)
    x = x + 0.8 * u
    y = 0.5 * x + 1.2 * u + rng.normal(size=n)
    seen = adjust({"x": x, "y": y}, "x", "y", ())
    found = seen.sensitivity()
    full = adjust({"x": x, "y": y, "u": u}, "x", "y", "u")

    def partial(a, b, given):
        Z = np.column_stack([np.ones(n), *given])
        ra, rb = (v - Z @ np.linalg.lstsq(Z, v, rcond=None)[0] for v in (a, b))
        return np.corrcoef(ra, rb)[0, 1] ** 2

    left = seen.slope - float(found.bias(partial(x, u, []), partial(y, u, [x])))
    assert left == pytest.approx(full.slope, abs=0.02)  # the formula for omitted variables
    r = found.robustness_value
    assert float(found.bias(r, r)) == pytest.approx(seen.slope, rel=1e-9)
    assert 0 < found.robustness_value_interval < r and 1 < found.e_value_interval < found.e_value
    assert "robustness value" in repr(found) and len(found.to_frame()) == 36
    found.plot(Figure().subplots())
    two = adjust(thin_strata(4, 2000, True)(0), "x", "y", "s")
    ratio = two.means[1] / two.means[0]
    assert two.sensitivity().e_value == pytest.approx(ratio + np.sqrt(ratio * (ratio - 1)))


def test_results_show_themselves():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        effect = adjust(drawn(0), "x", "y", "s")
    assert effect.to_frame().shape == (3, 5) and effect._repr_html_().startswith("<pre>")
    assert sum(p.get_height() for p in effect.plot_overlap(Figure().subplots()).patches) == 600
    with pytest.raises(ParameterError, match="no state of 'x'"):
        effect.difference("maybe")
