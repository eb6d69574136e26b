"""Learning a network: every pass against EM written out over all completions, every gain against the score written out."""

from itertools import pairwise, permutations, product
from math import lgamma, log

import numpy as np
import pytest
from lab.runs import refusal_of, run_of

from novum.graphical import BayesianNetwork, HillClimb

FULL = [
    ["T", "R", "F"],
    ["F", "R", "F"],
    ["T", "G", "T"],
    ["F", "G", "F"],
    ["T", "B", "T"],
    ["T", "B", "T"],
    ["F", "R", "T"],
]
HOLES = [
    ["?", "R", "F"],
    ["F", "?", "F"],
    ["T", "G", "?"],
    ["F", "G", "F"],
    ["T", "B", "T"],
    ["?", "B", "?"],
    ["F", "R", "T"],
]
EM = [{}, {"prior": 0.5}, {"data": HOLES, "prior": 2.0}, {"data": HOLES}]
CLIMB = [
    {"data": FULL, "scoring": scoring, "copies": copies} for scoring, copies in [("bic", 8), ("aic", 3), ("k2", 10)]
]
PARENTS = {0: (), 1: (0,), 2: (0,)}


def states_of(rows):
    return [sorted({row[j] for row in rows} - {"?"}) for j in range(3)]


@pytest.mark.parametrize("state", EM)
def test_a_pass_is_em_over_all_completions(state):
    run = run_of("learn-network", **state)
    rows, states, prior = run.state.data, states_of(run.state.data), run.state.prior
    tables = [np.full([len(states[p]) for p in (*PARENTS[j], j)], 1 / len(states[j])) for j in range(3)]

    def joint(row):
        return np.prod([tables[j][tuple(states[p].index(row[p]) for p in (*PARENTS[j], j))] for j in range(3)])

    def completions(row):
        return product(*(states[j] if cell == "?" else [cell] for j, cell in enumerate(row)))

    def expected():
        counts = [np.zeros_like(table) for table in tables]
        for row in rows:
            whole = {done: joint(done) for done in completions(row)}
            for done, p in whole.items():
                for j in range(3):
                    counts[j][tuple(states[q].index(done[q]) for q in (*PARENTS[j], j))] += p / sum(whole.values())
        return counts

    for frame in run.frames:
        counts = expected()
        tables = [(c + prior) / (c + prior).sum(axis=-1, keepdims=True) for c in counts]
        L = sum(log(sum(map(joint, completions(row)))) for row in rows)
        logs = sum(prior * np.log(table).sum() for table in tables) if prior else 0.0
        assert frame.values["objective"] == pytest.approx(L + logs, rel=1e-9)
        _, counted, learned = zip(*frame.arrays["counts"])
        assert learned == pytest.approx(np.concatenate([table.ravel() for table in tables]), rel=1e-8, abs=1e-12)
        assert counted == pytest.approx(np.concatenate([count.ravel() for count in expected()]), rel=1e-8, abs=1e-12)


def test_the_last_pass_is_the_fit():
    run = run_of("learn-network")
    columns = {f"X{j + 1}": [None if row[j] == "?" else row[j] for row in run.state.data] for j in range(3)}
    network = BayesianNetwork([("X1", "X2"), ("X1", "X3")]).fit(columns, init="uniform", tol=1e-6)
    assert run.last.values["objective"] == network.report_.history[-1] and network.report_.converged


def test_complete_rows_are_counted_once():
    run = run_of("learn-network", data=FULL)
    assert len(run.frames) == 1 and run.last.say[0] == "counted"


def score(rows, arcs, scoring):
    """Return the score of a graph written out."""
    states, n, total = states_of(rows), len(rows), 0.0
    for j in range(3):
        parents = [a for a, b in arcs if b == j]
        groups = {}
        for row in rows:
            groups.setdefault(tuple(row[p] for p in parents), []).append(row[j])
        k, configurations = len(states[j]), int(np.prod([len(states[p]) for p in parents]))
        for cells in groups.values():
            counts = [cells.count(state) for state in states[j]]
            if scoring == "k2":
                total += lgamma(k) - lgamma(k + len(cells)) + sum(lgamma(c + 1) for c in counts)
            else:
                total += sum(c * log(c / len(cells)) for c in counts if c)
        price = {"bic": log(n) / 2, "aic": 1.0, "k2": 0.0}[scoring]
        total -= price * (k - 1) * configurations
    return total


def acyclic(arcs):
    return any(all(order.index(a) < order.index(b) for a, b in arcs) for order in permutations(range(3)))


@pytest.mark.parametrize("state", CLIMB)
def test_every_move_is_the_best_and_gains_what_it_says(state):
    run = run_of("learn-network", do="climb", **state)
    rows = [row for row in run.state.data if "?" not in row] * run.state.copies
    number = {f"X{j + 1}": j for j in range(3)}
    for frame in run.frames:
        arcs = {(number[e["from"]], number[e["to"]]) for e in frame.arrays["edges"]}
        now = score(rows, arcs, run.state.scoring)
        assert frame.values["objective"] == pytest.approx(now, rel=1e-9)
        legal = {}
        for a, b in permutations(range(3), 2):
            moves = [("remove", arcs - {(a, b)}), ("turn", arcs - {(a, b)} | {(b, a)})] if (a, b) in arcs else []
            moves += [("add", arcs | {(a, b)})] if not {(a, b), (b, a)} & arcs else []
            legal |= {
                (move, a, b): score(rows, after, run.state.scoring) - now for move, after in moves if acyclic(after)
            }
        shown = {
            (m.removeprefix("label."), number[a[:2]], number[a[-2:]]): gain for m, a, gain in frame.arrays["counts"]
        }
        assert shown == pytest.approx(legal, rel=1e-8, abs=1e-8)
    assert max(legal.values()) < 1e-8 and len(run.frames) > 1
    gains = [after - before for before, after in pairwise(run.shown())]
    assert gains == pytest.approx([frame.arrays["counts"][0][2] for frame in run.frames[:-1]], rel=1e-8)
    columns = {name: [row[j] for row in rows] for name, j in number.items()}
    assert run.last.values["objective"] == HillClimb(run.state.scoring, tabu=0, n_init=1).fit(columns).score_


def test_a_column_that_nothing_is_known_of_is_refused():
    assert refusal_of("learn-network", data=[["?", *row[1:]] for row in FULL])[1] == "data"
    assert (
        refusal_of("learn-network", do="climb", data=[["T", "R", "?"], ["F", "?", "T"], ["?", "G", "F"]])[1] == "data"
    )
