"""Pictures: what is drawn is what was computed."""

import numpy as np
import pytest
from artists import arrows as arrow_ends
from artists import scatters
from matplotlib.figure import Figure

from novum.exceptions import ParameterError
from novum.reinforcement import QLearning, policy_iteration, room_4x3, value_iteration
from novum.teaching import garnet, policy_regimes, two_state

STEPS = {"^": (0, -0.3), ">": (0.3, 0), "v": (0, 0.3), "<": (-0.3, 0)}


def axes():
    return Figure().subplots()


@pytest.mark.notes("000-c", "plot-gridworld")
def test_utilities_and_arrows_of_the_room():
    room = room_4x3()
    plan = value_iteration(room)
    ax = room.plot(plan, axes())
    texts = {tuple(np.round(t.get_position(), 2)): t.get_text() for t in ax.texts if t.get_text()}
    for s, (column, row) in enumerate(room.states):
        x, y = column - 1, 3 - row
        worth = plan.values[s]
        expected = f"{worth:+g}" if room.model.terminal[s] else f"{worth:.4f}".replace("0.", ".", 1)
        assert texts[x, round(y + 0.32, 2)] == expected
    arrows = [t for t in ax.texts if not t.get_text()]
    assert len(arrows) == 9
    drawn = {tuple(np.round(a.xyann, 2)): tuple(np.round(np.subtract(a.xy, a.xyann), 2)) for a in arrows}
    for s, (column, row) in enumerate(room.states):
        if not room.model.terminal[s]:
            assert drawn[column - 1, 3 - row] == STEPS[plan.policy[column, row]]
    walls = [p for p in ax.patches if p.get_facecolor()[:3] == pytest.approx((0.3, 0.3, 0.3), abs=2e-3)]
    assert [p.get_xy() for p in walls] == [(0.5, 0.5)]
    starred = value_iteration(room_4x3(0.1, discount=0.99)).plot(axes())
    assert len(starred.get_lines()) == 6  # all actions tie in six states
    route = room.rollout(plan.policy, random_state=0)
    line = route.plot(axes()).get_lines()[0]
    assert [(int(x) + 1, 3 - int(y)) for x, y in zip(line.get_xdata(), line.get_ydata())] == route.states


def test_the_regimes():
    found = policy_regimes(room_4x3)
    ax = found.plot(axes())
    assert [t.get_text() for t in ax.get_yticklabels()] == ["(3, 2)", "(3, 1)", "(1, 1)", "(4, 1)", "(2, 1)"]
    lines = sorted(line.get_xdata()[0] for line in ax.get_lines())
    np.testing.assert_allclose(lines, [s[0] for s in found.switches], atol=5e-5)
    widths = [p.get_width() for p in ax.patches if round(p.get_y() + p.get_height() / 2) == 0]
    np.testing.assert_allclose(widths, [0.3503, 1.6223, 0.0274], atol=1e-4)


@pytest.mark.notes("003", "fig-policy-iteration")
def test_the_zig_zag_of_policy_iteration():
    toy = two_state()
    plan = policy_iteration(toy, initial=[0, 1])
    ax = plan.plot_improvement(axes(), state=0)
    zigzag, evaluated, improved, optimal = ax.get_lines()
    np.testing.assert_allclose(evaluated.get_ydata(), [0, 0, 16.341463], atol=1e-6)
    np.testing.assert_allclose(improved.get_ydata(), [toy.bellman([0, 0])[0], toy.bellman([0, 20])[0]])
    np.testing.assert_allclose(zigzag.get_ydata(), [0, 0, 0, toy.bellman([0, 20])[0], 16.341463], atol=1e-6)
    np.testing.assert_allclose(optimal.get_ydata(), 16.341463, atol=1e-6)
    with pytest.raises(ParameterError, match="kept no values of rounds"):
        value_iteration(toy).plot_improvement()


@pytest.mark.notes("003", "fig-mdp-graph")
def test_a_process_as_a_graph():
    toy = two_state()
    ax = toy.plot(value_iteration(toy), axes())
    labels = sorted(t.get_text() for t in ax.texts if ":" in t.get_text())
    assert labels == sorted(["0: 1, 0", "1: 0.2, -1", "1: 0.8, -1", "0: 1, 2", "1: 1, 0"])
    arrows = [t for t in ax.texts if not t.get_text()]
    assert sorted(a.arrow_patch.get_linewidth() for a in arrows) == [0.8, 0.8, 2.0, 2.0, 2.0]  # the plan's are thick
    nodes = scatters(ax)[0]
    np.testing.assert_allclose(nodes, [[1, 0], [-1, 0]], atol=1e-12)
    names = {t.get_text(): np.array(t.get_position()) for t in ax.texts if t.get_text() in map(str, toy.states)}
    for s, name in enumerate(toy.states):
        np.testing.assert_allclose(names[str(name)], nodes[s], atol=1e-12)
    moves = sorted((int(tail[0] < 0), int(head[0] < 0)) for tail, head in arrow_ends(ax))
    assert moves == [(0, 0), (0, 0), (0, 1), (1, 0), (1, 1)]
    with pytest.raises(ParameterError, match="cannot be read"):
        garnet(100).plot()


def test_an_episode_as_frames():
    room = room_4x3()
    route = room.rollout(value_iteration(room).policy, random_state=0)
    figure = route.plot_frames()
    shown = [ax for ax in figure.axes if ax.axison]
    assert len(shown) == len(route) + 1
    for ax, (column, row) in zip(shown, route.states):
        (dot,) = ax.get_lines()
        assert (dot.get_xdata()[0] + 1, 3 - dot.get_ydata()[0]) == (column, row)
    assert len(route.frames()) == len(route) + 1
    assert route.frames()[0].splitlines()[-1].startswith("[.]")


def test_learning_curves():
    agent = QLearning(200, n_runs=4, random_state=0).fit(room_4x3())
    ax = agent.plot(axes(), window=10)
    curve = ax.get_lines()[0]
    smooth = np.array([np.convolve(row, np.ones(10) / 10, "valid") for row in agent.returns_]).mean(axis=0)
    np.testing.assert_allclose(curve.get_ydata(), smooth, atol=1e-9)
    assert curve.get_xdata()[0] == 10


def test_convergence():
    plan = value_iteration(room_4x3())
    line = plan.plot_convergence(axes()).get_lines()[0]
    np.testing.assert_array_equal(line.get_ydata(), plan.history["change"])
    assert len(line.get_xdata()) == 30
    with pytest.raises(ParameterError, match="kept no changes"):
        policy_iteration(two_state()).plot_convergence()
