"""ID3: every split against the best column by counting, the tree against the rows, the last frame against a plain fit."""

from collections import Counter
from math import log2

import numpy as np
import pytest
from lab.runs import refusal_of, run_of

from novum.lab.tennis import ROWS, days_frame
from novum.tree import ID3

NOISY = [*map(list, ROWS), ["Sunny", "Hot", "Normal", "Strong", "No"]]
STATES = [
    {},
    {"days": NOISY, "prune": True, "seed": 1},
    {"criterion": "gini", "days": NOISY},
    {"criterion": "gain_ratio"},
]


@pytest.fixture(scope="module", params=STATES)
def run(request):
    return run_of("id3", **request.param)


def impurity(answers, criterion):
    shares = [k / len(answers) for k in Counter(answers).values()]
    return 1 - sum(p * p for p in shares) if criterion == "gini" else -sum(p * log2(p) for p in shares)


def gain(rows, j, criterion):
    parts = [[row[-1] for row in rows if row[j] == value] for value in {row[j] for row in rows}]
    fall = impurity([row[-1] for row in rows], criterion)
    fall -= sum(len(part) / len(rows) * impurity(part, criterion) for part in parts)
    if criterion != "gain_ratio":
        return fall
    split = impurity([row[j] for row in rows], "entropy")
    return fall / split if split > 0 else 0.0


def grown(run):
    return [frame for frame in run.frames if frame.part == "grown"]


def test_every_split_is_the_best_column(run):
    rows, criterion = run.state.days, run.state.criterion
    for frame in grown(run):
        here = [rows[i] for i in frame.arrays["inside"]]
        gains = [gain(here, j, criterion) for j in range(4)]
        assert frame.arrays["gains"] == pytest.approx(gains, abs=1e-12)
        assert frame.values["gain"] == pytest.approx(max(gains), abs=1e-12)


def answered(nodes, row, columns):
    """Return what the drawn tree says of a row, by the words in its nodes."""
    at = next(node for node in nodes if node["parent"] is None)
    while below := [node for node in nodes if node["parent"] == at["id"]]:
        value = row[columns.index(at["label"].split("\n")[-1])]
        at = next(node for node in below if node["label"].startswith(f"{value}:\n"))
    return at["label"].split("\n")[-1].split()[0]


def test_the_drawn_tree_answers_as_it_says(run):
    for frame in run.frames:
        nodes, columns = frame.arrays["nodes"], frame.arrays["columns"]
        right = sum(answered(nodes, row, columns) == row[-1] for row in run.state.days)
        assert frame.values["right"] == right
        assert frame.values["leaves"] == len(nodes) - len({node["parent"] for node in nodes} - {None})


def test_the_last_frame_is_the_fit(run):
    X, y = days_frame(run.state.days)
    model = ID3(criterion=run.state.criterion).fit(X, y)
    last = grown(run)[-1]
    assert last.values["leaves"] == model.get_n_leaves() == len(last.arrays["rules"])
    assert last.values["right"] == (model.predict(X) == np.array(y)).sum()
    assert last.arrays["made"] == list(range(len(last.arrays["rules"])))
    rules = [(rule[0], rule[1]) for rule in last.arrays["rules"]]
    if not run.state.given["prune"] and run.state.criterion == "entropy":
        assert ("if Outlook = Overcast then Yes", 4.0) in rules


def test_pruning_judges_by_rows_that_did_not_grow_the_tree():
    run = run_of("id3", **STATES[1])
    X, y = days_frame(run.state.days)
    model = ID3(pruning="reduced_error", validation_fraction=0.3, random_state=1).fit(X, y)
    assert run.last.part == "pruned" and run.last.values["leaves"] == model.get_n_leaves()
    said = run.last.say[1]
    assert said["from"] + said["others"] == 15 and said["cut"] == len(model.pruning_log_["node"])


def test_one_answer_is_refused():
    assert refusal_of("id3", days=[["a", "b", "c", "d", "Yes"], ["a", "b", "c", "e", "Yes"]])[1] == "days"
