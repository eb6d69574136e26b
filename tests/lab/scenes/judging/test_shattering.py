"""Shattering: certificates do what they say, counts against brute force over concepts, known numbers of labelings."""

import itertools
from math import comb

import numpy as np
import pytest
from lab.runs import run_of

from novum.theory import shatters

SQUARE = {"rows": [[0, 0], [1, 0], [0, 1], [1, 1]]}
STATES = [
    {},
    {"concepts": "rectangles", "points": {"preset": "scatter", "n": 5}, "seed": 1},
    {"concepts": "intervals", "points": {"preset": "scatter", "n": 6}},
    {"concepts": "interval_unions", "k": 2, "points": {"preset": "scatter", "n": 5}},
    {"concepts": "circles", "points": SQUARE},
    {"concepts": "polynomials", "degree": 2, "points": {"preset": "scatter", "n": 6}},
]


@pytest.fixture(scope="module", params=STATES)
def run(request):
    return run_of("shattering", **request.param)


def possible(concepts, X, labels):
    """Return whether a concept does it, by a definition of its own; None where there is none here."""
    inside, outside = X[labels], X[~labels]
    if concepts == "rectangles":
        if not len(inside):
            return True
        low, high = inside.min(axis=0), inside.max(axis=0)
        return not ((outside >= low) & (outside <= high)).all(axis=1).any()
    if concepts in ("intervals", "interval_unions"):
        order = labels[np.argsort(X[:, 0])].astype(int)
        blocks = int((np.diff(np.concatenate([[0], order])) == 1).sum())
        return blocks <= (1 if concepts == "intervals" else 2)
    return None


def test_concepts_label_the_points_so(run):
    s = run.state
    X = s.points.X[:, :1] if s.concepts in ("intervals", "interval_unions") else s.points.X
    found = shatters(s.concepts, X, k=s.k, degree=s.degree)
    assert len(run.frames) == 2 ** len(X)
    count = 0
    for frame, concept in zip(run.frames, found.certificates):
        labels = np.array([bit == "1" for bit in f"{frame.n - 1:0{len(X)}b}"])
        assert np.array_equal(frame.arrays["labels"] == 1, labels)
        count += concept is not None
        assert frame.values["realized"] == count
        expected = possible(s.concepts, X, labels)
        assert expected is None or expected == (concept is not None)
        if concept is None:
            assert frame.say[0] == "none" and len(np.unique(frame.arrays["map"])) == 1
        else:
            inside = concept.contains(X) if hasattr(concept, "contains") else concept.decision_function(X) > 0
            assert np.array_equal(inside, labels)
    assert run.last.values["realized"] == found.n_realized <= run.last.values["growth"]


def test_lines_label_points_in_general_position_as_often_as_cover_says():
    for n in (3, 4, 5, 6):
        run = run_of("shattering", points={"preset": "scatter", "n": n})
        assert run.last.values["realized"] == 2 * sum(comb(n - 1, i) for i in range(3)) == run.last.values["growth"]
        assert run.last.values["dimension"] == 3


def test_no_four_points_are_shattered_by_lines_and_some_by_rectangles():
    assert run_of("shattering", points=SQUARE).last.values["realized"] == 14
    diamond = {"rows": [[0, 1], [1, 0], [0, -1], [-1, 0]]}
    assert run_of("shattering", points=diamond, concepts="rectangles").last.values["realized"] == 16
    ring = run_of("shattering", points={"preset": "scatter", "n": 6}, concepts="polynomials").last
    assert ring.values["realized"] == 64 and ring.values["dimension"] == 6


def test_the_map_shows_the_concept():
    run = run_of("shattering")
    (x0, x1), (y0, y1) = run.state.points.domain
    for frame, (x, y) in itertools.product(run.frames, run.state.points.X):
        pixel = frame.arrays["map"][int(64 * (y - y0) / (y1 - y0)), int(64 * (x - x0) / (x1 - x0))]
        row = int(np.flatnonzero(([x, y] == run.state.points.X).all(axis=1))[0])
        if frame.say[0] == "found":
            assert (pixel > 127) == (frame.arrays["labels"][row] == 1)
