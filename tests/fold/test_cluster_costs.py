"""Costs on a cluster: the formulas against the statistics and parameters of small fits, the model against counts by hand."""

import pickle
from pathlib import Path

import cloudpickle
import numpy as np
import pytest

from benchmarks.cluster_costs import LEARNERS, Shape, learner_named
from benchmarks.cluster_example import CLUSTER, PARTITIONS, example_table, learner_table
from benchmarks.cluster_model import Cluster, flat_forecast, forecast, runs_of_nodes, shared_seconds
from novum.cluster import KMeans
from novum.decomposition import PCA, FastICA
from novum.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from novum.engines.kmeans import seeding
from novum.ensemble import HistGradientBoostingRegressor, RandomForestClassifier
from novum.fold.blocks import add
from novum.fold.homes.dask import DaskSource
from novum.fold.homes.dask.copies import COPIES, parent_of
from novum.fold.homes.dask.source import FAN_IN
from novum.fold.homes.dask.task_names import stage_name
from novum.linear_model import (
    HuberRegressor,
    LassoCV,
    LinearRegression,
    LogisticRegression,
    PoissonRegressor,
)
from novum.manifold import SelfOrganizingMap
from novum.mixture import BernoulliMixture, GaussianMixture
from novum.naive_bayes import GaussianNB, MultinomialNB
from novum.neural_network import MLPClassifier
from novum.sequence import GaussianHMM
from novum.svm import LinearSVC

da = pytest.importorskip("dask.array")

ROWS, D, K, CLASSES, HIDDEN = 1200, 40, 20, 5, 30
RNG = np.random.default_rng(0)
X = RNG.normal(size=(ROWS, D))
NUMBERS = X @ RNG.normal(size=D) + RNG.normal(size=ROWS)
LABELS = RNG.integers(CLASSES, size=ROWS)
HALVES, COUNTS = (NUMBERS > 0).astype(int), RNG.poisson(np.exp(0.1 * X[:, 1]))
ENVELOPE = 2000  # bytes of names, types and small fields around the numbers
SHAPE = Shape(D, K, CLASSES, hidden=HIDDEN, sampled=ROWS)


def lazy(values):
    return da.from_array(values, chunks=(300, *values.shape[1:]))


@pytest.fixture
def passes(monkeypatch):
    """Every pass: its stage, and the bytes of its statistics and parameters; statistics come as from another process."""
    noted, plain = [], DaskSource.total

    def total(self, statistics, params=None, merge=add):
        found = plain(self, statistics, params, merge)
        S, P = pickle.dumps(found, protocol=5), cloudpickle.dumps((statistics, params, merge), protocol=5)
        noted.append((stage_name(statistics), len(S), len(P)))
        return pickle.loads(S)

    monkeypatch.setattr(DaskSource, "total", total)
    return noted


FITS = {
    "LinearRegression": ("products", LinearRegression(), NUMBERS),
    "LassoCV": ("fold-sums", LassoCV(cv=5), NUMBERS),
    "PCA": ("products", PCA(5), None),
    "FastICA": ("sums", FastICA(K, random_state=0, max_iter=2), None),
    "LogisticRegression, two classes": ("evaluate", LogisticRegression(), HALVES),
    "LogisticRegression, C (d + 1)": ("evaluate", LogisticRegression(), LABELS),
    "PoissonRegressor": ("sums", PoissonRegressor(), COUNTS),
    "HuberRegressor": ("sums", HuberRegressor(), NUMBERS),
    "LinearSVC": ("squared-sums", LinearSVC(), HALVES),
    "LinearDiscriminantAnalysis": ("class-sums", LinearDiscriminantAnalysis(), LABELS),
    "QuadraticDiscriminantAnalysis": ("class-sums", QuadraticDiscriminantAnalysis(), LABELS),
    "GaussianNB": ("class-sums", GaussianNB(), LABELS),
    "KMeans": ("guided-pass", KMeans(K, n_init=1, max_iter=3, random_state=0), None),
    "GaussianMixture, full": ("pass-of-block", GaussianMixture(K, max_iter=2, random_state=0), None),
    "GaussianMixture, tied": ("pass-of-block", GaussianMixture(K, covariance_type="tied", max_iter=2), None),
    "GaussianMixture, diag": ("pass-of-block", GaussianMixture(K, covariance_type="diag", max_iter=2), None),
    "GaussianMixture, spherical": ("pass-of-block", GaussianMixture(K, covariance_type="spherical", max_iter=2), None),
    "bins of trees": ("sample-of", HistGradientBoostingRegressor(max_iter=1, max_leaf_nodes=4), NUMBERS),
    "MLPClassifier": ("block-sums", MLPClassifier((HIDDEN,), solver="lbfgs", max_iter=2, random_state=0), LABELS),
}


