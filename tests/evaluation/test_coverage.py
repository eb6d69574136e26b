"""How often intervals hold the truth, by simulation on listed designs; the numbers stand in the docstrings."""

import warnings

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtri
from sklearn.model_selection import KFold, RepeatedKFold

from novum.evaluation import (
    ConformalClassifier,
    ConformalRegressor,
    bootstrap_error,
    clopper_pearson_interval,
    cross_validate,
    delong_interval,
    evaluate_predictions,
    wilson_interval,
)
from novum.linear_model import LinearRegression
from novum.naive_bayes import GaussianNB

# tables of a few rows: that their intervals are in doubt is reported, and tested in test_doubts.py
pytestmark = pytest.mark.filterwarnings("ignore:.*interval of:novum.exceptions.DataWarning")

POINTS = 0.02  # what a measured coverage may differ from the level by
rng_of = np.random.default_rng


def near(hits, level=0.95, points=POINTS):
    """Return whether a share of hits agrees with a level to two points, beyond what so many runs can tell."""
    noise = 2.5 * np.sqrt(level * (1 - level) / len(hits))
    return abs(np.mean(hits) - level) <= points + noise


def exact_coverage(interval, n, p):
    return sum(stats.binom.pmf(s, n, p) for s in range(n + 1) if interval(s, n).lower <= p <= interval(s, n).upper)


def test_shares_exactly():
    designs = [(n, p) for n in (100, 200) for p in (0.5, 0.7, 0.8, 0.9)]
    wilson = [exact_coverage(wilson_interval, n, p) for n, p in designs]
    assert abs(np.mean(wilson) - 0.95) < 0.005 and max(np.abs(np.subtract(wilson, 0.95))) < POINTS
    # of 30 rows only 31 shares exist: the coverage jumps from 92.98 % at .7 to 97.42 % at .9
    assert exact_coverage(wilson_interval, 30, 0.7) == pytest.approx(0.9298, abs=5e-5)
    assert exact_coverage(wilson_interval, 30, 0.9) == pytest.approx(0.9742, abs=5e-5)
    assert min(exact_coverage(clopper_pearson_interval, n, p) for n, p in [*designs, (30, 0.7)]) >= 0.95


def test_wilson_over_the_whole_grid():
    """The two figures of the page: 92.7 to 97.8 % where two of either outcome are expected, 84 % where 0.18 are."""
    usual = [
        exact_coverage(wilson_interval, n, p)
        for n in (20, 50, 100, 200)
        for p in np.append(np.linspace(2 / n, 0.5, 23), [0.1, 0.2])
    ]
    assert 0.927 <= min(usual) <= max(usual) <= 0.982
    assert exact_coverage(wilson_interval, 100, 0.005) == pytest.approx(0.910, abs=5e-4)
    worst = [exact_coverage(wilson_interval, n, p / n) for n in (20, 100, 1000) for p in (0.15, 0.176)]
    assert 0.837 < min(worst) < 0.842
    rare = [exact_coverage(clopper_pearson_interval, n, p) for n in (20, 100) for p in (0.005, 0.01, 0.05)]
    assert min(rare) >= 0.95


def delong_coverage(positives, negatives, truth, distribution, runs):
    """Return how often the interval holds the area, and how often it is warned of, for normal or exponential scores."""
    hits, warned = [], []
    y = np.repeat([1, 0], [positives, negatives])
    for seed in range(runs):
        if distribution == "normal":
            score = rng_of(seed).normal(size=len(y)) + np.sqrt(2) * ndtri(truth) * y
        else:
            score = rng_of(seed).exponential(size=len(y)) * np.where(y, truth / (1 - truth), 1.0)
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            low, high = delong_interval(y, score)
        hits.append(low <= truth <= high)
        warned.append(bool(seen))
    return np.array(hits), np.array(warned)


AREAS = (0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99)


