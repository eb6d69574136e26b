"""Linear models do not depend on the units of columns and targets, nor on where zero lies: coefficients, errors and p follow."""

import warnings
from functools import cache

import numpy as np
import pytest
import scipy.sparse
from numpy.testing import assert_allclose
from scipy.optimize import linprog

from novum.exceptions import DataError, DataWarning, NotConverged
from novum.linear_model import (
    ARDRegression,
    BayesianRidge,
    GammaRegressor,
    HuberRegressor,
    Lasso,
    LinearRegression,
    LogisticRegression,
    LogisticRegressionCV,
    PoissonRegressor,
    QuantileRegressor,
    Ridge,
    TweedieRegressor,
)
from novum.svm import LinearSVC, LinearSVR

MODELS = {
    "logit": (lambda: LogisticRegression(C=np.inf), "class"),
    "softmax": (lambda: LogisticRegression(C=np.inf), "classes"),
    "newton-cg": (lambda: LogisticRegression(C=np.inf, solver="newton-cg"), "class"),
    "poisson": (lambda: PoissonRegressor(alpha=0), "count"),
    "gamma": (lambda: GammaRegressor(alpha=0), "positive"),
    "compound": (lambda: TweedieRegressor(power=1.5, alpha=0), "count"),
    "inverse Gaussian": (lambda: TweedieRegressor(power=3, alpha=0), "positive"),
    "normal": (lambda: TweedieRegressor(power=0, alpha=0), "real"),
    "huber": (lambda: HuberRegressor(alpha=0), "real"),
    "quantile": (lambda: QuantileRegressor(alpha=0, quantile=0.3), "real"),
    "ols": (LinearRegression, "real"),
    "ridge": (lambda: Ridge(alpha=0), "real"),
}
FRAMES = {
    "small": ([1e-9, 1e-9, 1e-9], [0, 0, 0]),
    "large": ([1e9, 1e9, 1e9], [0, 0, 0]),
    "mixed": ([1e-9, 1, 1e9], [0, 0, 0]),
    "far": ([1, 1, 1], [1e6, -1e7, 1e9]),
    "mixed and far": ([1e-9, 1, 1e9], [1e-3, 1e7, 1e16]),
    "an hour": ([1000, 1, 1], [1.7e9, 0, 0]),
}


@cache
def table(seed):
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(300, 3))
    eta = Z @ rng.normal(size=3) + 0.2
    targets = {
        "class": (rng.random(300) < 1 / (1 + np.exp(-eta))).astype(int),
        "classes": np.argmax(np.column_stack([eta, -eta, 0 * eta]) + rng.gumbel(size=(300, 3)), axis=1),
        "count": rng.poisson(np.exp(0.5 * eta)).astype(float),
        "positive": np.exp(0.5 * eta) * rng.gamma(3, 1 / 3, 300),
        "real": eta + rng.standard_t(4, 300),
    }
    return Z, targets, rng.integers(1, 4, 300).astype(float)


def shifted(Z, name):
    """Return columns in other units, the columns about zero that they are to the last digit, and the units."""
    unit, center = (np.array(part, dtype=float) for part in FRAMES[name])
    X = Z * unit + center
    return X, (X - center) / unit, unit


def slopes(table):
    return [j for j, name in enumerate(table.names) if "intercept" not in name]


