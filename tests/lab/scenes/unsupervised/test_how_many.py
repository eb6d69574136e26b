"""How many clusters: squares, silhouettes and the bend by their definitions, the gap against the public function."""

import numpy as np
import pytest
from lab.runs import refusal_of, run_of

from novum.cluster import KMeans, elbow, gap_statistic

STATES = [
    {},
    {"points": {"preset": "even", "n": 80, "noise": 0.3}, "seed": 2},
    {"points": {"preset": "moons", "n": 60, "noise": 0.4}, "most": 5},
]


@pytest.fixture(scope="module", params=STATES)
def run(request):
    return run_of("how-many", **request.param)


def silhouettes(X, labels):
    far = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
    out = []
    for i, own in enumerate(labels):
        mine = (labels == own) & (np.arange(len(X)) != i)
        if not mine.any():
            out.append(0.0)
            continue
        a = far[i, mine].mean()
        b = min(far[i, labels == other].mean() for other in np.unique(labels) if other != own)
        out.append((b - a) / max(a, b))
    return np.array(out)


def test_squares_and_silhouettes(run):
    X = run.state.points.X
    for k, frame in enumerate(run.frames, 1):
        labels = np.array(frame.arrays["labels"])
        assert len(np.unique(labels)) == k == frame.n
        means = np.array([X[labels == j].mean(axis=0) for j in range(k)])
        assert frame.arrays["means"] == pytest.approx(means, rel=1e-6, abs=1e-9)
        assert frame.values["J"] == pytest.approx(((X - means[labels]) ** 2).sum(), rel=1e-9)
        if k > 1:
            width = silhouettes(X, labels)
            assert frame.values["silhouette"] == pytest.approx(width.mean(), rel=1e-9)
            assert frame.say[1]["wrong"] == (width < 0).sum()
            for label in range(k):
                drawn = frame.arrays["tips"][np.array(frame.arrays["sorted"]) == label, 0]
                assert np.sort(drawn) == pytest.approx(np.sort(width[labels == label]), abs=1e-6)


def test_what_each_of_the_three_says(run):
    s, X = run.state, run.state.points.X
    J = np.array(run.shown())
    k, x = np.arange(len(J)), np.linspace(0, 1, len(J))
    below = (1 - x) - (J - J[-1]) / (J[0] - J[-1])
    assert (
        run.last.values["by_elbow"] == k[below.argmax()] + 1 == elbow(X, max_clusters=s.most, random_state=s.seed).best
    )
    widths = [frame.values["silhouette"] for frame in run.frames[1:]]
    assert run.last.values["by_silhouette"] == np.argmax(widths) + 2
    gap = gap_statistic(X, KMeans(n_init=3), max_clusters=s.most, n_references=4, random_state=s.seed)
    assert run.last.values["by_gap"] == gap.best
    enough = gap.gap >= (gap.gap - gap.error)[gap.gap.argmax()]
    assert gap.best == enough.argmax() + 1
    assert run.last.arrays["gap_high"] - run.last.arrays["gap"] == pytest.approx(gap.error, rel=1e-12)


def test_only_the_gap_can_say_that_there_are_no_groups():
    last = run_of("how-many", points={"preset": "even", "n": 200, "noise": 0.3}).last
    assert last.values["by_gap"] == 1 < min(last.values["by_elbow"], last.values["by_silhouette"])


def test_too_few_places_are_refused():
    assert refusal_of("how-many", points={"rows": [[i % 4, 0] for i in range(12)]})[1] == "most"
