"""Intervals of hold-out scores: their ingredients against derivatives, and how often they hold the truth."""

import numpy as np
import pytest

from novum.study.comparison.folds import split_rows
from novum.study.scoring import influence
from novum.study.scoring.intervals import FEW_DECIDE, deciding_rows, score_interval, upper_by_mistakes, wilson
from novum.study.scoring.measures import MEASURES, Predicted, measure_for

CLASSES = np.arange(3)
INFLUENCES = {
    "balanced_accuracy": lambda y, said, positive: influence.balanced_influence(y, said),
    "f1": influence.f1_influence,
    "auc": influence.area_influence,
    "average_precision": influence.precision_influence,
}


def some(rng, n, k):
    y = np.r_[np.arange(k), np.arange(k), rng.integers(k, size=n - 2 * k)]
    proba = rng.dirichlet(np.ones(k), size=n).round(2) + np.eye(k)[y] * 0.3  # with ties
    return y, proba / proba.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("name", INFLUENCES)
@pytest.mark.parametrize("k", [2, 3])
def test_influence_values_are_derivatives_towards_the_rows(name, k):
    rng = np.random.default_rng(3)
    y, proba = some(rng, 60, k)
    positive = 1 if k == 2 and name in ("f1", "auc", "average_precision") else None
    measure = measure_for("classification", name, positive)
    said = proba if measure.proba else proba.argmax(axis=1)
    found = INFLUENCES[name](y, said, positive)
    step = 1e-6
    for i in range(0, 60, 7):
        up, down = np.ones(60), np.ones(60)
        up[i], down[i] = 1 + step, 1 - step
        slope = (measure.of(y, said, up) - measure.of(y, said, down)) / (2 * step) * 60
        assert found[i] == pytest.approx(slope, abs=1e-5)
    assert found.mean() == pytest.approx(0, abs=1e-12)


def test_a_part_with_the_classes_in_their_shares_varies_less():
    """Always one class: its accuracy is that class's share, which varies as all rows do and not as the part."""
    rng = np.random.default_rng(0)
    said, scores, estimated = np.ones(40, dtype=int), [], []
    for _ in range(400):
        y = (rng.random(160) < 0.7).astype(int)
        _, held = split_rows(y, "classification", 0.25, int(rng.integers(2**31)))
        scores.append((y[held] == said).mean())
        estimated.append(influence.stratified_variance((y[held] == said).astype(float), y[held], 0.25))
    assert np.mean(estimated) == pytest.approx(np.var(scores), rel=0.2)
    assert influence.stratified_variance(np.zeros(5), np.arange(5) % 2, 0.25) == 0


def test_wilson_of_a_fraction_of_rows():
    from novum.evaluation import wilson_interval

    assert wilson(0.8, 50, 0.95) == pytest.approx(wilson_interval(40, 50, 0.95))
    assert wilson(1.0, 12.5, 0.95).upper == 1.0 and wilson(0.0, 12.5, 0.95).lower == 0.0


def draw(rng, n):
    """Two classes, one rarer and worse found: accuracy .85, balanced accuracy .70, F1 .54, AUC .89, average precision .71."""
    y = (rng.random(n) < 0.2).astype(int)
    score = rng.normal(size=n) + 1.7 * y
    p = 1 / (1 + np.exp(-1.7 * (score - 1.75)))
    return y, Predicted((p > 0.5).astype(int), np.column_stack([1 - p, p]))


def test_intervals_hold_the_truth_as_often_as_they_say():
    rng, n, times = np.random.default_rng(11), 80, 300
    measures = [
        measure_for("classification", name, 1)
        for name in ("accuracy", "balanced_accuracy", "f1", "auc", "average_precision")
    ]
    y, said = draw(rng, 400_000)
    truth = {m.name: m.score(y, said, CLASSES[:2]) for m in measures}
    hits = dict.fromkeys(truth, 0)
    for number in range(times):
        y, said = draw(rng, 4 * n)
        _, held = split_rows(y, "classification", 0.25, number)
        part = Predicted(said.values[held], said.proba[held])
        for m in measures:
            low, high = score_interval(m, y[held], part, CLASSES[:2], number, share=0.25)
            hits[m.name] += low <= truth[m.name] <= high
    for name, count in hits.items():
        assert 0.92 <= count / times <= 0.98, name  # .93 to .97, and what 300 draws can miss


@pytest.mark.parametrize("name", ["rmse", "mae", "median_error", "r2"])
def test_intervals_of_errors_hold_the_truth_as_often_as_they_say(name):
    rng, n, times, measure = np.random.default_rng(5), 50, 200, MEASURES[name]
    x = rng.normal(size=400_000)
    truth = measure.of(2 * x + rng.normal(size=len(x)), 1.8 * x)
    hits = 0
    for number in range(times):
        x = rng.normal(size=n)
        y = 2 * x + rng.normal(size=n)
        low, high = score_interval(measure, y, Predicted(1.8 * x, None), None, number)
        hits += low <= truth <= high
    assert 0.915 <= hits / times <= 0.985


