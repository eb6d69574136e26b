"""A against B: both statistics by their formulas, the notes' numbers, fold scores from Gaussians fitted by hand."""

import numpy as np
import pytest
from lab.runs import run_of
from scipy import stats
from sklearn.model_selection import KFold, ShuffleSplit

OWN = [[0.9 - 0.01 * i, 0.85 + 0.005 * (i % 3)] for i in range(10)]
STATES = [
    {},
    {"scores": OWN, "significance": 0.1},
    {"source": "models", "experiments": 8, "n": 60, "difference": 0.7, "seed": 2},
]


@pytest.fixture(scope="module", params=STATES)
def run(request):
    return run_of("compare-models", **request.param)


def fold_scores(s, r):
    """Return the scores of both columns on ten folds: a normal per class, its variance over n, and the shares of the classes."""
    generator = np.random.default_rng([s.seed, r])
    y = generator.permutation(s.n) % 2
    X = generator.normal(size=(s.n, 2)) + np.outer(y, [1 + s.difference, 1.0])
    out = []
    splitter = KFold(10) if s.parts_of == "folds" else ShuffleSplit(15, test_size=1 / 3, random_state=r)
    for train, rows in splitter.split(X):
        score = [
            stats.norm.logpdf(X[rows], X[train][y[train] == c].mean(axis=0), X[train][y[train] == c].std(axis=0))
            + np.log((y[train] == c).mean())
            for c in (0, 1)
        ]
        out.append(((score[1] > score[0]) == (y[rows] == 1)[:, None]).mean(axis=0))
    return np.array(out)


def statistics(gaps, ratio):
    k, mean, sd = len(gaps), gaps.mean(), gaps.std(ddof=1)
    errors = sd * np.sqrt([1 / k, 1 / k + ratio])
    return mean / errors, 2 * stats.t.sf(np.abs(mean / errors), k - 1), errors


def test_both_tests_by_their_formulas(run):
    s, wrong = run.state, np.zeros(2)
    for frame in run.frames:
        pairs = np.array(s.scores)[: frame.n] if s.source == "scores" else fold_scores(s, frame.n)
        gaps = pairs[:, 0] - pairs[:, 1]
        t, p, errors = statistics(gaps, 0.5 if (s.source, s.parts_of) == ("models", "random") else 1 / 9)
        assert [frame.values["t"], frame.values["corrected"]] == pytest.approx(t, rel=1e-9, abs=1e-12)
        assert [frame.values["p"], frame.values["p_corrected"]] == pytest.approx(p, rel=1e-8)
        half = stats.t.ppf(1 - s.significance / 2, len(gaps) - 1) * errors
        assert frame.arrays["high"] - frame.arrays["low"] == pytest.approx(2 * half, rel=1e-8)
        assert frame.arrays["gaps"] == pytest.approx(gaps, rel=1e-9, abs=1e-12)
        wrong += p <= s.significance
        if s.source == "models":
            assert [frame.values["rejected"], frame.values["rejected_corrected"]] == pytest.approx(wrong / frame.n)


def test_the_numbers_of_the_notes():
    last = run_of("compare-models").last
    assert last.values["t"] == pytest.approx(2.980346, abs=1e-6) and last.values["p"] == pytest.approx(
        0.015441, abs=1e-6
    )


def test_the_uncorrected_test_is_wrong_more_often():
    last = run_of("compare-models", source="models", experiments=80).last
    assert last.values["rejected"] > 0.15 and last.values["rejected_corrected"] < 0.1


def test_folds_that_agree_have_no_statistic():
    run = run_of("compare-models", scores=[[0.8, 0.7]] * 10)
    assert run.last.values["t"] is None and run.last.values["corrected"] is None
