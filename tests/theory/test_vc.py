"""Shattering, growth functions and VC dimensions: the notes' figures, certificates checked, brute force."""

import itertools
import math
import pickle
from itertools import product

import numpy as np
import pytest
from artists import canvas, scatters

from novum.exceptions import DataError, ParameterError
from novum.theory import growth_function, shatters, vc_dimension

TRIANGLE = [[0, 0], [1, 0], [0, 1]]
SQUARE = [[0, 0], [1, 0], [0, 1], [1, 1]]


def positive(concept, X):
    return concept.contains(X) if hasattr(concept, "contains") else concept.decision_function(X) > 0


def check_certificates(found):
    every = list(itertools.product([False, True], repeat=len(found.points)))
    assert [
        tuple(labels) for labels in found.labelings.tolist()
    ] == every  # each labeling once, in the order of counting
    for labels, concept in zip(found.labelings, found.certificates):
        if concept is not None:
            assert np.array_equal(positive(concept, found.points), labels)


@pytest.mark.notes("003", "shattering")
@pytest.mark.notes("004", "shattering")
def test_lines_in_the_plane():
    triangle, line, square = (shatters("lines", p) for p in (TRIANGLE, [[0, 0], [1, 1], [2, 2]], SQUARE))
    assert (triangle.n_realized, line.n_realized, square.n_realized) == (8, 6, 14)
    assert triangle and not line and not square
    for found in (triangle, line, square):
        check_certificates(found)
    assert square.missing().tolist() == [[False, True, True, False], [True, False, False, True]]
    assert repr(square) == "not shattered: linear realize 14 of 16 labelings of 4 points"
    assert growth_function("linear", 4) == 14  # four points in general position, wherever they lie
    moved = np.array(SQUARE) @ [[1e3, 2.0], [0.1, 1e-3]] + 1e5
    assert shatters("linear", moved).n_realized == 14
    assert (
        shatters("linear", np.random.default_rng(0).normal(size=(5, 2))).n_realized
        == growth_function("linear", 5)
        == 22
    )


@pytest.mark.notes("003", "fig-shatter")
def test_picture_of_every_labeling():
    found = shatters("lines", SQUARE)
    axes, corners = found.plot(), np.array(SQUARE)
    assert len(axes) == 16
    crossed = []
    for ax, labels in zip(axes, itertools.product([False, True], repeat=4)):
        labels = np.array(labels)
        plus, minus = scatters(ax)
        np.testing.assert_array_equal(plus, corners[labels])
        np.testing.assert_array_equal(minus, corners[~labels])
        shaded = [path for c in ax.collections if hasattr(c, "levels") for path in c.get_paths()]
        crossed.append(ax.get_title() == "no concept")
        if not crossed[-1] and labels.any():
            inside = np.any([path.contains_points(corners) for path in shaded], axis=0)
            np.testing.assert_array_equal(inside, labels)  # the shade holds the plus signs and no other point
        elif not labels.any():
            assert not any(path.contains_points(corners).any() for path in shaded)
    assert np.flatnonzero(crossed).tolist() == [6, 9]  # the two diagonals
    one = shatters("rectangles", SQUARE).plot(canvas(), labeling=3)
    np.testing.assert_array_equal(scatters(one)[0], corners[2:])
    assert len(shatters("intervals", [0.0, 1.0]).plot()) == 4
    with pytest.raises(DataError, match="a picture has two"):
        shatters("linear", np.eye(3)).plot()
    with pytest.raises(ParameterError, match="too many"):
        shatters("convex", np.random.default_rng(0).normal(size=(6, 2))).plot()


@pytest.mark.parametrize(
    ("concepts", "points", "options", "realized"),
    [
        ("rectangles", [[0, 1], [1, 0], [0, -1], [-1, 0]], {}, 16),
        ("rectangles", SQUARE, {}, 10),
        ("circles", TRIANGLE, {}, 8),
        ("circles", [[0, 1], [1, 0], [0, -1], [-1, 0]], {}, 14),
        ("intervals", [0, 1], {}, 4),
        ("intervals", [0, 1, 2], {}, 7),
        ("thresholds", [0, 1], {}, 3),
        ("interval_unions", [0, 1, 2, 3], {"k": 2}, 16),
        ("interval_unions", [0, 1, 2, 3, 4], {"k": 2}, 31),
        ("homogeneous", [[1, 0], [0, 1]], {}, 4),
        ("homogeneous", [[1, 0], [0, 1], [1, 1]], {}, 6),
        ("polynomials", SQUARE, {"degree": 2}, 16),
        ("convex", [[math.cos(a), math.sin(a)] for a in range(6)], {}, 64),
        ("convex", [[0, 0], [1, 0], [0, 1], [0.2, 0.2]], {}, 15),
        ("linear", [[0.0, 0.0], [0.0, 0.0]], {}, 2),
    ],
)
def test_other_concepts(concepts, points, options, realized):
    found = shatters(concepts, points, **options)
    assert found.n_realized == realized
    check_certificates(found)