@pytest.mark.parametrize("n, truth", [(40, 0.92), (40, 0.983), (100, 0.983)])
def test_delong_of_good_models(n, truth):
    hits, _ = delong_coverage(n, n, truth, "normal", 400)
    assert near(hits), np.mean(hits)


@pytest.mark.slow
@pytest.mark.parametrize("n", [20, 40, 100, 400])
@pytest.mark.parametrize("truth", AREAS)
def test_delong_of_normal_scores(n, truth):
    hits, _ = delong_coverage(n, n, truth, "normal", 2000)
    assert near(hits, points=0.025), np.mean(hits)


@pytest.mark.slow
@pytest.mark.parametrize("positives, negatives", [(20, 20), (40, 40), (100, 100), (20, 200), (200, 20), (10, 400)])
@pytest.mark.parametrize("truth", AREAS)
@pytest.mark.parametrize("distribution", ["normal", "exponential"])
def test_delong_warns_where_it_fails(positives, negatives, truth, distribution):
    """Whatever the classes and the distribution: misses that were not warned of stay below ten in a hundred."""
    hits, warned = delong_coverage(positives, negatives, truth, distribution, 1000)
    assert np.mean(~hits & ~warned) <= 0.10
    if np.mean(hits) < 0.90:
        assert warned.mean() > 0.4


def classified(rng, n):
    y = rng.integers(2, size=n)
    x = rng.normal(size=n) + 1.5 * y
    return y, 1 / (1 + np.exp(-(1.5 * x - 1.125)))  # the true posterior


@pytest.mark.slow
@pytest.mark.parametrize("n", [100, 400])
def test_scores_of_a_classification(n):
    names = ("accuracy", "recall", "precision", "balanced_accuracy", "f_score", "matthews", "log_loss", "brier")
    names += ("average_precision", "roc_auc")
    y, p = classified(rng_of(99), 1_000_000)
    truth = evaluate_predictions(y, y_proba=p, scoring=names, n_resamples=10)
    hits = {name: [] for name in names}
    for seed in range(800):
        y, p = classified(rng_of(seed), n)
        found = evaluate_predictions(y, y_proba=p, scoring=names, n_resamples=1000, random_state=seed)
        for name in names:
            hits[name].append(found[name].lower <= truth[name].value <= found[name].upper)
    assert all(near(values) for values in hits.values()), {name: np.mean(v) for name, v in hits.items()}


@pytest.mark.slow
@pytest.mark.parametrize("n", [100, 400])
def test_scores_of_a_regression(n):
    truth = {"mse": 1.0, "rmse": 1.0, "mae": np.sqrt(2 / np.pi), "r2": 0.8, "pearson": np.sqrt(0.8)}
    hits = {name: [] for name in truth}
    for seed in range(800):
        rng = rng_of(seed)
        f = 2 * rng.normal(size=n)
        found = evaluate_predictions(f + rng.normal(size=n), f, n_resamples=1000, random_state=seed)
        for name, value in truth.items():
            hits[name].append(found[name].lower <= value <= found[name].upper)
    assert all(near(values) for values in hits.values()), {name: np.mean(v) for name, v in hits.items()}


def cross_validated(kind, splitter, n, runs):
    """Return how often the corrected interval, and the plain one over folds, hold the expected score."""
    scores, hits, plain = [], [], []
    for seed in range(runs):
        rng = rng_of(seed)
        y = rng.integers(2, size=n)
        X = rng.normal(size=(n, 4)) + 0.7 * y[:, None] * (kind == "classes")
        model = GaussianNB() if kind == "classes" else LinearRegression()
        target = y if kind == "classes" else X @ [1.0, -1, 0.5, 0] + rng.normal(size=n)
        found = cross_validate(
            model, X, target, cv=splitter, scoring="accuracy" if kind == "classes" else "neg_mean_squared_error"
        )
        scores.append(found.mean())
        hits.append(found.interval())
        half = stats.t.ppf(0.975, len(found.test_sizes) - 1) * found.standard_error()
        plain.append((found.mean() - half, found.mean() + half))
    truth = np.mean(scores)  # the mean over samples is what the interval is about
    return [np.mean([low <= truth <= high for low, high in ends]) for ends in (hits, plain)]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["classes", "numbers"])
