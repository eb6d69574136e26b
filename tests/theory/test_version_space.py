"""Version spaces: the notes' integers, EnjoySport, and conjunctions by enumeration."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

from novum.datasets import load_example
from novum.exceptions import DataError, ParameterError
from novum.theory import FindS, VersionSpace, candidate_elimination, vc_dimension
from novum.theory.conjunctions import covers

SPORT = [
    ["sunny", "warm", "normal", "strong", "warm", "same"],
    ["sunny", "warm", "high", "strong", "warm", "same"],
    ["rainy", "cold", "high", "strong", "warm", "change"],
    ["sunny", "warm", "high", "strong", "cool", "change"],
]
ENJOYED = ["yes", "yes", "no", "yes"]
DOMAINS = [
    ["sunny", "cloudy", "rainy"],
    ["warm", "cold"],
    ["normal", "high"],
    ["strong", "light"],
    ["warm", "cool"],
    ["same", "change"],
]


@pytest.fixture
def integers():
    table = load_example("integers")
    signed = {name: (lambda n, h=h: "+" if h(n) else "-") for name, h in table.hypotheses.items()}
    return VersionSpace(signed, range(1, 12)), table.data[:, 0], table.target


@pytest.mark.notes("001", "version-space")
@pytest.mark.notes("003", "version-space")
def test_all_four_hypotheses_about_the_integers_are_consistent(integers):
    space, n, sign = integers
    after = space.observe(n, sign)
    assert list(after) == list(space) and len(after.examples) == 6
    assert all(VersionSpace.consistent(h, n, sign) for h in space.hypotheses.values())
    assert not VersionSpace.consistent(lambda x: "+", n, sign)
    assert list(after.observe([11], ["+"])) == ["odd", "one or prime"] and len(space) == 4
    nothing = space.observe([1], ["-"])
    assert len(nothing) == 0 and nothing.predict([3]) == [None]
    everything = VersionSpace([lambda x, t=t: t[x] for t in product([False, True], repeat=4)], range(4))
    found = everything.observe([0, 2], [True, False])
    assert len(found) == 4 and found.votes(1) == {True: 2, False: 2} and found.unanimous(0)
    assert vc_dimension(found.table()) == 2


def test_rows_of_a_frame_are_instances():
    frame = pd.DataFrame({"a": [1, 2], "b": [1, 3]})
    space = VersionSpace({"same": lambda x: x[0] == x[1], "small": lambda x: sum(x) < 9})
    assert list(space.observe(frame, [True, False])) == ["same"] and space.predict(frame) == [True, None]


@pytest.mark.notes("001", "majority-vote")
def test_majority_with_undefined_ties_and_the_power_set(integers):
    space, _, _ = integers
    assert [space.hypotheses[name](11) for name in space] == ["+", "-", "+", "-"]
    assert space.predict([11, 2, 4, 9]) == [None, None, "-", "-"]
    assert space.votes(2) == {"-": 2, "+": 2}
    after = space.observe([4], ["-"]).observe([3, 5], ["+", "+"])
    assert [label for _, label in after.examples] == ["-", "+", "+"]
    power = space.power_set()
    assert len(power) == 15
    assert power.votes(11) == {"+": 5, "-": 5, None: 5}
    assert power.predict([11, 4]) == [None, "-"]
    with pytest.raises(ParameterError, match="at most 16"):
        power.observe([4], ["-"]).power_set().power_set()


@pytest.mark.notes("001", "hypothesis-search")
def test_best_hypothesis_by_performance(integers):
    space, n, sign = integers
    assert space.best(n, sign) == "odd"  # all are perfect: the first
    assert space.best([2, 4], ["+", "-"]) == "one or prime"
    assert space.best([2, 4], ["+", "-"], lambda true, said: said.count("+")) == "at most 5"
    with pytest.raises(DataError, match="empty"):
        space.observe([1], ["-"]).best(n, sign)


@pytest.mark.notes("001", "version-space")
@pytest.mark.notes("003", "version-space")
def test_boundaries_and_queries_of_an_enumerated_space(integers):
    space, n, sign = integers
    after = space.observe(n, sign)
    assert after.specific_boundary == ["in {1, 3, 5}"]
    assert set(after.general_boundary) == {"odd", "at most 5", "one or prime"}
    query = after.query()
    assert max(after.votes(query).values()) == 2
    thresholds = VersionSpace({str(t): (lambda x, t=t: x >= t) for t in range(64)}, range(64))
    questions = 0
    while (x := thresholds.query()) is not None:
        thresholds = thresholds.observe([x], [x >= 37])
        questions += 1
    assert questions == 6 and list(thresholds) == ["37"]


def test_find_s_on_enjoy_sport():
    model = FindS().fit(SPORT, ENJOYED)
    assert model.hypothesis_ == ("sunny", "warm", "?", "strong", "?", "?") and model.consistent_
    assert model.predict(SPORT).tolist() == ENJOYED and model.score(SPORT, ENJOYED) == 1
    frame = pd.DataFrame(SPORT, columns=list("abcdef"))
    assert FindS().fit(frame, ENJOYED).predict(frame).tolist() == ENJOYED
    assert FindS().fit(np.array([[1, 2], [1, 3]]), [1, 0]).hypothesis_ == (1, 2)
    assert not FindS().fit([[1, 2], [2, 1], [1, 1]], [1, 1, 0]).consistent_
    with pytest.raises(DataError, match="3 classes"):
        FindS().fit([[1], [2], [3]], [0, 1, 2])
    with pytest.raises(DataError, match="expecting 6 features"):
        model.predict([["sunny"]])
    with pytest.raises(DataError, match="row 0 holds a missing value"):
        FindS().fit([[None, 1]], [1])


def test_candidate_elimination_on_enjoy_sport():
    space = candidate_elimination(SPORT, ENJOYED, domains=DOMAINS)
    assert space.specific_boundary == [("sunny", "warm", "?", "strong", "?", "?")]
    assert set(space.general_boundary) == {("sunny", *"?????"), ("?", "warm", *"????")}
    assert len(space) == 6 and len(space.history) == 5
    third = space.history[3]
    assert set(third.general) == {("sunny", *"?????"), ("?", "warm", *"????"), (*"?????", "same")}
    new = [
        ["sunny", "warm", "normal", "strong", "cool", "change"],
        ["rainy", "cold", "normal", "light", "warm", "same"],
        ["sunny", "warm", "normal", "light", "warm", "same"],
        ["sunny", "cold", "normal", "strong", "warm", "same"],
    ]
    assert [space.votes(x) for x in new] == [{True: 6}, {False: 6}, {True: 3, False: 3}, {True: 2, False: 4}]
    assert space.predict(new) == [True, False, None, False]
    assert space.unanimous(new[0]) and not space.unanimous(new[2])
    query = space.query()
    assert space.votes(query) == {True: 3, False: 3}
    assert "specific  (sunny, warm, ?, strong, ?, ?)" in repr(space)


@pytest.mark.notes("003", "version-space")
@pytest.mark.parametrize("seed", range(12))
def test_conjunctions_by_enumeration(seed):
    rng = np.random.default_rng(seed)
    domains = [[0, 1, 2], [0, 1], [0, 1, 2], [0, 1]]
    X = [tuple(int(rng.choice(values)) for values in domains) for _ in range(6)]
    truth = (1, "?", "?", 0) if seed % 3 else None
    y = [bool(rng.integers(2)) if truth is None else covers(truth, x) for x in X]
    space = VersionSpace.conjunctions(domains, positive=True).observe(X, y)
    every = [*product(*[[*values, "?"] for values in domains]), None]
    members = [h for h in every if all(covers(h, x) == label for x, label in zip(X, y))]
    assert len(space) == len(members)
    instances = list(product(*domains))
    reach = {h: {x for x in instances if covers(h, x)} for h in members}
    assert set(space.general_boundary) == {h for h in members if h and not any(reach[h] < reach[g] for g in members)}
    assert set(space.specific_boundary) == {h for h in members if not any(reach[g] < reach[h] for g in members)}
    for x in instances:
        counts = {True: sum(x in reach[h] for h in members), False: sum(x not in reach[h] for h in members)}
        assert space.votes(x) == {label: count for label, count in counts.items() if count}
    assert all(space.contains(h) == (h in members) for h in every if h)


def test_order_of_examples_does_not_matter_and_contradictions_empty_the_space():
    whole = candidate_elimination(SPORT, ENJOYED, domains=DOMAINS)
    for order in ([3, 2, 1, 0], [2, 0, 3, 1]):
        other = candidate_elimination([SPORT[i] for i in order], [ENJOYED[i] for i in order], domains=DOMAINS)
        assert other.specific_boundary == whole.specific_boundary
        assert set(other.general_boundary) == set(whole.general_boundary)
    clash = candidate_elimination([["a"], ["a"]], ["yes", "no"])
    assert len(clash) == 0 and clash.predict([["a"]]) == [None] and clash.query() is None
    assert len(VersionSpace.conjunctions(DOMAINS)) == 973


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: VersionSpace([3]), "function of one instance"),
        (lambda: VersionSpace([len]).query(), "name the instances"),
        (lambda: VersionSpace([len]).observe([1], []), "one label per instance"),
        (lambda: candidate_elimination([], []), "0 sample"),
        (lambda: candidate_elimination([["a"]], ["b"]), "say which is the positive one"),
        (lambda: candidate_elimination([["a"]], ["yes"], domains=[["b"]]), "no value of attribute 0"),
        (lambda: candidate_elimination([["a"], ["a", "b"]], ["yes", "no"]), "different lengths"),
        (lambda: VersionSpace.conjunctions([]), "at least one attribute"),
        (lambda: VersionSpace.conjunctions([["?"]]), "means any value"),
    ],
)
def test_errors_name_what_is_wrong(call, words):
    with pytest.raises((ParameterError, DataError), match=words):
        call()
