"""The network: every answer against the joint table added up by hand, and the notes' numbers of the fuel gauge."""

from itertools import product

import numpy as np
import pytest
from lab.runs import refusal_of, run_of

from novum.datasets import load_gene_network, load_network

EDITED = {"battery": 0.3, "fuel": 0.05, "gauge": [[0.99, 0.5], [0.7, 0.1]]}
STATES = [{}, {"doubt": 0.25}, {**EDITED, "target": "battery=flat", "observed": "gauge=empty, fuel=full"}]
STATES += [{"example": "gene", "observed": "C=active B=active", "target": "A=inactive"}]
STATES += [{"example": "polytree", "observed": "B=1 D=0", "target": "A=1", "doubt": 0.1}]


def tables_of(s):
    if s.example == "gene":
        return load_gene_network().parents, load_gene_network().states, load_gene_network().tables
    if s.example == "polytree":
        network = load_network("polytree")
        return network.parents, network.states, network.tables
    empty = np.array(s.gauge)
    states = {"battery": ("flat", "charged"), "fuel": ("empty", "full"), "gauge": ("empty", "full")}
    tables = {"battery": [s.battery, 1 - s.battery], "fuel": [s.fuel, 1 - s.fuel]}
    parents = {"battery": (), "fuel": (), "gauge": ("battery", "fuel")}
    return parents, states, {**tables, "gauge": np.stack([empty, 1 - empty], axis=-1)}


def sums(s, told, asked):
    """Return p(asked, e) and p(e) by adding up every cell of the joint table, weighed by how well it fits the evidence."""
    parents, states, tables = tables_of(s)
    both = total = 0.0
    for cell in product(*states.values()):
        value = dict(zip(states, cell))
        weight = np.prod([1.0 if value[name] == state else s.doubt for name, state in told])
        for name in states:
            at = tuple(states[p].index(value[p]) for p in parents[name]) + (states[name].index(value[name]),)
            weight = weight * np.asarray(tables[name])[at]
        total += weight
        both += weight * (value[asked[0]] == asked[1])
    return both, total


@pytest.mark.parametrize("state", STATES)
def test_every_answer_is_the_joint_table_added_up(state):
    run = run_of("network", **state)
    told = [tuple(word.split("=")) for word in run.state.observed.replace(",", " ").split()]
    asked = tuple(run.state.target.split("="))
    assert len(run.frames) == len(told) + 1
    for frame in run.frames:
        both, total = sums(run.state, told[: frame.n], asked)
        assert frame.values["p"] == pytest.approx(both / total, rel=1e-12)
        assert frame.values["log_evidence"] == pytest.approx(np.log(total), rel=1e-12, abs=1e-14)
        for node in frame.arrays["nodes"]:
            for one, value in node["bars"]:
                both, total = sums(run.state, told[: frame.n], (node["id"], one))
                assert value == pytest.approx(both / total, rel=1e-12, abs=1e-14)


def test_the_default_is_the_example_of_the_notes():
    run = run_of("network")
    assert run.shown() == pytest.approx([0.1, 0.257, 0.111], abs=5e-4)
    assert [frame.say[0] for frame in run.frames] == ["prior", "moved", "back"]


def test_a_question_about_what_is_observed_is_refused_unless_it_is_doubted():
    assert refusal_of("network", target="gauge=full")[1] == "target"
    assert run_of("network", target="gauge=full", doubt=0.5).last.values["p"] > 0


def test_evidence_that_cannot_be_is_refused():
    sentence, _ = refusal_of("network", battery=0.0, observed="battery=flat")
    assert "probability zero" in sentence
