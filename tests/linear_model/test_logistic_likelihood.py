"""Intervals of logistic regression from the likelihood, plain and after Firth: against closed forms, brute force and a peer."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import optimize, special, stats

import novum
from novum.exceptions import DataError, ParameterError
from novum.linear_model import LogisticRegression


def fit(X, y, **settings):
    with warnings.catch_warnings(action="ignore"):  # that the classes are separated
        return LogisticRegression(C=np.inf, **settings).fit(X, y)


def infer(X, y, method, level=0.95, **settings):
    return fit(X, y, **settings).inference(X, y, method=method, level=level)


def penalised(flat, design, y, k, firth):
    """Return (17) or (18), by sums over rows."""
    B = flat.reshape(k - 1, -1)
    reach = np.column_stack([np.zeros(len(design)), design @ B.T])
    log_p = reach - special.logsumexp(reach, axis=1, keepdims=True)
    value = log_p[np.arange(len(y)), y].sum()
    if not firth:
        return value
    information = sum(
        np.kron(np.diag(p[1:]) - np.outer(p[1:], p[1:]), np.outer(x, x)) for p, x in zip(np.exp(log_p), design)
    )
    return value + 0.5 * np.linalg.slogdet(information)[1]


def table(counts):
    """Return rows of a two-way table: the column is the first index, the class the second."""
    counts = np.asarray(counts)
    group, label = np.indices(counts.shape).reshape(2, -1)
    return np.repeat(group, counts.ravel())[:, None].astype(float), np.repeat(label, counts.ravel())


SEPARATED = np.random.default_rng(0).normal(size=(60, 3))
SEPARATED[:, 2] = SEPARATED[:, 2] > 0.9
CLASSES = np.where(SEPARATED[:, 2] > 0, 1, SEPARATED[:, 0] + np.random.default_rng(1).normal(size=60) > 0).astype(int)


@pytest.mark.parametrize("counts", [[[5, 3], [2, 8]], [[4, 0], [3, 5]], [[6, 0], [0, 7]], [[1, 40], [3, 2]]])
def test_of_a_table_firth_adds_a_half_to_every_cell(counts):
    X, y = table(counts)
    found = infer(X, y, "firth")
    a = np.array(counts) + 0.5
    odds = np.log(a[:, 1] / a[:, 0])
    assert_allclose(found.coef, [odds[0], odds[1] - odds[0]], rtol=1e-9)


def test_of_a_table_of_several_classes_too():
    counts = np.array([[3, 0, 5, 2], [1, 4, 0, 6]])
    found = infer(*table(counts), "firth")
    odds = np.log((counts + 0.5)[:, 1:] / (counts + 0.5)[:, :1])
    assert_allclose(found.coef.reshape(3, 2), np.column_stack([odds[0], odds[1] - odds[0]]), rtol=1e-8)
    other = fit(*table(counts)).inference(*table(counts), method="firth", base_class=2)
    assert_allclose(other.log_likelihood, found.log_likelihood, rtol=1e-12)
    assert_allclose(other.coef[1], -found.coef[3], rtol=1e-8)


@pytest.mark.parametrize("k", [2, 3])
def test_firth_and_its_intervals_by_brute_force(k):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(15, 1)) * 3 + 2
    y = np.digitize(X[:, 0] + 3 * rng.normal(size=15), [2.0, 4.0][: k - 1])
    found = infer(X, y, "firth", level=0.9)
    design = np.column_stack([np.ones(15), X])
    best = optimize.minimize(lambda b: -penalised(b, design, y, k, True), np.zeros(2 * k - 2), tol=1e-12)
    best = optimize.minimize(lambda b: -penalised(b, design, y, k, True), best.x, method="Nelder-Mead", tol=1e-12)
    assert_allclose(found.coef, best.x, rtol=1e-5)
    assert_allclose(found.log_likelihood, -best.fun, rtol=1e-10)
    for j in range(2 * k - 2):
        free = np.arange(2 * k - 2) != j

        def deviance(b, free=free, j=j):
            start = np.insert(best.x[free], j, b)
            held = optimize.minimize(
                lambda rest: -penalised(np.insert(rest, j, b), design, y, k, True), start[free], tol=1e-10
            )
            return 2 * (held.fun - best.fun)

        quantile = stats.chi2.ppf(0.9, 1)
        assert_allclose([deviance(found.lower[j]), deviance(found.upper[j])], quantile, rtol=1e-6)
        assert_allclose(found.p_value[j], stats.chi2.sf(deviance(0.0), 1), rtol=1e-6)
        assert_allclose(found.statistic[j] ** 2, deviance(0.0), rtol=1e-6, atol=1e-8)


def test_profiles_without_separation_surround_the_maximum():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(80, 2)) * [1.0, 1e4]
    y = (X @ [1.0, 1e-4] + rng.logistic(size=80) > 0).astype(int)
    model = fit(X, y)
    wald, found = model.inference(), model.inference(X, y, method="profile")
    assert_allclose(found.coef, wald.coef, rtol=1e-8)
    assert_allclose(found.standard_error, wald.standard_error, rtol=1e-8)
    assert_allclose([found.log_likelihood, found.aic, found.bic], [wald.log_likelihood, wald.aic, wald.bic], rtol=1e-12)
    assert_allclose(found.likelihood_ratio, wald.likelihood_ratio, rtol=1e-9)
    design = np.column_stack([np.ones(80), X / [1.0, 1e4]])
    for j, scale in enumerate([1.0, 1.0, 1e4]):
        for bound in (found.lower[j], found.upper[j]):
            rest = optimize.minimize(
                lambda b, j=j, at=bound * scale: -penalised(np.insert(b, j, at), design, y, 2, False),
                np.zeros(2),
                tol=1e-11,
            )
            assert 2 * (rest.fun + found.log_likelihood) == pytest.approx(stats.chi2.ppf(0.95, 1), rel=1e-7)


def test_large_samples_agree_with_wald():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(5000, 2))
    y = (X @ [0.5, -0.3] + rng.logistic(size=5000) > 0.2).astype(int)
    model = fit(X, y)
    wald = model.inference()
    for method in ("profile", "firth"):
        found = model.inference(X, y, method=method)
        assert_allclose(found.lower, wald.lower, atol=2e-3)
        assert_allclose(found.upper, wald.upper, atol=2e-3)


def test_separated_classes_have_the_bounds_that_the_data_give():
    found = infer(SEPARATED, CLASSES, "profile")
    assert found.coef[3] == np.inf == found.upper[3] and np.isfinite(found.lower[3])
    assert np.isfinite(found.lower[:3]).all() and np.isfinite(found.upper[:3]).all()
    rows = (
        SEPARATED[:, 2] == 0
    )  # the others are predicted exactly, so that the finite coefficients are those of the rest
    rest = fit(SEPARATED[rows, :2], CLASSES[rows])
    assert_allclose(found.coef[:3], rest.inference().coef, rtol=1e-6)
    assert_allclose(found.log_likelihood, rest.inference().log_likelihood, atol=1e-9)
    other = rest.inference(SEPARATED[rows, :2], CLASSES[rows], method="profile")
    assert_allclose(found.lower[1:3], other.lower[1:], rtol=1e-6)
    assert "the classes are separated: x2 would be infinite" in repr(found)
    with pytest.raises(DataError, match="do not determine these coefficients"):
        found.hypothesis("x2")


def test_the_bound_of_two_separated_points_is_known():
    X, y = np.array([[-1.0], [1.0]]), [0, 1]
    found = infer(X, y, "profile", fit_intercept=False)  # D(b) = 4 log(1 + exp(-2 b / 2)) with two equal rows
    assert found.lower[0] == pytest.approx(-np.log(np.expm1(stats.chi2.ppf(0.95, 1) / 4)), rel=1e-9)
    assert found.upper[0] == np.inf


def test_columns_that_others_make_needless_are_anything():
    X = np.column_stack([np.arange(8.0), [1, 0, 1, 1, 0, 1, 0, 0]])
    found = infer(X, np.arange(8) > 3, "profile")
    assert np.isnan(found.coef[2]) and (found.lower[2], found.upper[2]) == (-np.inf, np.inf)
    assert "? is undefined: the other columns separate" in repr(found)


def test_frequencies_are_rows():
    X, y = table([[4, 0], [3, 5]])
    w = np.array([1, 2, 1, 3, 1, 1, 2, 1, 1, 4, 1, 1])
    with warnings.catch_warnings(action="ignore"):
        model = LogisticRegression(C=np.inf).fit(X, y, w)
    for method in ("firth", "profile"):
        counted = model.inference(X, y, w, method=method, weights="frequency")
        listed = infer(np.repeat(X, w, axis=0), np.repeat(y, w), method)
        assert_allclose(counted.coef, listed.coef, rtol=1e-8)
        assert_allclose(counted.lower, listed.lower, rtol=1e-8)
        assert_allclose([counted.n_rows, counted.bic], [listed.n_rows, listed.bic])


def test_the_same_from_a_file(tmp_path):
    path, X = tmp_path / "rows.csv", SEPARATED[:, 2:]
    np.savetxt(path, np.column_stack([X, CLASSES]), delimiter=",", header="a,y", comments="")
    rows = novum.scan(path, target="y")
    with warnings.catch_warnings(action="ignore"):
        model = LogisticRegression(C=np.inf).fit(rows)
    found, expected = model.inference(rows, method="firth"), infer(X, CLASSES, "firth")
    assert_allclose(found.coef, expected.coef, rtol=1e-8)
    assert_allclose(found.upper, expected.upper, rtol=1e-8)


@pytest.mark.peer
def test_firth_as_firthmodels_does():
    peer = pytest.importorskip("firthmodels")
    found = infer(SEPARATED, CLASSES, "firth")
    model = peer.FirthLogisticRegression(gtol=1e-10, xtol=1e-12, max_iter=500).fit(SEPARATED, CLASSES)
    model.lrt()
    order = [3, 0, 1, 2]
    assert_allclose(found.coef, np.append(model.coef_, model.intercept_)[order], rtol=1e-9)
    assert_allclose(found.p_value, np.asarray(model.lrt_pvalues_)[order], rtol=1e-7)
    assert_allclose(np.column_stack([found.lower, found.upper]), model.conf_int(method="pl")[order], rtol=1e-7)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        ({"method": "bayes"}, "method='bayes' is none of 'wald', 'profile', 'firth'"),
        ({"method": "firth", "covariance": "HC0"}, "only Wald's intervals have one"),
        ({"X": None, "y": None, "method": "firth"}, r"needs the training data: inference\(X, y, method='firth'\)"),
        ({"X": SEPARATED[:30], "y": CLASSES[:30], "method": "firth"}, "give X, y and sample_weight that `fit` saw"),
    ],
)
def test_wrong_questions_are_refused(ask, message):
    with pytest.raises((DataError, ParameterError), match=message):
        fit(SEPARATED, CLASSES).inference(**{"X": SEPARATED, "y": CLASSES, **ask})


def test_what_is_no_likelihood_is_refused():
    with pytest.raises(DataError, match="the fit was penalised"):
        LogisticRegression().fit(SEPARATED, CLASSES).inference(SEPARATED, CLASSES, method="profile")
    with pytest.raises(ParameterError, match="with class_weight the objective is no likelihood"):
        fit(SEPARATED, CLASSES, class_weight="balanced").inference(SEPARATED, CLASSES, method="firth")
    with pytest.raises(DataError, match="collinear or constant"):
        X = np.column_stack([SEPARATED, SEPARATED[:, 0]])
        fit(X, CLASSES).inference(X, CLASSES, method="firth")


@pytest.mark.slow
@pytest.mark.parametrize(("n", "slope", "shift"), [(20, 0.0, 0.0), (30, 2.0, 0.0), (60, 1.0, 2.5), (200, 0.5, 3.0)])
def test_intervals_after_firth_cover(n, slope, shift):
    rng = np.random.default_rng(0)
    covered = done = 0
    for _ in range(600):
        X = rng.normal(size=(n, 1))
        y = (slope * X[:, 0] - shift + rng.logistic(size=n) > 0).astype(int)
        if len(np.unique(y)) < 2:
            continue
        found = infer(X, y, "firth")
        covered += found.lower[1] <= slope <= found.upper[1]
        done += 1
    assert 0.93 <= covered / done <= 0.985  # small samples lean to the safe side


def rare(rng, n, n_columns, base):
    """Return rows and outcomes of a model whose intercept makes one class rare."""
    X = rng.normal(size=(n, n_columns))
    reach = base + X @ np.array([0.8, -0.5, 0.3])[:n_columns]
    return X, (rng.random(n) < special.expit(reach)).astype(int)


@pytest.mark.parametrize("seed", range(3))
def test_bounds_of_three_columns_that_separate_a_rare_class(seed):
    """The maximum lies in a far direction; each finite bound is where the likelihood, maximised over the rest, falls by 1.92."""
    rng = np.random.default_rng([seed, 7])
    X, y = rare(rng, 40, 3, -2.5)
    while not 2 < y.sum() < 5 or fit(X, y).separation_ is None:
        X, y = rare(rng, 40, 3, -2.5)
    found = infer(X, y, "profile")
    design = np.column_stack([np.ones(40), X])

    def deviance(j, b):
        others = np.arange(4) != j

        def loss(rest):
            z = design[:, others] @ rest + design[:, j] * b
            return np.logaddexp(0, np.where(y == 1, -z, z)).sum(), design[:, others].T @ (special.expit(z) - y)

        scale = np.maximum(1.0, abs(b))
        starts = [np.zeros(3)] if not b else [np.zeros(3), scale * rng.normal(size=3)]
        options = {"gtol": 1e-9, "maxiter": 3000}
        return 2 * min(optimize.minimize(loss, s, jac=True, method="BFGS", options=options).fun for s in starts)

    finite = 0
    for j in range(4):
        for b in (found.lower[j], found.upper[j]):
            if np.isfinite(b):
                finite += 1
                assert deviance(j, b) == pytest.approx(stats.chi2.ppf(0.95, 1), rel=1e-3)
        if np.isfinite(found.p_value[j]):
            assert found.p_value[j] == pytest.approx(stats.chi2.sf(deviance(j, 0.0), 1), rel=1e-3, abs=1e-9)
    assert finite >= 1
    assert f"{y.sum()} rows of the rarest class are few" in repr(found)
    assert "are few" not in repr(infer(X, y, "firth"))
    many = rare(rng, 300, 3, 0.0)
    assert "are few" not in repr(infer(*many, "profile"))


@pytest.mark.slow
@pytest.mark.parametrize("n_columns", [2, 3])
@pytest.mark.parametrize(("n", "base"), [(40, 0.0), (40, -2.5), (120, -2.5)])
def test_likelihood_intervals_of_several_columns_cover(n, base, n_columns):
    rng = np.random.default_rng([n, n_columns, int(-10 * base)])
    truth = np.append(base, [0.8, -0.5, 0.3][:n_columns])
    held, done = {"firth": 0.0, "profile": 0.0}, 0
    for _ in range(60):
        X, y = rare(rng, n, n_columns, base)
        if y.min() == y.max():
            continue
        done += 1
        for method in held:
            found = infer(X, y, method)
            low, high = np.nan_to_num(found.lower, nan=-np.inf), np.nan_to_num(found.upper, nan=np.inf)
            held[method] += ((low <= truth) & (truth <= high)).mean()
    assert done > 50
    assert 0.88 < held["firth"] / done < 0.99 and (0.78 if base and n == 40 else 0.86) < held["profile"] / done < 0.99
