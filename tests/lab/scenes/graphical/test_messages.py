"""Messages: every one against the sum over the part of the tree behind it, beliefs and normalizer against the joint table."""

from itertools import product

import numpy as np
import pytest
from lab.runs import run_of

from novum.datasets import load_network

STAR = {"fa": ("x1", "x2"), "fb": ("x2", "x3"), "fc": ("x4", "x2")}
TABLES = {"fa": [[1, 2], [3, 4]], "fb": [[2, 1], [1, 3]], "fc": [[1, 1], [2, 5]]}
STATES = [{}, {"algorithm": "max"}, {"root": "x1"}, {"example": "chain", "pull": 0.4, "bias": 0.3}]
STATES += [{"example": "polytree"}, {"example": "polytree", "root": "D", "algorithm": "max"}]


def factors_of(s):
    if s.example == "star":
        return {name: (scope, np.array(TABLES[name], float)) for name, scope in STAR.items()}
    if s.example == "polytree":
        network = load_network("polytree")
        return {f"f_{v}": ((*network.parents[v], v), network.tables[v]) for v in network.nodes}
    table = np.array([[s.pull, 1], [1, s.pull]])
    pairs = {"f12": ("x1", "x2"), "f23": ("x2", "x3"), "f34": ("x3", "x4")}
    pairs |= {"f41": ("x4", "x1")} if s.example == "loop" else {}
    return {"f1": (("x1",), np.array([s.bias, 1 - s.bias])), **{f: (scope, table) for f, scope in pairs.items()}}


def behind(factors, sender, receiver):
    """Return the factors of the tree on the sender's side of the edge."""
    near = {name: list(scope) for name, (scope, _) in factors.items()}
    for name, (scope, _) in factors.items():
        for v in scope:
            near.setdefault(v, []).append(name)
    seen, waiting = {sender, receiver}, [sender]
    while waiting:
        for other in near[waiting.pop()]:
            if other not in seen:
                seen.add(other)
                waiting.append(other)
    return [name for name in factors if name in seen - {receiver}]


def combined(factors, names, kept, combine):
    """Return the product of factors with all variables but `kept` added up, or the best of them taken."""
    variables = sorted({v for name in names for v in factors[name][0]} | {kept})
    cells = {0: [], 1: []}
    for cell in product((0, 1), repeat=len(variables)):
        at = dict(zip(variables, cell))
        cells[at[kept]].append(np.prod([factors[n][1][tuple(at[v] for v in factors[n][0])] for n in names]))
    return np.array([combine(cells[0]), combine(cells[1])])


@pytest.mark.parametrize("state", STATES)
def test_every_message_is_the_sum_of_what_lies_behind_it(state):
    run = run_of("messages", **state)
    factors, combine = factors_of(run.state), max if run.state.algorithm == "max" else sum
    steps = [frame for frame in run.frames if frame.say[0] in ("inward", "reached", "outward")]
    assert len(steps) == 2 * sum(len(scope) for scope, _ in factors.values())
    for frame in steps:
        sender, receiver, text = frame.arrays["sent"][-1]
        variable = receiver if receiver not in factors else sender
        expected = combined(factors, behind(factors, sender, receiver), variable, combine)
        assert frame.values["newest"] == pytest.approx(expected[0], rel=1e-12)
        assert [float(value) for value in text.split(",")] == pytest.approx(expected, rel=1e-5)
    everything = combined(factors, list(factors), run.last.say[1]["root"], combine)
    assert run.last.values["log_Z"] == pytest.approx(np.log(combine(everything)), rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("state", [{}, {"example": "polytree"}, {"example": "chain"}])
def test_beliefs_appear_when_all_messages_are_in(state):
    run = run_of("messages", **state)
    factors = factors_of(run.state)
    nodes = [node for node in run.last.arrays["nodes"] if not node["square"]]
    for node in nodes:
        expected = combined(factors, list(factors), node["id"], sum)
        assert [p for _, p in node["bars"]] == pytest.approx(expected / expected.sum(), rel=1e-12)
    assert not any("bars" in node for node in run.frames[1].arrays["nodes"])


@pytest.mark.parametrize("state", [{}, {"pull": 5.0, "bias": 0.6, "root": "x2"}])
def test_a_loop_is_swept_until_messages_rest_beside_the_exact_answer(state):
    run = run_of("messages", example="loop", **state)
    factors = factors_of(run.state)
    messages = {(f, v): np.full(2, 0.5) for f, (scope, _) in factors.items() for v in scope}

    def into(v, leave=None):
        return np.prod([m for (f, w), m in messages.items() if w == v and f != leave], axis=0)

    for frame in run.frames:
        for f, v in list(messages)[:: 1 if frame.n % 2 else -1]:
            scope, table = factors[f]
            other = next((w for w in scope if w != v), None)
            new = table if other is None else (table if scope[0] == v else table.T) @ into(other, f)
            messages[f, v] = new / new.sum()
        beliefs = [into(v)[0] / into(v).sum() for v in ("x1", "x2", "x3", "x4")]
        assert [row[1] for row in frame.arrays["sent"]] == pytest.approx(beliefs, rel=1e-9)
    exact = [combined(factors, list(factors), v, sum) for v in ("x1", "x2", "x3", "x4")]
    assert [row[2] for row in run.last.arrays["sent"]] == pytest.approx([e[0] / e.sum() for e in exact], rel=1e-12)
    assert run.last.say[0] == "settled"


def test_the_root_changes_the_order_and_no_message():
    sent = [{tuple(row[:2]): row[2] for row in run_of("messages", root=r).last.arrays["sent"]} for r in ("x1", "x4")]
    assert sent[0] == sent[1] and list(sent[0]) != list(sent[1])
