"""Graphs: labels by sorted tuples of what is around, the kernel by counting; words of strings counted too."""

from collections import Counter

import networkx as nx
import numpy as np
import pytest
from lab.runs import refusal_of, run_of

from novum.kernels import Spectrum, WeisfeilerLehman

AT = [[0.1, 0.1], [0.9, 0.1], [0.9, 0.9], [0.1, 0.9], [0.5, 0.1], [0.5, 0.9]]
NAMES = ["a", "b", "c", "d", "e", "f"]
RING = {"nodes": NAMES, "at": AT, "arcs": [["a", "b"], ["b", "c"], ["c", "d"], ["d", "e"], ["e", "f"], ["f", "a"]]}
TRIANGLES = {"nodes": NAMES, "at": AT, "arcs": [["a", "b"], ["b", "c"], ["c", "a"], ["d", "e"], ["e", "f"], ["f", "d"]]}
SMALL = {"nodes": ["x", "y", "z"], "at": AT[:3], "arcs": [["x", "y"]]}
STATES = [{}, {"left": RING, "right": TRIANGLES, "rounds": 3}, {"left": RING, "right": SMALL, "rounds": 2, "k": 2}]
STATES.append({"one": "the cat sat", "other": "that hat", "k": 2, "rounds": 1})


@pytest.fixture(scope="module", params=STATES)
def run(request):
    return run_of("graph-kernel", **request.param)


def words(drawn, rounds):
    """Return what every node has seen after each round, as nested tuples: equal ones are one label."""
    around = {name: [] for name in drawn["nodes"]}
    for a, b in drawn["arcs"]:
        around[a].append(b)
        around[b].append(a)
    seen = [dict.fromkeys(drawn["nodes"], "o")]
    for _ in range(rounds):
        last = seen[-1]
        seen.append({v: repr((last[v], sorted(last[u] for u in around[v]))) for v in drawn["nodes"]})
    return seen


def test_every_round_is_counted(run):
    s = run.state
    left, right = words(s.left, s.rounds), words(s.right, s.rounds)
    total = own = others = 0
    for frame in run.frames:
        a, b = Counter(left[frame.n].values()), Counter(right[frame.n].values())
        total += sum(a[word] * b[word] for word in a)
        own += sum(count**2 for count in a.values())
        others += sum(count**2 for count in b.values())
        assert frame.values["kernel"] == total
        assert frame.values["cosine"] == pytest.approx(total / np.sqrt(own * others), rel=1e-12)
        assert frame.values["labels"] == len({*a, *b})
        shown = {}
        for nodes, seen in (("first_nodes", left), ("second_nodes", right)):
            for node in frame.arrays[nodes]:
                assert shown.setdefault(node["label"], seen[frame.n][node["id"]]) == seen[frame.n][node["id"]]
        assert len(shown) == len({*a, *b})
        drawn = np.asarray(frame.arrays["counts"]).reshape(2, -1)
        assert sorted(drawn[0].tolist(), reverse=True)[: len(a)] == sorted(a.values(), reverse=True)
        apart = any(Counter(left[i].values()) != Counter(right[i].values()) for i in range(frame.n + 1))
        assert (frame.say[0] == "apart") == apart


def test_a_ring_and_two_triangles_look_the_same():
    run = run_of("graph-kernel", **STATES[1])
    assert {frame.say[0] for frame in run.frames} == {"start", "same"}
    assert not nx.is_isomorphic(nx.Graph(RING["arcs"]), nx.Graph(TRIANGLES["arcs"]))
    assert run_of("graph-kernel").last.say[0] == "apart"


def test_words_of_strings_are_counted(run):
    s = run.state
    a, b = (Counter(text[i : i + s.k] for i in range(len(text) - s.k + 1)) for text in (s.one, s.other))
    assert run.last.values["spectrum"] == sum(a[word] * b[word] for word in a)
    listed = run.last.arrays["words"]
    assert np.asarray(run.last.arrays["word_counts"]).tolist() == [[c[word] for word in listed] for c in (a, b)]
    assert run.last.values["spectrum"] == Spectrum(s.k)([s.one], [s.other])[0, 0]


def test_the_last_frame_is_the_kernel(run):
    graphs = []
    for drawn in (run.state.left, run.state.right):
        made = nx.Graph(drawn["arcs"])
        made.add_nodes_from(drawn["nodes"])
        graphs.append(made)
    assert run.last.values["kernel"] == WeisfeilerLehman(run.state.rounds)(graphs[:1], graphs[1:])[0, 0]


def test_short_words_are_refused():
    assert refusal_of("graph-kernel", one="ab", k=3)[1] == "one"
