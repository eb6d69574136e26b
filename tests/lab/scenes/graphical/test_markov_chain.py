"""The Markov chain: masses against powers of the table, the stationary distribution against its equations, classes and periods."""

import numpy as np
import pytest
from lab.runs import refusal_of, run_of

OWN = {
    "nodes": ["u", "v", "w"],
    "arcs": [["u", "v"], ["v", "u"], ["v", "w"], ["w", "u"]],
    "at": [[0, 0], [1, 0], [0, 1]],
}
ARROWS = {
    "mixing": ["ab", "bc", "ca", "cd", "da"],
    "ring": ["ab", "bc", "cd", "da"],
    "walk": ["ab", "ba", "bc", "cb", "cd", "dc", "de", "ed"],
    "classes": ["ab", "ba", "cd", "dc", "bc"],
    "traps": ["ba", "bc", "cb", "cd", "dc", "de"],
    "own": ["uv", "vu", "vw", "wu"],
}
STATES = [
    {},
    {"stay": 0.0, "start": "c"},
    {"example": "walk", "stay": 0.3},
    {"example": "own", "drawn": OWN, "start": "w"},
]
STATES += [{"example": "ring", "stay": 0.0}, {"example": "walk", "stay": 0.0, "steps": 7}, {"example": "classes"}]


def table(run):
    names = run.last.arrays["states"]
    T = np.zeros((len(names), len(names)))
    for a, b in ARROWS[run.state.example]:
        T[names.index(a), names.index(b)] = 1
    T *= (1 - run.state.stay) / T.sum(axis=1, keepdims=True)
    return names, T + run.state.stay * np.eye(len(T))


@pytest.mark.parametrize("state", STATES)
def test_masses_are_powers_of_the_table(state):
    run = run_of("markov-chain", **state)
    names, T = table(run)
    assert len(run.frames) == run.state.steps + 1
    stationary = np.linalg.lstsq(
        np.vstack([T.T - np.eye(len(T)), np.ones(len(T))]), np.eye(len(T) + 1)[-1], rcond=None
    )[0]
    for frame in run.frames:
        p = np.linalg.matrix_power(T, frame.n)[names.index(run.state.start if run.state.start in names else names[0])]
        assert [node["value"] for node in frame.arrays["nodes"]] == pytest.approx(p, rel=1e-12, abs=1e-15)
        assert frame.values["distance"] == pytest.approx(np.abs(p - stationary).sum(), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("state, period", [(STATES[4], 4), (STATES[5], 2), (STATES[0], 1)])
def test_a_chain_that_goes_round_says_its_period(state, period):
    run = run_of("markov-chain", **state)
    assert run.last.values["period"] == period and run.last.say[0] == ("period" if period > 1 else "step")
    assert (run.last.values["distance"] > 0.5) == (period > 1)


def test_two_traps_have_no_one_stationary_distribution():
    run = run_of("markov-chain", example="traps")
    assert run.last.values["closed"] == 2 and run.last.values["distance"] is None and run.last.say[0] == "classes"
    names, T = np.array(run.last.arrays["states"]), np.array(run.last.arrays["table"])
    assert (T[[0, 4], [0, 4]] == 1).all() and names.tolist() == list("abcde")


def test_an_arrow_from_a_state_to_itself_is_refused():
    assert refusal_of("markov-chain", example="own", drawn={**OWN, "arcs": [["u", "u"]]})[1] == "drawn"