@pytest.mark.parametrize("name", ["10 folds", "5 folds", "10 x 3 folds"])
def test_cross_validated_means(kind, name):
    """Approximate by nature, on the safe side; the plain interval of repeated folds covers far too little."""
    splitter = {
        "10 folds": KFold(10, shuffle=True, random_state=0),
        "5 folds": KFold(5, shuffle=True, random_state=0),
        "10 x 3 folds": RepeatedKFold(n_splits=10, n_repeats=3, random_state=0),
    }[name]
    corrected, plain = cross_validated(kind, splitter, 100, 300)
    print(kind, name, corrected, plain)
    assert corrected >= 0.94
    assert name != "10 x 3 folds" or plain < 0.9


@pytest.mark.slow
@pytest.mark.parametrize("method", ["split", "cv_plus", "jackknife_plus"])
def test_conformal_intervals(method):
    inside = []
    for seed in range(300):
        rng = rng_of(seed)
        X = rng.normal(size=(60 + 200, 3))
        y = X @ [1.0, 2, -1] + rng.standard_t(3, size=260) * (1 + np.abs(X[:, 0]))
        model = ConformalRegressor(LinearRegression(), method=method, level=0.9, random_state=seed).fit(X[:60], y[:60])
        inside.append(model.coverage(X[60:], y[60:])[0])
    print(method, np.mean(inside))
    assert np.mean(inside) >= 0.9 - 0.01
    assert np.mean(inside) <= 0.9 + (1 / 16 if method == "split" else 0.03) + 0.01


@pytest.mark.slow
@pytest.mark.parametrize("method", ["split", "adaptive"])
@pytest.mark.parametrize("by_class", [False, True])
def test_conformal_sets(method, by_class):
    inside, rare = [], []
    for seed in range(300):
        rng = rng_of(seed)
        y = rng.choice(3, p=[0.6, 0.25, 0.15], size=400 + 400)
        X = rng.normal(size=(800, 2)) + np.array([[0, 0], [1.5, 0], [0, 1.5]])[y]
        model = ConformalClassifier(
            GaussianNB(), method=method, class_conditional=by_class, level=0.9, random_state=seed
        )
        model.fit(X[:400], y[:400])
        sets = model.predict_set(X[400:])
        hit = sets[np.arange(400), y[400:]]
        inside.append(hit.mean())
        rare.append(hit[y[400:] == 2].mean())
    print(method, by_class, np.mean(inside), np.mean(rare))
    assert 0.89 <= np.mean(inside) <= (0.96 if by_class else 0.925)
    if by_class:
        assert np.mean(rare) >= 0.89


@pytest.mark.slow
def test_632_plus_interval():
    """Of the expected error of the method: the apparent error of a simple model is honest enough for the interval to hold it."""
    found = []
    for seed in range(200):
        rng = rng_of(seed)
        y = np.arange(80) % 2
        X = rng.normal(size=(80, 4)) + 0.7 * y[:, None]
        found.append(bootstrap_error(GaussianNB(), X, y, n_resamples=50, random_state=seed))
    truth = []
    for seed in range(150):
        rng = rng_of(1000 + seed)
        y = np.arange(80) % 2
        X = rng.normal(size=(80, 4)) + 0.7 * y[:, None]
        new_y = np.arange(4000) % 2
        new = rng.normal(size=(4000, 4)) + 0.7 * new_y[:, None]
        truth.append(np.mean(GaussianNB().fit(X, y).predict(new) != new_y))
    error = np.mean(truth)
    hits = [one.interval.lower <= error <= one.interval.upper for one in found]
    print(".632+", np.mean(hits), error, np.mean([one.error_632_plus for one in found]))
    assert abs(np.mean([one.error_632_plus for one in found]) - error) < 0.015
    assert near(hits, points=0.04)