def fit(model, target):
    return model.fit(lazy(X), *([] if target is None else [lazy(target)]))


def check(name, shape, passes, stage):
    """Hold the largest pass of a stage to the formulas."""
    S, P = learner_named(name).bytes(shape)
    made = [one for one in passes if one[0] == stage]
    assert made
    for formula, found in ((S, max(one[1] for one in made)), (P, max(one[2] for one in made))):
        assert formula <= found <= formula + ENVELOPE + 0.01 * formula, (name, formula, found)


@pytest.mark.filterwarnings("ignore::novum.exceptions.NotConverged")
@pytest.mark.parametrize("name", FITS)
def test_formulas_are_the_bytes_of_a_pass(name, passes):
    stage, model, target = FITS[name]
    fit(model, target)
    check(name, SHAPE, passes, stage)


@pytest.mark.filterwarnings("ignore::novum.exceptions.NotConverged")
def test_formulas_of_learners_of_other_rows(passes):
    counts, ones = RNG.integers(5, size=(ROWS, D)), (X > 0).astype(float)
    MultinomialNB().fit(lazy(counts), lazy(LABELS))
    check("MultinomialNB", SHAPE, passes, "class-counts")
    BernoulliMixture(K, max_iter=2, random_state=0).fit(lazy(ones))
    check("BernoulliMixture", SHAPE, passes, "pass-of")
    GaussianHMM(K, max_iter=2, random_state=0).fit(lazy(X))
    check("GaussianHMM", SHAPE, passes, "run-partition")
    SelfOrganizingMap(random_state=0).fit(lazy(X))
    check("SelfOrganizingMap", SHAPE._replace(k=100), passes, "unit-sums")


@pytest.mark.filterwarnings("ignore::novum.exceptions.NotConverged")
def test_wide_logistic_regression_sends_gradients(passes):
    wide = RNG.normal(size=(ROWS, 420))
    LogisticRegression(max_iter=1).fit(lazy(wide), lazy(LABELS))
    check("LogisticRegression, wider", SHAPE._replace(d=420), passes, "evaluate")


def test_the_start_of_k_means_sends_a_sample(passes, monkeypatch):
    monkeypatch.setattr(seeding, "SAMPLE_ROWS", 500)
    monkeypatch.setattr(seeding, "SAMPLE_PER_CENTER", 1)
    fit(KMeans(K, n_init=1, max_iter=1, random_state=0), None)
    S, _ = learner_named("start of KMeans").bytes(SHAPE)
    assert S == 8 * 2**16 * (D + 2)
    found = max(size for stage, size, _ in passes if stage == "block-draw")
    assert 8 * 500 * (D + 2) <= found <= 8 * 500 * (D + 2) + ENVELOPE


