"""Scores of structures and hill climbing, against the notes' numbers, all graphs and a literal transcription."""

import itertools

import numpy as np
import pandas as pd
import pytest
from reference.graphical import random_network
from scipy.special import gammaln

from novum.datasets import load_fuel_gauge
from novum.exceptions import DataError, ParameterError, ParameterTypeError
from novum.graphical import DAG, ChowLiu, HillClimb
from novum.graphical.structure_learning.scores import LocalScores, read_complete

SEVEN = {"X1": list("TTTFTTT"), "X2": list("RRGRBBB"), "X3": list("FFTFTTT")}
STATES = {"X1": "TF", "X2": "RGB", "X3": "TF"}
SCORES = ("bic", "aic", "bdeu", "k2", "log_likelihood")


def scores_of(kind, data=SEVEN, states=STATES, weight=None, ess=1.0):
    known, codes = read_complete("test", data, states)
    return LocalScores("test", kind, [len(s) for s in known.values()], codes, weight, ess)


def total(scores, dag, names=("X1", "X2", "X3")):
    return scores.total([frozenset(names.index(p) for p in dag.parents[v]) for v in names])


def literal(kind, codes, cards, child, parents, weight, ess):
    """The score of a family, cell by cell."""
    n, out, r = weight.sum(), 0.0, cards[child]
    q = int(np.prod([cards[p] for p in parents], dtype=int))
    for u in itertools.product(*(range(cards[p]) for p in parents)):
        rows = np.all([codes[p] == value for p, value in zip(parents, u, strict=True)], axis=0) & np.ones(
            len(weight), bool
        )
        counts = np.array([weight[rows & (codes[child] == x)].sum() for x in range(r)])
        if kind in ("bdeu", "k2"):
            a = np.full(r, ess / (r * q) if kind == "bdeu" else 1.0)
            out += gammaln(a.sum()) - gammaln(a.sum() + counts.sum()) + (gammaln(a + counts) - gammaln(a)).sum()
        else:
            seen = counts[counts > 0]
            out += (seen * np.log(seen / counts.sum())).sum()
    penalty = {"bic": np.log(n) / 2, "aic": 1.0}.get(kind, 0.0)
    return out - penalty * (r - 1) * q


@pytest.mark.notes("000-b", "structure-score")
def test_families_of_the_seven_rows():
    expected = {
        "log_likelihood": (-2.870814, -1.909543),
        "bic": (-3.843769, -4.828408),
        "k2": (-4.025352, -4.564348),
    }
    for kind, (alone, joined) in expected.items():
        scores = scores_of(kind)
        assert scores(0, []) == pytest.approx(alone, abs=1e-6)
        assert scores(0, [1]) == pytest.approx(joined, abs=1e-6)


@pytest.mark.notes("000-b", "structure-score")
def test_best_of_all_graphs_of_the_seven_rows():
    graphs = list(DAG.enumerate(["X1", "X2", "X3"]))
    assert len(graphs) == 25
    for kind, best, arcs in (
        ("bic", -15.73824, [{("X2", "X3")}, {("X3", "X2")}]),
        ("bdeu", -16.17387, [{("X2", "X3")}, {("X3", "X2")}]),
        ("k2", -15.76939, [{("X1", "X3"), ("X3", "X2")}]),
    ):
        scores = scores_of(kind)
        values = [total(scores, graph) for graph in graphs]
        assert max(values) == pytest.approx(best, abs=1e-5)
        tops = [set(g.arcs) for g, v in zip(graphs, values, strict=True) if v > max(values) - 1e-9]
        assert sorted(map(sorted, tops)) == sorted(map(sorted, arcs))
        found = HillClimb(kind).fit(SEVEN, STATES)
        assert found.score_ == pytest.approx(best, abs=1e-5) and set(found.dag_.arcs) in arcs