@pytest.mark.parametrize("name", ["rmse", "r2"])
def test_long_tails_move_the_end_towards_more_loss(name):
    """Errors of Student's t with 5 degrees of freedom, 40 rows: without the factor 91 % are held."""
    rng, n, times, measure = np.random.default_rng(8), 40, 250, MEASURES[name]
    x = rng.normal(size=400_000)
    truth = measure.of(2 * x + rng.standard_t(5, size=len(x)), 1.8 * x)
    hits = 0
    for number in range(times):
        x = rng.normal(size=n)
        low, high = score_interval(measure, 2 * x + rng.standard_t(5, size=n), Predicted(1.8 * x, None), None, number)
        hits += low <= truth <= high
    assert 0.92 <= hits / times <= 0.98


@pytest.mark.parametrize("name", ["log_loss", "brier"])
def test_a_model_without_mistakes_may_still_make_some(name):
    """Accuracy .99 and 40 rows: two parts of three have no mistake, and the bootstrap then held the truth in 80 %."""
    rng, n, times, measure = np.random.default_rng(4), 40, 150, measure_for("classification", name, 1)

    def drawn(size):
        y = rng.integers(2, size=size)
        p = 1 / (1 + np.exp(-4.6 * (rng.normal(size=size) + 4.6 * y - 2.3)))
        return y, Predicted((p > 0.5).astype(int), np.column_stack([1 - p, p]))

    truth = measure.score(*drawn(400_000), CLASSES[:2])
    found = np.array([score_interval(measure, *drawn(n), CLASSES[:2], number) for number in range(times)])
    assert np.mean((found[:, 0] <= truth) & (truth <= found[:, 1])) > 0.93
    assert np.median(found[:, 1]) < 20 * truth  # and says something


def test_the_largest_loss_that_few_mistakes_allow():
    """Ten rows, one of them wrong: (1 - e) r + e w, with e the upper end of one in ten."""
    measure = measure_for("classification", "brier", 1)
    p = np.full(10, 0.9)
    y = np.r_[0, np.ones(9, dtype=int)]
    proba = np.column_stack([1 - p, p])
    assert upper_by_mistakes(measure, y, proba, 0.95) == pytest.approx(0.4450 * 0.81 + 0.5550 * 0.01, abs=1e-4)
    sure = np.eye(2)[y]
    assert upper_by_mistakes(measure, y, sure, 0.95) == 0  # it thinks nothing else possible


def test_left_out_rows_and_derivatives_agree_for_many_rows():
    rng = np.random.default_rng(6)
    y, proba = some(rng, 300, 2)
    left, slope = influence.precision_left_out(y, proba, 1), influence.precision_influence(y, proba, 1)
    assert np.corrcoef(left, slope)[0, 1] > 0.99 and np.var(left) == pytest.approx(np.var(slope), rel=0.1)
    measure, i = measure_for("classification", "average_precision", 1), 7
    without = [measure.of(np.delete(y, j), np.delete(proba, j, axis=0)) for j in range(300)]
    assert left[i] == pytest.approx(299 * (np.mean(without) - without[i]))


def test_rows_that_decide_an_interval_are_counted():
    rng, measure = np.random.default_rng(1), MEASURES["rmse"]
    off = rng.normal(size=200)
    assert deciding_rows(measure, off, Predicted(np.zeros(200), None), None) > FEW_DECIDE
    off[7] = 60
    assert deciding_rows(measure, off, Predicted(np.zeros(200), None), None) == pytest.approx(1, abs=0.1)
    assert deciding_rows(MEASURES["accuracy"], off > 0, Predicted(off > 0, None), np.array([False, True])) == np.inf


def test_scores_without_variance_have_an_interval_that_says_so():
    y, right = np.arange(30) % 2, np.eye(2)[np.arange(30) % 2]
    for name in ("accuracy", "balanced_accuracy", "f1", "auc", "average_precision"):
        low, high = score_interval(measure_for("classification", name, 1), y, Predicted(y, right), CLASSES[:2], 0)
        assert 0.6 < low < 1 and high == 1
    never = Predicted(np.zeros(30, dtype=int), right[:, ::-1])
    low, high = score_interval(measure_for("classification", "f1", 1), y, never, CLASSES[:2], 0, share=0.25)
    assert low == 0 and 0 < high < 0.5
    z = np.arange(12.0)
    assert score_interval(MEASURES["r2"], z, Predicted(z, None), None, 0) == (1.0, 1.0)
    assert score_interval(MEASURES["median_error"], z[:3], Predicted(z[:3] + [1, 2, 3], None), None, 0) == (1.0, 3.0)
