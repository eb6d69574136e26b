"""What DQN learns from and towards: drawn transitions, targets of the older network, and the slope of every gradient step."""

import gymnasium
import numpy as np
import pytest

from novum.reinforcement import DQN

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.deep


class Walk(gymnasium.Env):
    """A point in the plane that three actions move; noise pays, and every fifth step may be the last."""

    observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (2,), np.float32)
    action_space = gymnasium.spaces.Discrete(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = self.np_random.normal(size=2).astype(np.float32)
        return self.place, {}

    def step(self, action):
        self.place = (0.7 * self.place + self.np_random.normal(size=2) * (action + 1)).astype(np.float32)
        return self.place, float(self.place.sum()), bool(self.np_random.random() < 0.2), False, {}


def values(flat, lengths, shapes, x):
    """Return Q(x, .) of a network of rectified units whose weights lie one after the other in a vector."""
    parts = [part.reshape(shape)[0] for part, shape in zip(np.split(flat, np.cumsum(lengths)[:-1]), shapes)]
    h = x
    for k in range(0, len(parts), 2):
        h = h @ parts[k] + parts[k + 1]
        h = np.maximum(h, 0) if k + 2 < len(parts) else h
    return h


@pytest.mark.notes("000-c", "deep-q")
@pytest.mark.notes("000-c", "experience-sampling")
@pytest.mark.notes("003", "rl-named")
@pytest.mark.parametrize(("double", "n_steps"), [(False, 1), (True, 3)])
def test_every_step_goes_towards_the_target_of_the_older_network(double, n_steps, monkeypatch):
    """y = R + gamma^n max_a Q_old(s', a), R alone at the end; the slope in Q(s, a) is Q(s, a) - y, cut at one, over the rows.

    With double estimates the newer network says which action is the best of them.
    """
    turns, plain = [], DQN._learn

    def watched(self, training):
        turn = {"target": training.target.flat.numpy().astype(float), "flats": [], "slopes": []}
        turn["network"] = training.networks.flat.numpy().astype(float)
        turn["shape"] = training.networks.lengths, training.networks.shapes
        held = training.replay
        turn["stored"] = {tuple(row) for row in np.column_stack([part[: len(held)] for part in held.data]).tolist()}
        drawn, backward = held.sample, training.networks.backward

        def sample(*arguments):
            turn["batches"] = drawn(*arguments)
            return turn["batches"]

        def recorded(kept, slope):
            turn["flats"].append(training.networks.flat.numpy().astype(float))
            turn["slopes"].append(slope.numpy()[0].copy())
            backward(kept, slope)

        with monkeypatch.context() as patch:
            patch.setattr(held, "sample", sample)
            patch.setattr(training.networks, "backward", recorded)
            before = training.average.flat.numpy().astype(float)
            plain(self, training)
            turn["average"] = before, training.average.flat.numpy().astype(float)
            turn["after"] = training.networks.flat.numpy().astype(float)
        turns.append(turn)

    monkeypatch.setattr(DQN, "_learn", watched)
    DQN(
        total_steps=400,
        hidden=8,
        discount=0.8,
        learning_starts=100,
        train_every=20,
        gradient_steps=4,
        batch_size=16,
        target_every=3,
        learning_rate=0.02,
        double=double,
        n_steps=n_steps,
        averaging=0.7,
        device="cpu",
        random_state=0,
    ).fit(Walk())
    assert len(turns) > 9
    for t, turn in enumerate(turns, start=1):  # what acts in the end: a mean of the networks, an even one at first
        before, after = turn["average"]
        share = max(0.3, 1 / t)
        np.testing.assert_allclose(after, before + share * (turn["after"] - before), atol=1e-6)
    cut, differs = 0, 0
    for number, turn in enumerate(turns):
        # the older network is the one that every third turn leaves
        np.testing.assert_array_equal(turn["target"], turns[number - number % 3]["network"])
        for k, (flat, slope) in enumerate(zip(turn["flats"], turn["slopes"], strict=True)):
            seen, action, reward, after, counts = (np.asarray(part[k], float) for part in turn["batches"])
            action = action.astype(int)
            rows = np.column_stack([seen, action, reward, after, counts]).astype(np.float32)
            assert {tuple(row) for row in rows.tolist()} <= turn["stored"]
            assert set(np.round(counts, 6)) == {0.0, round(0.8**n_steps, 6)}
            later, rows = values(turn["target"], *turn["shape"], after), np.arange(16)
            now = values(flat, *turn["shape"], after)
            best = now.argmax(axis=1) if double else later.argmax(axis=1)
            error = values(flat, *turn["shape"], seen)[rows, action] - (reward + counts * later[rows, best])
            expected = np.zeros((16, 3))
            expected[rows, action] = np.clip(error, -1, 1) / 16
            np.testing.assert_allclose(slope, expected, atol=2e-5)
            cut += (np.abs(error) > 1).sum()
            differs += (now.argmax(axis=1) != later.argmax(axis=1)).sum()
    assert cut > 50 and differs > 20
