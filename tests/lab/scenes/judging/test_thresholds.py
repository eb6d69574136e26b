"""Thresholds: counts and shares from the rows themselves, intervals by Wilson's formula, calibration by bins."""

import numpy as np
import pytest
from lab.runs import run_of
from scipy.stats import norm

STATES = [
    {},
    {"share": 0.01, "n": 2000, "missed": 50.0, "seed": 3},
    {"apart": 0.0, "share": 0.8, "alarm": 7.0},
    {"n": 50, "apart": 4.0, "sure": 3.0},
]


@pytest.fixture(scope="module", params=STATES)
def run(request):
    return run_of("thresholds", **request.param)


def rows(s):
    """Return classes and scores as the scene says that they are drawn."""
    y = np.zeros(s.n, int)
    y[: min(max(1, round(s.share * s.n)), s.n - 1)] = 1
    return y, np.random.default_rng(s.seed).normal(size=s.n) + s.apart * y


def wilson(k, n):
    z, p = norm.ppf(0.975), k / n
    middle = (p + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    return middle - half, middle + half


def test_every_threshold_counts_its_rows(run):
    s = run.state
    y, scores = rows(s)
    assert len(run.frames) == 41
    for frame in run.frames:
        called = scores >= frame.values["threshold"]
        tp, fp = (called & (y == 1)).sum(), (called & (y == 0)).sum()
        fn, tn = (~called & (y == 1)).sum(), (~called & (y == 0)).sum()
        assert frame.arrays["confusion"].tolist() == [[tn, fp], [fn, tp]]
        assert frame.values["cost"] == pytest.approx((s.missed * fn + s.alarm * fp) / s.n, rel=1e-12, abs=1e-15)
        assert frame.values["recall"] == pytest.approx(tp / (tp + fn))
        assert frame.values["precision"] == (pytest.approx(tp / (tp + fp)) if tp + fp else None)
        if tp:
            assert frame.values["f1"] == pytest.approx(2 * tp / (2 * tp + fp + fn), rel=1e-12)
        (low, high) = wilson(tp, tp + fn)
        (box,) = frame.arrays["roc_box"]
        assert box[2:] == pytest.approx([low, high], abs=1e-12)
        assert frame.arrays["roc_now"][0] == pytest.approx([fp / (fp + tn), tp / (tp + fn)])


def test_the_area_is_the_share_of_pairs_in_order(run):
    y, scores = rows(run.state)
    ahead = (scores[y == 1][:, None] > scores[y == 0]).mean()
    assert run.last.values["area"] == pytest.approx(ahead, rel=1e-12)


def test_forecasts_are_judged_by_bins(run):
    s = run.state
    y, scores = rows(s)
    share = y.mean()
    log_odds = norm.logpdf(scores - s.apart) - norm.logpdf(scores) + np.log(share / (1 - share))
    p = 1 / (1 + np.exp(-s.sure * log_odds))
    bins = np.minimum((10 * p).astype(int), 9)
    expected = [[p[bins == b].mean(), y[bins == b].mean()] for b in np.unique(bins)]
    assert np.array(run.last.arrays["forecasts"]) == pytest.approx(np.array(expected), rel=1e-9, abs=1e-12)


def test_few_positives_look_good_on_one_curve_only():
    """1 % positives: half of them are found at a rate of false alarms that looks small, and most alarms are false."""
    frame = next(f for f in run_of("thresholds", share=0.01, n=3000).frames if f.values["recall"] >= 0.5)
    assert frame.arrays["roc_now"][0][0] < 0.15 and frame.values["precision"] < 0.2
