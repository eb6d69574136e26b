"""The bootstrap against its definition, SciPy's and scikit-learn's metrics; resamples and .632+."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats
from sklearn import metrics
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression as TheirLinearRegression
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier

from novum.evaluation import BootstrapSplit, bootstrap, bootstrap_error
from novum.evaluation.intervals.bootstrap_intervals import acceleration, bca_shares, jackknife_groups
from novum.evaluation.scores.statistics import resample_rows
from novum.exceptions import DataError, ParameterError
from novum.teaching import out_of_bag_probability

# intervals of few rows are in doubt and say so, which test_level_and_significance.py requests
pytestmark = pytest.mark.filterwarnings("ignore:.*interval of:novum.exceptions.DataWarning")

rng = np.random.default_rng(0)


@pytest.mark.parametrize(
    "function",
    [
        metrics.roc_auc_score,
        metrics.average_precision_score,
        metrics.mean_squared_error,
        metrics.root_mean_squared_error,
        metrics.mean_absolute_error,
        metrics.r2_score,
    ],
)
def test_known_functions_are_quick_and_the_same(function):
    y = rng.integers(2, size=80)
    f = y + rng.normal(size=80)
    quick = bootstrap(function, y, f, n_resamples=50, random_state=3)
    slow = bootstrap(lambda *data: function(*data), y, f, n_resamples=50, random_state=3)
    assert quick.estimate == pytest.approx(function(y, f), rel=1e-12)
    assert_allclose(quick.replicates, slow.replicates, rtol=1e-11)
    assert_allclose(quick.interval, slow.interval, rtol=1e-9)


@pytest.mark.parametrize(
    "function", [metrics.accuracy_score, metrics.balanced_accuracy_score, metrics.matthews_corrcoef]
)
def test_label_functions_have_the_same_distribution(function):
    y, f = rng.integers(3, size=(2, 200))
    f = np.where(rng.uniform(size=200) < 0.5, y, f)
    quick = bootstrap(function, y, f, n_resamples=2000, random_state=3)
    slow = bootstrap(lambda *data: function(*data), y, f, n_resamples=200, method="percentile", random_state=3)
    assert quick.estimate == pytest.approx(function(y, f), rel=1e-12)
    assert quick.standard_error == pytest.approx(slow.standard_error, rel=0.2)


@pytest.mark.notes("000-a", "bootstrap-sample")
@pytest.mark.notes("000-c", "bootstrap")
@pytest.mark.notes("003", "bootstrap")
@pytest.mark.notes("004", "bootstrap")
def test_intervals_literally():
    x = rng.exponential(size=60)
    results = {m: bootstrap(np.mean, x, method=m, random_state=1) for m in ("bca", "percentile", "basic")}
    reps, t = results["bca"].replicates, x.mean()
    assert_allclose(results["percentile"].interval, np.quantile(reps, [0.025, 0.975]), rtol=1e-12)
    assert_allclose(results["basic"].interval, 2 * t - np.quantile(reps, [0.975, 0.025]), rtol=1e-12)
    knife = np.array([np.delete(x, i).mean() for i in range(60)])
    a = ((knife.mean() - knife) ** 3).sum() / (6 * ((knife.mean() - knife) ** 2).sum() ** 1.5)
    z0 = stats.norm.ppf(np.mean(reps < t))
    shares = [stats.norm.cdf(z0 + (z0 + z) / (1 - a * (z0 + z))) for z in stats.norm.ppf([0.025, 0.975])]
    assert_allclose(results["bca"].interval, np.quantile(reps, shares), rtol=1e-10)
    assert results["bca"].standard_error == pytest.approx(reps.std(ddof=1)) and abs(results["bca"].bias) < 0.02


@pytest.mark.notes("000-c", "bootstrap")
@pytest.mark.notes("003", "bootstrap")
@pytest.mark.notes("004", "bootstrap")
@pytest.mark.parametrize("method", ["bca", "percentile", "basic"])
def test_scipy_agrees(method):
    x = rng.exponential(size=100)
    ours = bootstrap(np.std, x, n_resamples=4000, method=method, random_state=0)
    theirs = stats.bootstrap(
        (x,), np.std, n_resamples=4000, method={"bca": "BCa"}.get(method, method), rng=np.random.default_rng(0)
    )
    assert_allclose(ours.interval, theirs.confidence_interval, rtol=0.03)


def test_grouped_jackknife_gives_the_same_acceleration():
    x = rng.exponential(size=20_000)
    group, k = jackknife_groups(len(x), 0)
    assert k == 200 and np.bincount(group).min() == 100
    n, total = len(x), x.sum()
    whole = acceleration((total - x) / (n - 1))
    sums = np.bincount(group, x)
    assert acceleration((total - sums) / (n - 100)) == pytest.approx(whole, abs=0.004)
    assert jackknife_groups(1000, 0)[1] == 1000
    assert bca_shares(0.0, np.zeros(10), np.zeros(5), 0.95) == pytest.approx((0.025, 0.975))


def test_vectors_frames_and_one_sided_replicates():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"a": rng.normal(size=50), "b": rng.normal(size=50)})
    both = bootstrap(lambda f: f.mean().to_numpy(), frame, n_resamples=200, random_state=0)
    assert both.replicates.shape == (200, 2) and both.interval.lower.shape == (2,) and len(repr(both).splitlines()) == 3
    one = bootstrap(np.mean, frame["a"], n_resamples=200, random_state=0)
    assert one.interval.lower == pytest.approx(both.interval.lower[0])
    assert one.plot().get_ylabel() == "resamples" and "<pre>" in one._repr_html_()
    constant = bootstrap(np.mean, np.full(30, 0.1), random_state=0)
    assert constant.interval == pytest.approx((0.1, 0.1))
    assert bootstrap(np.max, rng.normal(size=30), random_state=0).interval.upper < np.inf


def test_bootstrap_refuses():
    x = np.arange(5.0)
    with pytest.raises(ParameterError, match="method='other'"):
        bootstrap(np.mean, x, method="other")
    with pytest.raises(ParameterError, match="statistic='nothing'"):
        bootstrap("nothing", x)
    with pytest.raises(ParameterError, match="do not fit"):
        bootstrap("roc_auc", x, x)
    with pytest.raises(DataError, match="give the data"):
        bootstrap(np.mean)
    with pytest.raises(DataError, match="at least two"):
        bootstrap(np.mean, [1.0])
    with pytest.raises(ValueError, match="inconsistent"):
        bootstrap(np.corrcoef, x, x[:3])


@pytest.mark.notes("000-a", "bootstrap-sample")
@pytest.mark.notes("000-c", "bootstrap")
@pytest.mark.notes("003", "bootstrap")
@pytest.mark.notes("004", "bootstrap")
def test_resamples_and_what_they_leave_out():
    splits = list(BootstrapSplit(200, random_state=0).split(np.zeros(100)))
    for train, left in splits:
        assert len(train) == 100 and set(train) | set(left) == set(range(100)) and not set(train) & set(left)
    distinct = np.mean([100 - len(left) for _, left in splits]) / 100
    assert distinct == pytest.approx(1 - 0.366032, abs=0.01)
    assert np.array_equal(splits[7][0], resample_rows(100, 7, 0))
    again = list(BootstrapSplit(200, random_state=0).split(np.zeros(100)))
    assert all(np.array_equal(a[0], b[0]) for a, b in zip(splits, again))
    X, y = rng.normal(size=(60, 2)), rng.integers(2, size=60)
    assert len(cross_val_score(DummyClassifier(), X, y, cv=BootstrapSplit(4, random_state=1))) == 4
    assert all(len(left) for _, left in BootstrapSplit(50, random_state=0).split([0, 1]))
    with pytest.raises(DataError, match="leaves none out"):
        next(BootstrapSplit(3).split([1]))


@pytest.mark.notes("000-c", "bootstrap-oob-probability")
@pytest.mark.parametrize(
    "n, p", [(1, 0), (2, 0.25), (5, 0.32768), (10, 0.348678), (100, 0.366032), (1000, 0.367695), (10**9, 0.367879)]
)
def test_out_of_bag_probability(n, p):
    assert out_of_bag_probability(n) == pytest.approx(p, abs=5e-7)
    if n in (10, 100):  # the share of different rows, as the fourth set of notes has it
        assert 1 - out_of_bag_probability(n) == pytest.approx({10: 0.651322, 100: 0.633968}[n], abs=5e-7)


def literal_632(model, X, y, splits, loss):
    n, losses, times = len(y), np.zeros(len(y)), np.zeros(len(y))
    for train, left in splits:
        losses[left] += loss(y[left], model.fit(X[train], y[train]).predict(X[left]))
        times[left] += 1
    e, E = loss(y, model.fit(X, y).predict(X)).mean(), (losses / times).mean()
    f = model.predict(X)
    g = np.mean([[loss(y[i : i + 1], f[j : j + 1])[0] for j in range(n)] for i in range(n)])
    R = np.clip((min(E, g) - e) / (g - e), 0, 1) if g > e else 0.0
    w = (1 - np.exp(-1)) / (1 - np.exp(-1) * R)
    return e, E, g, R, np.exp(-1) * e + (1 - np.exp(-1)) * E, (1 - w) * e + w * min(E, g)


@pytest.mark.parametrize("kind", ["zero_one", "squared", "absolute", "own"])
def test_632_literally(kind):
    X = rng.normal(size=(40, 2))
    classify = kind == "zero_one"
    y = (X[:, 0] + rng.normal(size=40) > 0).astype(int) if classify else X[:, 0] + rng.normal(size=40)
    model = KNeighborsClassifier(1) if classify else TheirLinearRegression()
    loss = {
        "zero_one": lambda a, b: (a != b).astype(float),
        "squared": lambda a, b: (a - b) ** 2,
    }.get(kind, lambda a, b: np.abs(a - b))
    found = bootstrap_error(model, X, y, loss=loss if kind == "own" else kind, n_resamples=30, random_state=2)
    expected = literal_632(model, X, y, list(BootstrapSplit(30, random_state=2).split(y)), loss)
    ours = (
        found.apparent,
        found.out_of_bag,
        found.no_information,
        found.overfitting,
        found.error_632,
        found.error_632_plus,
    )
    assert_allclose(ours, expected, rtol=1e-10)
    assert found.interval.lower < found.error_632_plus < found.interval.upper and ".632+" in repr(found)


def test_632_reports_failures():
    class Fragile(KNeighborsClassifier):
        def fit(self, X, y):
            if X[0, 0] > 1:
                raise ValueError("the first row is large")
            return super().fit(X, y)

    X, y = rng.normal(size=(40, 1)), np.arange(40) % 2
    X[0] = 0
    found = bootstrap_error(Fragile(), X, y, n_resamples=40, random_state=0)
    assert found.failures and found.n_resamples == 40 - len(found.failures) and "the first row is large" in repr(found)
    with pytest.raises(ParameterError, match="loss='other'"):
        bootstrap_error(Fragile(), X, y, loss="other")
