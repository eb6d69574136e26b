"""Cross-validation: scores of every fold by neighbors and F ratios of its own, the whole against the public function."""

import numpy as np
import pytest
from lab.runs import refusal_of, run_of
from scipy import stats
from sklearn.model_selection import LeaveOneOut, StratifiedKFold

from novum.evaluation import cross_validate
from novum.neighbors import KNeighborsClassifier

NOTHING = {"preset": "nothing", "n": 60, "noise": 1.0}
STATES = [
    {},
    {"columns": 80, "points": NOTHING},
    {"columns": 80, "points": NOTHING, "leak": True},
    {"single": True, "points": {"preset": "xor", "n": 40, "noise": 0.6}, "seed": 2},
]


@pytest.fixture(scope="module", params=STATES)
def run(request):
    return run_of("cross-validation", **request.param)


def folds_of(s):
    splitter = LeaveOneOut() if s.single else StratifiedKFold(s.folds, shuffle=True, random_state=s.seed)
    return list(splitter.split(s.points.X, s.points.y))


def columns_of(s):
    noise = np.random.default_rng([s.seed, 1]).normal(size=(len(s.points.y), s.columns))
    return np.hstack([s.points.X, noise])


def best_five(X, y):
    """Return the columns of the largest F ratio between two classes."""
    a, b = X[y == 0], X[y == 1]
    within = (((a - a.mean(axis=0)) ** 2).sum(axis=0) + ((b - b.mean(axis=0)) ** 2).sum(axis=0)) / (len(X) - 2)
    between = (a.mean(axis=0) - b.mean(axis=0)) ** 2 / (1 / len(a) + 1 / len(b))
    return np.sort(np.argsort(between / within)[-5:])


def neighbors_score(X, y, train, test):
    """Return the share of test rows whose five nearest training rows vote for their class."""
    far = ((X[test][:, None] - X[train]) ** 2).sum(axis=2)
    votes = y[train][np.argsort(far, axis=1)[:, :5]].mean(axis=1)
    return float(((votes > 0.5) == y[test]).mean())


def test_every_fold_by_hand(run):
    s = run.state
    X, y = columns_of(s), s.points.y
    honest, peeking = [], []
    before = best_five(X, y)
    for frame, (train, test) in zip(run.frames, folds_of(s), strict=True):
        if s.columns:
            honest.append(neighbors_score(X[:, best_five(X[train], y[train])], y, train, test))
            peeking.append(neighbors_score(X[:, before], y, train, test))
        else:
            honest.append(neighbors_score(X, y, train, test))
            peeking.append(honest[-1])
        assert frame.values["honest"] == pytest.approx(np.mean(honest), rel=1e-12)
        assert frame.values["peeking"] == pytest.approx(np.mean(peeking), rel=1e-12)
        assert frame.values["mean"] == pytest.approx(np.mean(peeking if s.leak else honest), rel=1e-12)
        assert sorted(frame.arrays["tested"]) == sorted(test.tolist())
        assert np.flatnonzero(frame.arrays["parts"][frame.n - 1]).tolist() == test.tolist()


def test_the_interval_is_corrected_for_shared_training_rows(run):
    s, k = run.state, len(run.frames)
    scores = np.array(run.last.arrays["scores"])
    train, test = folds_of(s)[-1]
    half = stats.t.ppf(0.975, k - 1) * np.sqrt((1 / k + len(test) / len(train)) * scores.var(ddof=1))
    assert run.last.values["high"] - run.last.values["low"] == pytest.approx(2 * half, rel=1e-9)


def test_the_last_frame_is_the_public_function():
    run = run_of("cross-validation")
    s = run.state
    whole = cross_validate(KNeighborsClassifier(), s.points.X, s.points.y, cv=folds_of(s))
    assert run.last.values["mean"] == whole["test_score"].mean()
    low, high = whole.interval()
    assert [run.last.values["low"], run.last.values["high"]] == pytest.approx([low, high], rel=1e-9)


def test_a_search_never_sees_the_rows_of_its_fold(run):
    for frame in run.frames:
        inner, out = np.array(frame.arrays["inner_parts"]), np.array(frame.arrays["tested"])
        rest = np.setdiff1d(np.arange(inner.shape[1]), out)
        assert not inner[:, out].any() and ((inner[:, rest] == 1).sum(axis=0) == 1).all()
        assert ((inner[:, rest] == 1) | (inner[:, rest] == 0.3)).all()


def test_the_search_scores_its_choice():
    run = run_of("cross-validation")
    s = run.state
    X, y = s.points.X, s.points.y
    for frame, (train, test) in zip(run.frames, folds_of(s)):
        marks = np.array(frame.arrays["inner_parts"])
        means = {}
        for k in (1, 5, 15):
            model = KNeighborsClassifier(k)
            means[k] = np.mean(
                [model.fit(X[row == 0.3], y[row == 0.3]).score(X[row == 1], y[row == 1]) for row in marks]
            )
        best = max(means, key=lambda k: (means[k], -k))
        _, chosen, inner, outer = frame.arrays["found"][-1]
        assert chosen == best and inner == pytest.approx(means[best])
        assert outer == pytest.approx(KNeighborsClassifier(best).fit(X[train], y[train]).score(X[test], y[test]))


def test_cheating_pays_where_nothing_is_to_be_learned():
    run = run_of("cross-validation", columns=300, leak=True, points={"preset": "nothing", "n": 60, "noise": 1.0})
    assert run.last.values["peeking"] > run.last.values["honest"] + 0.15


def test_classes_that_are_too_small_are_refused():
    few = {"rows": [[0, 0, 0], [1, 0, 0], [0, 1, 1], [1, 1, 1]]}
    assert refusal_of("cross-validation", points=few)[1] == "points"
