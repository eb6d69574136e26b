"""The networks of the notes: tables sum to one, and enumeration gives the notes' probabilities."""

import itertools

import numpy as np
import pytest

from novum import datasets
from novum.datasets.networks import joint_table
from novum.exceptions import ParameterError


def enumerate_joint(network):
    """Literal product of the tables over all assignments."""
    sizes = {node: range(len(states)) for node, states in network.states.items()}
    joint = {}
    for values in itertools.product(*sizes.values()):
        x = dict(zip(sizes, values))
        joint[values] = np.prod([network.tables[n][tuple(x[p] for p in network.parents[n]) + (x[n],)] for n in sizes])
    return joint


def probability(network, event, given=()):
    nodes = network.nodes
    index = {node: {s: i for i, s in enumerate(states)} for node, states in network.states.items()}

    def total(wanted):
        fixed = {nodes.index(node): index[node][state] for node, state in dict(wanted).items()}
        return sum(p for x, p in enumerate_joint(network).items() if all(x[i] == s for i, s in fixed.items()))

    return total({**dict(event), **dict(given)}) / total(dict(given))


def moral_separated(parents, a, b, given):
    """d-separation by the moral graph of the ancestors (Lauritzen)."""
    keep, stack = set(), [*a, *b, *given]
    while stack:
        node = stack.pop()
        if node not in keep:
            keep.add(node)
            stack += parents[node]
    edges = {frozenset((p, n)) for n in keep for p in parents[n]}
    edges |= {frozenset(pair) for n in keep for pair in itertools.combinations(parents[n], 2)}
    reached, stack = set(given), [node for node in a if node not in given]
    while stack:
        node = stack.pop()
        if node in b:
            return False
        if node not in reached:
            reached.add(node)
            stack += [other for edge in edges if node in edge for other in edge - {node}]
    return True


@pytest.mark.notes("000-b", "ex-fuel-gauge")
def test_fuel_gauge_explains_away():
    car = datasets.load_fuel_gauge()
    empty = {"gauge": "empty"}
    assert probability(car, empty) == pytest.approx(0.315)
    assert probability(car, {"fuel": "empty"}) == pytest.approx(car.facts["fuel_empty"])
    assert probability(car, {"fuel": "empty"}, empty) == pytest.approx(9 / 35)
    assert probability(car, {"fuel": "empty"}, {**empty, "battery": "flat"}) == pytest.approx(1 / 9)
    assert probability(car, {"fuel": "empty"}, {**empty, "battery": "charged"}) == pytest.approx(0.3076923, abs=5e-8)
    assert probability(car, empty, {"fuel": "empty"}) == pytest.approx(0.81)
    assert car.n_parameters == 6 and car.arcs == [("battery", "gauge"), ("fuel", "gauge")]


@pytest.mark.notes("000-b", "ex-gene-network")
def test_gene_network_joint_and_queries():
    genes = datasets.load_gene_network()
    joint = joint_table(genes)
    expected = {(1, 1, 1): 0.081, (1, 1, 0): 0.009, (1, 0, 1): 0.126, (1, 0, 0): 0.084}
    expected |= {(0, 1, 1): 0.147, (0, 1, 0): 0.063, (0, 0, 1): 0.049, (0, 0, 0): 0.441}
    assert enumerate_joint(genes) == pytest.approx(expected)
    assert dict(np.ndenumerate(joint)) == pytest.approx(expected)
    on = {"C": "active"}
    assert probability(genes, on) == pytest.approx(0.403)
    assert probability(genes, {"A": "active"}, on) == pytest.approx(207 / 403)
    assert probability(genes, {"A": "active"}, {**on, "B": "active"}) == pytest.approx(0.355263, abs=5e-7)
    given_on = joint[:, :, 1] / joint[:, :, 1].sum()
    assert np.unravel_index(given_on.argmax(), (2, 2)) == (0, 1) and given_on.max() == pytest.approx(0.364764, abs=5e-7)


@pytest.mark.notes("000-b", "ex-three-node-stories")
@pytest.mark.parametrize("name", ["rain", "covid", "wet", "burglar", "burglar_call"])
def test_stories_have_the_independences_stated(name):
    story = datasets.load_network(name)
    assert 3 <= len(story.nodes) <= 4 and not story.tables
    if name in ("rain", "covid", "wet"):
        middle = "rainy" if name == "wet" else name
        a, b = [node for node in story.nodes if node != middle]
        assert not moral_separated(story.parents, [a], [b], []) and moral_separated(story.parents, [a], [b], [middle])
    for a, b, given in story.facts.get("d_separated", []):
        assert moral_separated(story.parents, [a], [b], given)
    for a, b, given in story.facts.get("connected", []):
        assert not moral_separated(story.parents, [a], [b], given)