@pytest.mark.parametrize("kind", SCORES)
def test_local_scores_cell_by_cell(kind):
    rng = np.random.default_rng(3)
    cards = [2, 3, 4, 2]
    codes = np.array([rng.integers(k, size=60) for k in cards], dtype=np.int32)
    weight = rng.integers(0, 3, 60).astype(float)
    scores = LocalScores("test", kind, cards, codes, weight, 2.5)
    for child in range(4):
        for size in range(4):
            for parents in itertools.combinations([v for v in range(4) if v != child], size):
                expected = literal(kind, codes, cards, child, parents, weight, 2.5)
                assert scores(child, parents) == pytest.approx(expected, rel=1e-12, abs=1e-10)
    plain = LocalScores("test", kind, cards, np.repeat(codes, weight.astype(int), axis=1), None, 2.5)
    assert plain(0, [1, 2]) == pytest.approx(scores(0, [1, 2]), rel=1e-12)


def test_equivalent_graphs_have_the_same_score():
    rows = random_network(2, n=5).sample(200, random_state=0)
    known, codes = read_complete("test", rows, None)
    names = tuple(known)
    classes: dict = {}
    for graph in itertools.islice(DAG.enumerate(names[:4]), 0, None, 3):
        classes.setdefault(graph.essential_graph(), []).append(graph)
    for kind in ("bic", "aic", "bdeu", "log_likelihood"):
        scores = LocalScores("test", kind, [len(s) for s in known.values()][:4], codes[:4], None, 3.0)
        for members in classes.values():
            values = [total(scores, graph, names[:4]) for graph in members]
            np.testing.assert_allclose(values, values[0], rtol=1e-11)


def test_search_finds_the_best_of_all_graphs():
    for seed in range(4):
        rows = random_network(seed, n=4).sample(150, random_state=seed)
        known, codes = read_complete("test", rows, None)
        for kind in ("bic", "bdeu", "k2"):
            scores = LocalScores("test", kind, [len(s) for s in known.values()], codes, None, 1.0)
            best = max(total(scores, graph, tuple(known)) for graph in DAG.enumerate(tuple(known)))
            found = HillClimb(kind).fit(rows)
            assert found.score_ == pytest.approx(best, rel=1e-12)
            assert found.score_ == pytest.approx(total(scores, found.dag_, tuple(known)), rel=1e-12)


def test_restarts_and_tabu_only_help_and_repeat():
    rows = random_network(5, n=10).sample(400, random_state=1)
    plain = HillClimb(tabu=0, n_init=1).fit(rows)
    tabu = HillClimb(tabu=10, n_init=1).fit(rows)
    shaken = HillClimb(tabu=0, n_init=31).fit(rows)
    assert tabu.score_ >= plain.score_ and shaken.score_ >= plain.score_
    again = HillClimb(tabu=0, n_init=31).fit(rows)
    assert again.dag_ == shaken.dag_ and again.score_ == shaken.score_ and again.n_iter_ == shaken.n_iter_
    assert HillClimb(start=shaken.dag_, tabu=0, n_init=1).fit(rows).score_ >= shaken.score_ - 1e-9
    assert HillClimb(max_iter=1, n_init=1).fit(rows).n_iter_ == 1


def test_required_and_forbidden_arcs_and_the_number_of_parents():
    rows = random_network(1, n=8).sample(500, random_state=0)
    names = list(rows.columns)
    free = HillClimb().fit(rows)
    forbidden = free.dag_.arcs
    required = [(names[-1], names[0]), (names[-2], names[1])]
    held = HillClimb(required=required, forbidden=[a for a in forbidden if a not in required], max_parents=2).fit(rows)
    assert set(required) <= set(held.dag_.arcs)
    assert not set(held.dag_.arcs) & (set(forbidden) - set(required))
    assert max(len(p) for p in held.dag_.parents.values()) <= 2
    assert HillClimb(max_parents=0).fit(rows).dag_.arcs == []


