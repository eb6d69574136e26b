"""d-separation: paths against a walk over the graph, the verdict against the moral graph of the ancestors."""

from itertools import combinations, pairwise

import pytest
from lab.runs import refusal_of, run_of

OWN = {
    "nodes": ["a", "b", "c", "d", "e"],
    "arcs": [["a", "c"], ["b", "c"], ["c", "d"], ["a", "e"], ["b", "e"]],
    "at": [[0, 0], [1, 0], [0.5, 0.5], [0.5, 1], [0.9, 0.9]],
}
EXERCISE = {"example": "d_separation"}
STATES = [{}, {"observed": "beta 3"}, {**EXERCISE, "observed": "c"}, EXERCISE, {"a": "1", "b": "8"}]
STATES += [{"example": "own", "drawn": OWN, "a": "a", "b": "b", "observed": given} for given in ("", "d", "d, e")]


@pytest.fixture(scope="module", params=STATES)
def run(request):
    return run_of("d-separation", **request.param)


def parents_of(frame):
    made = {node["id"]: set() for node in frame.arrays["nodes"]}
    for edge in frame.arrays["edges"]:
        made[edge["to"]].add(edge["from"])
    return made


def with_ancestors(nodes, parents):
    found = set(nodes)
    while any(parents[n] - found for n in found):
        found |= {p for n in found for p in parents[n]}
    return found


def separated(parents, a, b, given):
    """Decide by the moral graph of the ancestors, without the observed (Lauritzen 1990)."""
    kept = with_ancestors({a, b, *given}, parents)
    joined = {frozenset((p, n)) for n in kept for p in parents[n]}
    joined |= {frozenset(pair) for n in kept for pair in combinations(parents[n], 2)}
    seen, waiting = {a}, [a]
    while waiting:
        node = waiting.pop()
        near = {other for edge in joined if node in edge for other in edge} - seen - set(given)
        seen |= near
        waiting += near
    return b not in seen


def walks(parents, a, b):
    """Return every path without a node twice, by looking at all neighbors."""
    near = {n: parents[n] | {m for m in parents if n in parents[m]} for n in parents}

    def further(path):
        if path[-1] == b:
            return [path]
        return [found for n in near[path[-1]] if n not in path for found in further([*path, n])]

    return further([a])


def is_open(path, parents, given):
    for before, node, after in zip(path, path[1:], path[2:]):
        if before in parents[node] and after in parents[node]:
            if not any(node in with_ancestors({g}, parents) for g in given):
                return False
        elif node in given:
            return False
    return True


def asked(run):
    nodes = run.frames[0].arrays["nodes"]
    return [n["id"] for n in nodes if n["role"] == "query"], [n["id"] for n in nodes if n["shaded"]]


def test_every_path_is_shown_once_and_open_where_it_is(run):
    parents, (ends, given) = parents_of(run.last), asked(run)
    expected = {
        frozenset(map(frozenset, pairwise(path))): is_open(path, parents, given) for path in walks(parents, *ends)
    }
    found = {}
    for frame in run.frames[1:-1]:
        lit = [edge for edge in frame.arrays["edges"] if edge["role"] != "plain"]
        found[frozenset(frozenset((edge["from"], edge["to"])) for edge in lit)] = {e["role"] for e in lit} == {"open"}
    assert found == expected
    assert run.last.values["open"] == sum(expected.values()) and run.last.values["paths"] == len(expected)


def test_the_verdict_is_that_of_the_moral_graph_of_the_ancestors(run):
    ends, given = asked(run)
    assert run.last.say[0] == ("separated" if separated(parents_of(run.last), *ends, given) else "connected")


def test_independences_are_counted_one_by_one(run):
    parents = parents_of(run.last)
    count = 0
    for a, b in combinations(parents, 2):
        rest = [n for n in parents if n not in (a, b)]
        sets = (chosen for size in range(len(rest) + 1) for chosen in combinations(rest, size))
        count += sum(separated(parents, a, b, chosen) for chosen in sets)
    assert run.last.values["independences"] == count


def test_the_blanket_separates_from_all_others(run):
    parents, first = parents_of(run.last), asked(run)[0][0]
    blanket = {n["id"] for n in run.last.arrays["blanket_nodes"] if n["role"] == "active"}
    others = set(parents) - blanket - {run.last.say[1]["a"]}
    assert first and all(separated(parents, run.last.say[1]["a"], other, blanket) for other in others)


def test_a_question_about_an_observed_node_is_refused():
    assert refusal_of("d-separation", observed="1 beta")[1] == "observed"
    assert refusal_of("d-separation", a="4")[1] == "b"
    names = list("abcdefghij")
    complete = [[a, b] for i, a in enumerate(names) for b in names[i + 1 :]]
    dense = {"nodes": names, "arcs": complete, "at": [[i / 9, 0.5] for i in range(10)]}
    assert refusal_of("d-separation", example="own", drawn=dense, observed="")[1] == "drawn"
    turned = {**OWN, "arcs": [*OWN["arcs"], ["d", "a"]]}
    assert refusal_of("d-separation", example="own", drawn=turned)[1] == "drawn"
