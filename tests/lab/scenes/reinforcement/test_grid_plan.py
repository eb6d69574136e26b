"""Planning in a grid: every sweep and every policy against Bellman's equations written out on the cells."""

import numpy as np
import pytest
from lab.runs import refusal_of, run_of

from novum.lab.worlds import MAPS
from novum.reinforcement import grid_world, policy_iteration, value_iteration

MOVES = ((-1, 0), (0, 1), (1, 0), (0, -1))
PAINTED = [[0, 0, 2], [0, 1, 3], [4, 0, 0]]
STATES = [
    {},
    {"world": "rooms", "slip": 0.4, "discount": 0.7, "step_reward": -0.5},
    {"painted": PAINTED, "discount": 1.0, "prize": 3.0, "penalty": -2.0},
    {"world": "corridor", "method": "policy", "slip": 0.0},
    {"world": "room", "method": "policy", "discount": 0.95},
]


@pytest.fixture(scope="module", params=STATES)
def run(request):
    return run_of("grid-plan", **request.param)


def lines_of(run):
    s = run.state
    return ["".join(".#+-SC"[int(c)] for c in row) for row in s.painted] if s.painted else MAPS[s.world].split("\n")


def backup(run, V):
    """Return Q of every free cell, (rows, columns, 4), from values on the cells."""
    s, lines = run.state, lines_of(run)
    h, w = len(lines), len(lines[0])
    Q = np.full((h, w, 4), np.nan)

    def after(r, c, move):
        to = (r + MOVES[move][0], c + MOVES[move][1])
        inside = 0 <= to[0] < h and 0 <= to[1] < w and lines[to[0]][to[1]] != "#"
        return V[to] if inside else V[r, c]

    for r, c in np.ndindex(h, w):
        if lines[r][c] in ".S":
            for a in range(4):
                sides = after(r, c, (a + 1) % 4) + after(r, c, (a - 1) % 4)
                Q[r, c, a] = s.step_reward + s.discount * ((1 - s.slip) * after(r, c, a) + s.slip / 2 * sides)
    return Q


def exits_of(run):
    pays = {"+": run.state.prize, "-": run.state.penalty}
    return {(r, c): pays[x] for r, line in enumerate(lines_of(run)) for c, x in enumerate(line) if x in pays}


def test_a_sweep_is_one_step_ahead_of_the_last(run):
    if run.state.method == "policy":
        return
    before = run.frames[0].arrays["values"].copy()
    for frame in run.frames[1:100]:  # later ones are thinned
        Q = backup(run, before)
        values = np.where(np.isnan(Q[:, :, 0]), np.nan, np.where(np.isnan(Q), -np.inf, Q).max(axis=2))
        for place, pays in exits_of(run).items():
            values[place] = pays
        inner = np.isfinite(frame.arrays["values"])
        assert frame.arrays["values"][inner] == pytest.approx(values[inner], rel=1e-12, abs=1e-12)
        assert frame.values["change"] == pytest.approx(np.nanmax(np.abs(values - before)), rel=1e-9, abs=1e-15)
        before = frame.arrays["values"].copy()


def test_a_round_evaluates_its_policy_exactly(run):
    if run.state.method == "value":
        return
    for frame in run.frames:
        V, arrows = frame.arrays["values"], frame.arrays["arrows"]
        Q = backup(run, V)
        for r, c in np.argwhere(np.isfinite(Q[:, :, 0])):
            assert V[r, c] == pytest.approx(Q[r, c, arrows[r, c]], rel=1e-9, abs=1e-12)
    assert run.last.values["loss"] == pytest.approx(0, abs=1e-12)


def test_distances_shrink_by_the_discount_at_least(run):
    errors = [frame.values["error"] for frame in run.frames]
    for frame, before in zip(run.frames[1:100], errors):
        assert frame.values["error"] <= run.state.discount * before * (1 + 1e-12) + 1e-12
        assert frame.values["error"] <= frame.values["bound"] * (1 + 1e-12) + 1e-12


def test_the_last_frame_is_the_plan(run):
    s, text = run.state, "\n".join(lines_of(run))
    exits = {"+": s.prize, "-": s.penalty}
    mdp = grid_world(text, exits=exits, step_reward=s.step_reward, slip=s.slip, discount=s.discount)
    best = (policy_iteration if s.method == "policy" else value_iteration)(mdp).values
    cells = mdp.layout.cells
    assert run.last.arrays["values"][cells >= 0] == pytest.approx(best[cells[cells >= 0]], abs=2e-5)
    Q = backup(run, run.last.arrays["values"])
    free = np.isfinite(Q)
    assert run.last.arrays["q"].reshape(Q.shape)[free] == pytest.approx(Q[free], rel=1e-12, abs=1e-12)


def test_edges_are_the_slips_of_the_policy():
    frame = run_of("grid-plan", slip=0.2).last
    weights = {}
    for edge in frame.arrays["edges"]:
        weights[edge["from"]] = weights.get(edge["from"], 0) + float(edge["label"])
    assert set(weights) == {node["id"] for node in frame.arrays["nodes"] if node["role"] == "plain"}
    assert list(weights.values()) == pytest.approx([1.0] * len(weights))


def test_the_regimes_of_the_step_reward():
    """The notes' four policies of the room: from the cell left of the bad exit."""
    seen = {}
    for reward in (-2.0, -0.04, -0.01):
        arrows = run_of("grid-plan", step_reward=reward, discount=1.0).last.arrays["arrows"]
        seen[reward] = (arrows[1, 2], arrows[2, 3])
    assert seen[-2.0] == (1, 0)  # into the bad exit, rather than on
    assert seen[-0.04] == (0, 3)  # past it
    assert seen[-0.01] == (3, 2)  # away from it, against the wall


@pytest.mark.parametrize(
    ("state", "control"),
    [
        ({"painted": [[1, 1], [2, 3]]}, "painted"),
        ({"painted": [[0.5, 1]]}, "painted"),
        ({"painted": [[0] * 13]}, "painted"),
        ({"painted": [[5, 0], [0, 0]]}, "painted"),
        ({"discount": 1.0, "step_reward": 0.1}, "step_reward"),
    ],
)
def test_what_cannot_be_planned_is_refused(state, control):
    assert refusal_of("grid-plan", **state)[1] == control