def test_weights_equal_repetition():
    rows = random_network(3, n=6).sample(80, random_state=0)
    weight = np.random.default_rng(0).integers(0, 4, len(rows))
    repeated = rows.loc[np.repeat(rows.index, weight)].reset_index(drop=True)
    for learner in (HillClimb("bdeu"), ChowLiu()):
        a, b = learner.fit(rows, sample_weight=weight).dag_, learner.fit(repeated).dag_
        assert a == b
    fitted = HillClimb().fit(rows, sample_weight=weight)
    for v, table in HillClimb().fit(repeated).network(prior=1).tables.items():
        np.testing.assert_allclose(fitted.network(prior=1).tables[v], table, rtol=1e-12)


def test_the_network_of_the_graph():
    rows = load_fuel_gauge().sample(3000, random_state=0)
    found = HillClimb("bdeu").fit(rows)
    network = found.network(prior="bdeu")
    assert network.states["gauge"] == tuple(rows["gauge"].cat.categories) and network.dag == found.dag_
    assert "score -" in str(found) and repr(HillClimb(tabu=3)) == "HillClimb(tabu=3)"
    truth = load_fuel_gauge().query("fuel", {"gauge": "empty"})["empty"]
    assert network.query("fuel", {"gauge": "empty"})["empty"] == pytest.approx(truth, abs=0.05)


def test_data_of_many_kinds_give_one_graph():
    rows = random_network(4, n=5).sample(300, random_state=0)
    codes = np.column_stack([rows[c].cat.codes for c in rows])
    named = HillClimb().fit(rows).dag_
    numbered = HillClimb().fit(codes).dag_
    names = list(rows.columns)
    assert {(names[int(a[1:])], names[int(b[1:])]) for a, b in numbered.arcs} == set(named.arcs)
    assert HillClimb().fit({c: rows[c].to_numpy() for c in rows}).score_ == pytest.approx(HillClimb().fit(rows).score_)


def test_bad_input():
    rows = pd.DataFrame({"a": [0, 1, 1, 0], "b": [1, 1, 0, 0], "c": [0, 0, 1, 1]})
    for learner, words in (
        (HillClimb("best"), "'scoring' parameter of HillClimb must be"),
        (HillClimb("bdeu", equivalent_sample_size=0), "'equivalent_sample_size' parameter of HillClimb must be"),
        (HillClimb(required=[("a", "z")]), "is no arc"),
        (HillClimb(required=[("a", "b"), ("b", "a")]), "form a cycle: "),
        (HillClimb(required=[("a", "b")], forbidden=[("a", "b")]), "required and forbidden"),
        (HillClimb(start=[("a", "b"), ("b", "c"), ("c", "a")]), "form a cycle"),
        (HillClimb(required=[("a", "c"), ("b", "c")], max_parents=1), "into 'c' are required"),
        (ChowLiu(root="z"), "root='z' is no variable"),
        (ChowLiu(root="a", target="a"), "cannot be the root"),
    ):
        with pytest.raises(ParameterError, match=words):
            learner.fit(rows)
    with pytest.raises(ParameterTypeError, match="'max_parents' parameter of HillClimb must be an int"):
        HillClimb(max_parents=1.5).fit(rows)
    with pytest.raises(ParameterError, match=r"call fit\(data\) first"):
        HillClimb().network()
    with pytest.raises(DataError, match="column 'b' has missing cells"):
        HillClimb().fit(rows.assign(b=[1, None, 0, 0]))
    with pytest.raises(DataError, match="no rows or no columns"):
        HillClimb().fit(rows[:0])
    with pytest.raises(DataError, match="cut it into a few states"):
        HillClimb().fit({"a": np.arange(2000) + 0.5, "b": np.zeros(2000)})
    with pytest.raises(DataError, match="negative"):
        HillClimb().fit(rows, sample_weight=[1, -1, 1, 1])
    for odd in (None, 3, [1, 2, 3], np.arange(4)):
        with pytest.raises(DataError, match="pass a frame, a mapping of variable to column, or an array of rows"):
            HillClimb().fit(odd)
    assert HillClimb().fit([[0, "x"], [1, "y"]]).dag_.nodes == ("x0", "x1")
    assert HillClimb().fit(rows.set_axis([0, 1, 2], axis=1)).dag_.nodes == (0, 1, 2)
    assert HillClimb().fit({"a": ["x", "x"]}).dag_ == DAG((), ["a"])