@pytest.mark.parametrize(
    "name, model, target, trees",
    [
        ("HistGradientBoosting", HistGradientBoostingRegressor(max_iter=1, random_state=0), NUMBERS, 1),
        ("DecisionTreeClassifier", RandomForestClassifier(3, max_leaf_nodes=31, random_state=0), LABELS, 3),
    ],
)
def test_a_level_of_trees_sends_histograms_of_half_the_leaves_at_most(name, model, target, trees, passes):
    fit(model, target)
    S, P = learner_named(name).bytes(SHAPE._replace(trees=trees))
    one, _ = learner_named(name).bytes(SHAPE._replace(leaves=2))
    levels = [(size, sent) for stage, size, sent in passes if stage == "block-histograms"]
    for size, sent in levels:
        assert abs(size - one * round(size / one)) < ENVELOPE + 10 * size / one  # whole histograms
        assert P <= sent < P + 200 * 31 * trees + 3 * ENVELOPE
    assert one < max(size for size, _ in levels) < S + ENVELOPE


def test_every_formula_is_a_learner_of_a_test():
    tested = {*FITS, "MultinomialNB", "BernoulliMixture", "GaussianHMM", "SelfOrganizingMap", "start of KMeans"}
    tested |= {"LogisticRegression, wider", "HistGradientBoosting", "DecisionTreeClassifier"}
    assert {id(learner_named(name)) for name in tested} == {id(learner) for learner in LEARNERS}


def test_runs_of_whole_nodes_have_one_and_others_a_few():
    assert [len(nodes) for nodes in runs_of_nodes(64, 16)] == [1] * 16
    several = runs_of_nodes(80, 16)
    assert sum(node.size for nodes in several for node in nodes) == 80
    assert [len(nodes) for nodes in several[:3]] == [2, 3, 3]  # blocks 0-4, 5-9, 10-14


def test_parameters_leave_no_worker_more_than_a_few_times():
    for workers in (2, 5, 16, 100, 1000):
        takers = np.bincount([parent_of(worker) for worker in range(1, workers)])
        assert takers.max() == min(COPIES, workers - 1) and takers.sum() == workers - 1


def test_the_model_of_five_workers_is_what_a_hand_counts():
    rate, P, S = 1e6, 2e6, 3e6
    cluster = Cluster(5, 1, 8 * rate * 1514 / 1448, 0.5)
    found = forecast(cluster, 40, P, S)
    nodes = [len(run) for run in runs_of_nodes(40, 5)]
    assert nodes == [1] * 5 and FAN_IN == COPIES == 4
    down = 2 * P / rate + 4 * P / rate  # through the scheduler; to four workers at once
    up = 3 * S / rate + (1 * S) / rate  # three of the first four, then the fifth
    assert found.seconds == pytest.approx(down + up + 2 * S / rate + 0.5)
    assert (found.worker_out, found.worker_in) == (4 * P + S, P + 4 * S)
    uneven = forecast(cluster, 43, P, S)  # some runs are several nodes of the tree, and so is what their workers send
    most = max(len(run) for run in runs_of_nodes(43, 5))
    assert most > 1 and uneven.worker_out == 4 * P + most * S
    assert uneven.statistics_memory == P + 5 * most * S
    flat = flat_forecast(cluster, 40, P, S)
    assert (flat.client_out, flat.client_in) == (40 * P, 40 * S)
    assert flat.seconds > 10 * found.seconds


def test_shares_of_columns_cost_more_tasks_than_they_save():
    boosting, forest = [
        [shared_seconds(CLUSTER, PARTITIONS, 203e3, S, shares) for shares in (1, 2, 4, 8)] for S in (7.68e6, 131e6)
    ]
    assert [round(seconds, 2) for seconds in boosting] == [0.38, 0.65, 1.23, 2.42]
    assert [round(seconds, 1) for seconds in forest] == [1.6, 1.4, 1.7, 2.8]


def test_the_guide_shows_these_numbers():
    page = Path(__file__).parents[2] / "docs" / "guide" / "cost-on-a-cluster.md"
    text = page.read_text(encoding="utf-8")
    assert learner_table() in text and example_table() in text