@pytest.mark.notes("003", "vc-dimension")
def test_known_dimensions():
    assert [vc_dimension("linear", d) for d in (1, 2, 5)] == [2, 3, 6]
    triangle = [[0, 0], [1, 0], [0, 1]]
    assert shatters("lines", triangle) and not shatters("lines", [*triangle, [1, 1]])  # all 2^n labelings are tried
    assert vc_dimension("lines", 2) == 3 and vc_dimension("homogeneous", 4) == 4
    assert vc_dimension("rectangles", 3) == 6 and vc_dimension("balls", 3) == 4
    assert vc_dimension("polynomials", 2, degree=2) == 6 and vc_dimension("interval_unions", 1, k=4) == 8
    for infinite in ("1-nn", "rbf", "sines", "convex"):
        assert vc_dimension(infinite) == math.inf
    assert vc_dimension("convex", 1) == 2 and vc_dimension("polygons", k=3) == 7
    network = vc_dimension("neural_network", n_parameters=120)
    assert network == 120 and network.kind == "rule of thumb"
    finite = vc_dimension("finite", n_hypotheses=1000)
    assert finite == 9 and finite.kind == "upper bound"
    kept = pickle.loads(pickle.dumps(finite))
    assert kept == 9 and kept.reason == finite.reason


def test_search_finds_the_known_dimension():
    for name, d, known in (
        ("linear", 2, 3),
        ("rectangles", 2, 4),
        ("balls", 2, 3),
        ("intervals", 1, 2),
        ("thresholds", 1, 1),
    ):
        found = vc_dimension(name, d, n_trials=60, random_state=0)
        assert found == known == vc_dimension(name, d) and found.kind == "lower bound"
        assert shatters(name, found.certificate)
    among = vc_dimension("lines", points=SQUARE)
    assert among == 3 and len(among.certificate) == 3
    own = vc_dimension(lambda X, labels: labels.sum() <= 2, 1, n_trials=3, random_state=0)  # at most two positives
    assert own == 2


@pytest.mark.notes("003", "shattering")
@pytest.mark.notes("003", "vc-dimension")
@pytest.mark.notes("004", "shattering")
def test_tables_by_brute_force():
    grid = np.array(list(product([0, 1], repeat=3)))
    conjunctions = np.array(
        [[all(v in (-1, x) for v, x in zip(h, row)) for row in grid] for h in product([0, 1, -1], repeat=3)]
    )
    monotone = np.array([[all(x or not v for v, x in zip(h, row)) for row in grid] for h in product([0, 1], repeat=3)])
    parities = np.array([[(h @ row) % 2 for row in grid] for h in grid])
    for table, name in ((conjunctions, "conjunctions"), (monotone, "monotone_conjunctions"), (parities, "parities")):
        found = vc_dimension(table)
        assert found == vc_dimension(name, 3) == 3 and found.kind == "exact"
        assert shatters(table, found.certificate)
        for n in (1, 2, 3, 4):
            assert growth_function(table, n) <= growth_function(name, n, n_features=3)
    everything = np.array(list(product([0, 1], repeat=4)))
    assert vc_dimension(everything) == 4 and growth_function(everything, 3) == 8
    assert vc_dimension([[0, 0, 0]]) == 0
    intervals = np.array([[a <= x <= b for x in range(6)] for a in range(6) for b in range(-1, 6)])
    assert [growth_function(intervals, n) for n in range(1, 7)] == [
        growth_function("intervals", n) for n in range(1, 7)
    ]


@pytest.mark.notes("003", "shattering")
def test_growth_functions():
    assert [growth_function(3, n) for n in (0, 1, 3, 10)] == [1, 2, 8, 176]
    assert growth_function(math.inf, 10) == 1024 and growth_function("thresholds", 10) == 11
    assert growth_function("finite", 10, n_hypotheses=100) == 100
    for name, d in (("linear", 3), ("intervals", 1), ("rectangles", 2), ("balls", 2)):
        h = int(vc_dimension(name, d))
        assert growth_function(name, h, n_features=d) == 2**h
        assert growth_function(name, h + 1, n_features=d) < 2 ** (h + 1)
        assert growth_function(name, 30, n_features=d) <= growth_function(h, 30)
    rng = np.random.default_rng(1)
    for n in (4, 5, 6):
        assert shatters("circles", rng.normal(size=(n, 2))).n_realized == growth_function("circles", n)
        assert shatters("rectangles", rng.normal(size=(n, 2))).n_realized <= growth_function("rectangles", n)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: shatters("blobs", SQUARE), "must be one of"),
        (lambda: shatters(SQUARE, "lines"), "concepts comes first"),
        (lambda: shatters("polygons", SQUARE), "no oracle"),
        (lambda: shatters("linear", np.zeros((17, 2))), "at most 16"),
        (lambda: shatters("intervals", SQUARE), "on the line"),
        (lambda: shatters("linear", [[0, math.nan]]), "NaN"),
        (lambda: shatters([[0, 1], [1, 0]], [2]), "does not have"),
        (lambda: shatters([[0, 1], [2, 0]], [1]), "shattering is about two"),
        (lambda: vc_dimension("finite"), "n_hypotheses"),
        (lambda: vc_dimension("neural_network"), "n_parameters"),
        (lambda: vc_dimension(lambda X, y: True), "give points"),
        (lambda: growth_function([[0, 1]], 3), "has 2 instances"),
        (lambda: growth_function(-1, 3), "at least 0"),
    ],
)
def test_errors_name_what_is_wrong(call, words):
    with pytest.raises((ParameterError, DataError, ValueError), match=words):
        call()