def check_inference(ours, other, unit):
    """Compare two tables of coefficients, slopes in their units."""
    j = slopes(ours)
    each = np.tile(unit, len(j) // len(unit))
    for name in ("coef", "standard_error", "lower", "upper"):
        assert_allclose(getattr(ours, name)[j] * each, getattr(other, name)[j], rtol=1e-8, atol=1e-9)
    assert_allclose(ours.p_value[j], other.p_value[j], rtol=1e-7, atol=1e-12)


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("name", MODELS)
def test_columns_in_other_units_and_places(name, frame):
    make, kind = MODELS[name]
    Z, targets, w = table(1)
    y = targets[kind]
    X, Z, unit = shifted(Z, frame)
    for weight in (None, w):
        ours, other = make().fit(X, y, weight), make().fit(Z, y, weight)
        assert_allclose(ours.coef_ * unit, other.coef_, rtol=1e-8, atol=1e-10)
        answer = "predict_proba" if kind in ("class", "classes") else "predict"
        assert_allclose(
            getattr(ours, answer)(X), getattr(other, answer)(Z), rtol=1e-5, atol=2e-6
        )  # 1e9 holds seven decimals
        if hasattr(ours, "inference"):
            frequency = (
                {}
                if isinstance(ours, PoissonRegressor | GammaRegressor | TweedieRegressor)
                else {"weights": "frequency"}
            )
            check_inference(ours.inference(X, y, weight, **frequency), other.inference(Z, y, weight, **frequency), unit)


@pytest.mark.parametrize("frame", ["small", "large", "mixed"])
@pytest.mark.parametrize("name", MODELS)
def test_units_without_an_intercept(name, frame):
    make, kind = MODELS[name]
    Z, targets, _ = table(2)
    X, Z, unit = shifted(Z, frame)
    y = targets[kind]
    ours, other = (make().set_params(fit_intercept=False).fit(rows, y) for rows in (X, Z))
    assert_allclose(ours.coef_ * unit, other.coef_, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("unit", [1e-9, 1e6, 1e9])
@pytest.mark.parametrize("name", [name for name, (_, kind) in MODELS.items() if kind in ("count", "positive", "real")])
def test_targets_in_other_units(name, unit):
    make, kind = MODELS[name]
    Z, targets, _ = table(3)
    y = targets[kind]
    for intercept in (True, False):
        if not intercept and kind != "real":
            continue  # a log link turns units into an intercept
        ours, other = (make().set_params(fit_intercept=intercept).fit(Z, t) for t in (y * unit, y))
        assert_allclose(ours.predict(Z) / unit, other.predict(Z), rtol=1e-8, atol=1e-9)
    if kind == "real":
        ours, other = make().fit(Z, y + 1e9), make().fit(Z, (y + 1e9) - 1e9)
        assert_allclose(ours.coef_, other.coef_, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("method", ["profile", "firth"])
@pytest.mark.parametrize("kind", ["class", "classes"])
def test_intervals_of_the_likelihood(kind, method):
    rng = np.random.default_rng(4)
    Z = rng.normal(size=(40, 2))
    k = 2 if kind == "class" else 3
    y = np.argmax(np.column_stack([Z[:, 0], 0 * Z[:, 0], Z[:, 1]])[:, :k] + rng.gumbel(size=(40, k)), axis=1)
    unit, center = np.array([1e-9, 1e3]), np.array([1e-3, 1.7e9])
    X = Z * unit + center
    Z = (X - center) / unit
    ours, other = (LogisticRegression(C=np.inf).fit(rows, y).inference(rows, y, method=method) for rows in (X, Z))
    check_inference(ours, other, unit)
    assert_allclose(ours.likelihood_ratio, other.likelihood_ratio, rtol=1e-10)


@pytest.mark.parametrize("method", ["wald", "profile", "firth"])
def test_the_intercept_is_that_of_the_users_zero(method):
    rng = np.random.default_rng(5)
    Z = rng.normal(size=(60, 2))
    y = (rng.random(60) < 1 / (1 + np.exp(-Z[:, 0]))).astype(int)
    near, far = Z + [20.0, 1.0], Z + [400.0, 1.0]  # the first has no frame
    tables = [LogisticRegression(C=np.inf).fit(X, y).inference(X, y, method=method) for X in (near, far)]
    held = LogisticRegression(C=np.inf).fit(far - [380.0, 0.0], y).inference(far - [380.0, 0.0], y, method=method)
    for name in ("coef", "lower", "upper"):  # the same table, by way of a frame and without
        assert_allclose(getattr(held, name), getattr(tables[0], name), rtol=1e-7)
    assert tables[1].lower[0] < tables[1].coef[0] < tables[1].upper[0]
    assert_allclose(tables[1].coef[0], tables[0].coef[0] - 380 * tables[0].coef[1], rtol=1e-8)
    if method == "wald":
        V = tables[0].covariance
        expected = np.sqrt(V[0, 0] - 2 * 380 * V[0, 1] + 380**2 * V[1, 1])
        assert_allclose(tables[1].standard_error[0], expected, rtol=1e-8)


def test_penalties_are_the_users():
    Z, targets, _ = table(6)
    y, s = targets["class"], 1e-9
    for options, scale in (({"C": 0.5}, s**2), ({"C": 0.5, "l1_ratio": 1.0, "solver": "saga", "tol": 1e-8}, s)):
        plain = LogisticRegression(**options).fit(Z, y)
        small = LogisticRegression(**{**options, "C": options["C"] / scale}).fit(Z * s, y)
        far = LogisticRegression(**options).fit(Z + 1e7, y)
        assert_allclose(small.coef_ * s, plain.coef_, rtol=1e-4, atol=1e-6)
        assert_allclose(far.coef_, plain.coef_, rtol=1e-4, atol=1e-6)
    counts = targets["count"]
    plain = PoissonRegressor(alpha=0.3).fit(Z, counts)
    assert_allclose(PoissonRegressor(alpha=0.3 * s**2).fit(Z * s, counts).coef_ * s, plain.coef_, rtol=1e-9)
    assert_allclose(PoissonRegressor(alpha=0.3 * s).fit(Z, counts * s).coef_, plain.coef_, rtol=1e-9)
    assert_allclose(PoissonRegressor(alpha=0.3).fit(Z + 1e7, counts).coef_, plain.coef_, rtol=1e-7)
    real = targets["real"]
    plain = HuberRegressor(alpha=0.3).fit(Z, real)
    far = HuberRegressor(alpha=0.3).fit(Z + 1e7, real + 1e6)
    assert_allclose(far.coef_, plain.coef_, rtol=1e-6)
    assert_allclose(far.scale_, plain.scale_, rtol=1e-6)
    assert_allclose(Lasso(alpha=0.1).fit(Z + 1e7, real).coef_, Lasso(alpha=0.1).fit(Z, real).coef_, atol=1e-3)


def test_grids_of_penalties_stand_in_the_frame():
    Z, targets, _ = table(7)
    options = {
        "Cs": [0.1, 1.0],
        "cv": 3,
        "l1_ratios": (0.0,),
        "use_legacy_attributes": False,
        "scoring": "neg_log_loss",
    }
    ours, other = (LogisticRegressionCV(**options).fit(X, targets["class"]) for X in (Z + 1e7, Z))
    assert_allclose(ours.coef_, other.coef_, rtol=1e-3)
    assert_allclose(ours.scores_, other.scores_, atol=1e-6)


@pytest.mark.parametrize("name", ["logit", "poisson", "huber"])
def test_sparse_columns_are_filled_where_they_are_far(name):
    make, kind = MODELS[name]
    rng = np.random.default_rng(8)
    _, targets, w = table(1)
    X = rng.normal(size=(300, 4)) * (rng.random((300, 4)) < 0.3)
    X[:, 1] = 1e7 + rng.normal(size=300)
    X[:, 2] *= 1e-9
    dense, sparse = make().fit(X, targets[kind], w), make().fit(scipy.sparse.csr_array(X), targets[kind], w)
    assert_allclose(sparse.coef_, dense.coef_, rtol=1e-7)


@pytest.mark.parametrize("name", ["logit", "softmax", "poisson", "huber"])
def test_files_and_dask_stand_in_the_same_frame(name, tmp_path):
    dask_array = pytest.importorskip("dask.array")
    import novum

    make, kind = MODELS[name]
    Z, targets, _ = table(1)
    X, _, unit = shifted(Z, "mixed and far")
    y = targets[kind]
    np.save(tmp_path / "X.npy", X)
    np.save(tmp_path / "y.npy", y)
    memory = make().fit(X, y)
    file = make().fit(novum.scan(tmp_path / "X.npy", target=tmp_path / "y.npy", batch_rows=100))
    chunks = make().fit(dask_array.from_array(X, chunks=(100, 3)), dask_array.from_array(y, chunks=100))
    for other in (file, chunks):
        assert_allclose(other.coef_ * unit, memory.coef_ * unit, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("seed", range(10))
def test_quantiles_far_from_zero_are_optimal(seed):
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(80, 3))
    y = Z @ rng.normal(size=3) + rng.normal(size=80)
    X, q = Z + 1e7, rng.uniform(0.1, 0.9)
    model = QuantileRegressor(alpha=0, quantile=q).fit(X, y)
    design = np.column_stack([X - 1e7, np.ones(80)])
    cost = np.concatenate([np.zeros(4), np.full(80, q), np.full(80, 1 - q)])
    best = linprog(
        cost, A_eq=np.hstack([design, np.eye(80), -np.eye(80)]), b_eq=y, bounds=[(None, None)] * 4 + [(0, None)] * 160
    )
    r = y - (X - 1e7) @ model.coef_ - (model.intercept_ + 1e7 * model.coef_.sum())
    assert_allclose(np.maximum(q * r, (q - 1) * r).sum(), best.fun, rtol=1e-7)


def test_what_no_frame_can_mend_is_said():
    Z, targets, _ = table(9)
    y = targets["class"]
    with pytest.warns(DataWarning, match="x0 hardly varies for its size"):
        LogisticRegression(C=np.inf).fit(Z + [1e15, 0, 0], y)
    with pytest.warns(DataWarning, match="without an intercept"):
        LogisticRegression(C=np.inf, fit_intercept=False).fit(Z + 1e7, y)
    with pytest.warns(DataWarning, match="under a penalty on the intercept"), warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=NotConverged)
        LogisticRegression(solver="liblinear").fit(Z + 1e7, y)
    for machine, target in ((LinearSVC(), y), (LinearSVR(), targets["real"])):
        with pytest.warns(DataWarning, match="under a penalty on the intercept"), warnings.catch_warnings():
            warnings.filterwarnings("ignore", category=NotConverged)
            machine.fit(Z + 1e7, target)
    for model, target in (
        (LogisticRegression(C=np.inf), y),
        (LinearRegression(), targets["real"]),
        (HuberRegressor(alpha=0), targets["real"]),
    ):
        with pytest.raises(DataError, match="x1 varies so little that its coefficient is larger than any float64"):
            model.fit(Z * [1, 1e-310, 1], target)


@pytest.mark.parametrize("make", [BayesianRidge, ARDRegression])
def test_precisions_follow_the_units(make):
    rng = np.random.default_rng(10)
    X = rng.normal(size=(200, 4))
    y = X @ [1.0, 2.0, 0.0, -1.0] + rng.normal(size=200)
    plain = make(compute_score=True, tol=1e-10).fit(X, y)
    for u, t in ((1.0, 2.0**20), (2.0**-30, 1.0), (2.0**30, 2.0**-30)):
        model = make(compute_score=True, tol=1e-10).fit(X * u, y * t)
        assert_allclose(
            model.predict(X * u, return_std=True),
            np.multiply(plain.predict(X, return_std=True), t),
            rtol=1e-4,
            atol=1e-3 * t,
        )
        assert_allclose(model.alpha_ * t**2, plain.alpha_, rtol=1e-4)
        assert_allclose(model.scores_[-1] + 200 * np.log(t), plain.scores_[-1], rtol=1e-3)
    assert make().fit(X, 1e6 * y).score(X, 1e6 * y) > 0.8