@pytest.mark.notes("000-b", "ex-dsep-large")
def test_exercises_on_d_separation():
    small, large = datasets.load_network("d_separation"), datasets.load_network("d_separation_large")
    for network in (small, large):
        for answer in ("d_separated", "connected"):
            for a, b, given in network.facts[answer]:
                assert moral_separated(network.parents, list(a), list(b), given) == (answer == "d_separated")
    undirected, arcs = {frozenset(arc) for arc in large.arcs}, set(large.arcs)
    children = {node: [b for a, b in arcs if a == node] for node in large.nodes}

    def below(node):
        return {node}.union(*(below(child) for child in children[node]))

    def is_open(path, given):
        """Walk the path: a collider passes where it or something below it is seen, every other node where it is not seen."""
        return all(
            bool(below(node) & given) if {(before, node), (after, node)} <= arcs else node not in given
            for before, node, after in zip(path, path[1:], path[2:])
        )

    assert large.facts["blocked_paths"] == ["1-2-3-4", "1-2-5-beta-6", "1-2-5-beta-4"]
    assert large.facts["open_paths"] == ["1-2-5-7-8"]
    for answer in ("blocked_paths", "open_paths"):
        for path in large.facts[answer]:
            nodes = path.split("-")
            assert all(frozenset(step) in undirected for step in itertools.pairwise(nodes))
            assert is_open(nodes, {"beta"}) == (answer == "open_paths"), path


@pytest.mark.notes("000-b", "ex-fg-polytree")
def test_polytree_marginals():
    tree = datasets.load_network("polytree")
    assert probability(tree, {"C": "0"}) == pytest.approx(0.41) and probability(tree, {"B": "0"}) == pytest.approx(
        0.4206
    )
    assert "; 4 variables, 8 free parameters (the full joint has 15)" in repr(tree)


@pytest.mark.notes("000-b", "ex-fg-star")
def test_star_messages_and_maximum():
    star = datasets.load_factors("star")
    f_a, f_b, f_c = (table for _, table in star.factors.values())
    joint = np.einsum("ab,bc,db->abcd", f_a, f_b, f_c)
    assert joint.sum() == 180 and joint.max() == 60 and np.unravel_index(joint.argmax(), joint.shape) == (1, 1, 1, 1)
    np.testing.assert_allclose(joint.sum(axis=(0, 1, 3)) / 180, [1 / 3, 2 / 3])
    message = f_a.sum(axis=0) * f_c.sum(axis=0)
    np.testing.assert_allclose(message, [12, 36])
    np.testing.assert_allclose(message @ f_b, [60, 120])


@pytest.mark.notes("002", "mrf-not-bn")
def test_four_cycle_has_two_independences_that_no_dag_has_together():
    cycle = datasets.load_factors("four_cycle")
    tables = [table for _, table in cycle.factors.values()]
    p = np.einsum("ac,cb,bd,da->abcd", *tables)
    p /= p.sum()
    for keep in (("c", "d", "ab"), ("a", "b", "cd")):
        a, b, given = keep
        both = p
        one = np.einsum(f"abcd->{a}{given}", p)
        other = np.einsum(f"abcd->{b}{given}", p)
        base = np.einsum(f"abcd->{given}", p)
        product = np.einsum(f"{a}{given},{b}{given},{given}->abcd", one, other, 1 / base)
        np.testing.assert_allclose(both, product, rtol=1e-14)
    assert np.abs(p.sum(axis=(2, 3)) - 0.25).max() > 0.01  # A and B are dependent without evidence
    pairs = list(itertools.combinations("ABCD", 2))
    statements = [
        (a, b, given)
        for a, b in pairs
        for r in (0, 1, 2)
        for given in itertools.combinations(sorted({*"ABCD"} - {a, b}), r)
    ]
    wanted = [(a, b, given) in {("C", "D", ("A", "B")), ("A", "B", ("C", "D"))} for a, b, given in statements]
    for arrows in itertools.product((0, 1, 2), repeat=6):
        parents = {n: [] for n in "ABCD"}
        for (a, b), arrow in zip(pairs, arrows):
            if arrow:
                parents[b if arrow == 1 else a].append(a if arrow == 1 else b)
        if any(all(o.index(p) < o.index(n) for n in o for p in parents[n]) for o in itertools.permutations("ABCD")):
            assert [moral_separated(parents, [a], [b], list(g)) for a, b, g in statements] != wanted


def test_unknown_names_are_listed():
    with pytest.raises(ParameterError, match=r"load_network\(name='alarm'\): name must be one of 'rain'"):
        datasets.load_network("alarm")
    with pytest.raises(ParameterError, match=r"load_factors\(name='x'\): name must be one of 'star', 'four_cycle'"):
        datasets.load_factors("x")