def information(x, y, c=None):
    c = np.zeros(len(x)) if c is None else c
    out = 0.0
    for cell in set(zip(x, y, c, strict=True)):
        p = np.mean((x == cell[0]) & (y == cell[1]) & (c == cell[2]))
        px, py = np.mean((x == cell[0]) & (c == cell[2])), np.mean((y == cell[1]) & (c == cell[2]))
        out += p * np.log(p * np.mean(c == cell[2]) / (px * py))
    return out


@pytest.mark.notes("000-b", "structure-score")
def test_chow_liu_is_the_best_tree():
    import networkx as nx

    rows = random_network(7, n=6).sample(300, random_state=0).apply(lambda column: column.cat.codes)
    found = ChowLiu().fit(rows)
    graph = nx.Graph()
    for a, b in itertools.combinations(rows.columns, 2):
        graph.add_edge(a, b, weight=information(rows[a].to_numpy(), rows[b].to_numpy()))
    tree = nx.maximum_spanning_tree(graph)
    assert len(found.dag_.arcs) == 5 and sum(found.information_.values()) == pytest.approx(
        tree.size("weight"), abs=1e-12
    )
    for (a, b), value in found.information_.items():
        assert value == pytest.approx(graph[a][b]["weight"], abs=1e-12)
    assert found.score_ == pytest.approx(found.network().score_samples(rows).sum(), rel=1e-12)
    for root in rows.columns:
        other = ChowLiu(root=root).fit(rows)
        assert other.dag_.roots == (root,) and other.score_ == pytest.approx(found.score_, rel=1e-12)
        assert other.dag_.equivalent(found.dag_)


def test_chow_liu_given_a_class():
    import networkx as nx

    rows = random_network(8, n=5).sample(300, random_state=0).apply(lambda column: column.cat.codes)
    target = rows.columns[2]
    found = ChowLiu(target=target).fit(rows)
    assert all(target in parents for v, parents in found.dag_.parents.items() if v != target)
    graph = nx.Graph()
    for a, b in itertools.combinations([c for c in rows.columns if c != target], 2):
        graph.add_edge(a, b, weight=information(*(rows[c].to_numpy() for c in (a, b, target))))
    tree = nx.maximum_spanning_tree(graph)
    assert len(found.information_) == 3 and sum(found.information_.values()) == pytest.approx(
        tree.size("weight"), abs=1e-12
    )
    assert ChowLiu(target="y").fit({"y": [0, 1]}).dag_.arcs == []


@pytest.mark.peer
def test_no_lower_score_than_pyagrum(tmp_path):
    gum = pytest.importorskip("pyagrum")
    for seed in range(3):
        network = random_network(seed, n=12)
        rows = network.sample(2000, random_state=seed)
        rows.to_csv(tmp_path / "rows.csv", index=False)
        learner = gum.BNLearner(str(tmp_path / "rows.csv"))
        learner.useScoreBIC()
        learner.useNoPrior()
        learner.useLocalSearchWithTabuList()
        arcs = [(learner.nameFromId(a), learner.nameFromId(b)) for a, b in learner.learnDAG().arcs()]
        known, codes = read_complete("test", rows, None)
        scores = LocalScores("test", "bic", [len(s) for s in known.values()], codes, None, 1.0)
        theirs = total(scores, DAG(arcs, tuple(known)), tuple(known))
        assert HillClimb().fit(rows).score_ >= theirs - 1e-6
