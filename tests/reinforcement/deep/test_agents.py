"""Agents with networks: gradients against PyTorch's own, targets by hand, small problems solved, curves that resume."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from novum.exceptions import FileFormatError, ParameterError
from novum.optimize import Schedule
from novum.reinforcement import DQN, REINFORCE, ActorCritic, compare_agents, room_4x3
from novum.reinforcement.deep.actor_critic import advantages
from novum.reinforcement.deep.environments import Environments
from novum.reinforcement.deep.networks import Networks
from novum.reinforcement.deep.policy_gradient import loss_slope
from novum.reinforcement.deep.reinforce import discounted_returns

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.deep
CPU = torch.device("cpu")
QUICK = {
    "dqn": lambda **options: DQN(
        hidden=32, learning_starts=100, train_every=64, gradient_steps=8, device="cpu", **options
    ),
    "double, three steps": lambda **options: DQN(
        hidden=32,
        learning_starts=100,
        train_every=64,
        gradient_steps=8,
        double=True,
        n_steps=3,
        n_envs=2,
        device="cpu",
        **options,
    ),
    "ppo": lambda **options: ActorCritic(hidden=16, n_envs=4, batch_size=48, n_epochs=3, device="cpu", **options),
    "a2c": lambda **options: ActorCritic(
        "a2c", hidden=16, rollout_steps=8, device="cpu", entropy_weight=0.01, **options
    ),
    "reinforce": lambda **options: REINFORCE(hidden=16, n_envs=4, device="cpu", **options),
}


@pytest.mark.notes("000-c", "deep-q")
@pytest.mark.notes("000-c", "policy-gradient")
@pytest.mark.parametrize(("activation", "count"), [("relu", 1), ("tanh", 2)])
def test_gradients_are_those_of_autograd(activation, count):
    rng = np.random.default_rng(0)
    net = Networks((4, 16, 8, 3), count, activation, CPU, rng, None if count == 1 else (1.0, 1.0))
    x, c = torch.randn(7, 4), torch.randn(count, 7, 3)
    flat = net.flat.clone().requires_grad_()
    parts, h = net.views(flat), x.expand(count, 7, 4)
    for k in range(0, 6, 2):
        h = h @ parts[k] + parts[k + 1]
        h = getattr(torch, activation)(h) if k < 4 else h
    (h * c).sum().backward()
    kept = net.layers(x)
    net.backward(kept, c.clone())
    torch.testing.assert_close(net.slope, flat.grad)
    np.testing.assert_allclose(net.outputs(x.numpy()), h.detach().numpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.notes("000-c", "policy-gradient")
@pytest.mark.notes("003", "rl-named")
@pytest.mark.parametrize("old", [False, True])
def test_slopes_of_the_losses_are_those_of_autograd(old):
    torch.manual_seed(0)
    out = torch.randn(2, 9, 3, dtype=torch.float64, requires_grad=True)
    actions, gains, returns = torch.randint(0, 3, (9,)), torch.randn(9).double(), torch.randn(9).double()
    log_all = torch.log_softmax(out[0], dim=1)
    log_pi = log_all.gather(1, actions[:, None])[:, 0]
    before = (log_pi + 0.4 * torch.randn(9)).detach()
    if old:
        ratio = torch.exp(log_pi - before)
        loss = -torch.minimum(ratio * gains, ratio.clamp(0.8, 1.2) * gains).mean()
    else:
        loss = -(log_pi * gains).mean()
    loss = loss + 0.5 * (out[1, :, 0] - returns).square().mean() + 0.03 * (log_all.exp() * log_all).sum(dim=1).mean()
    loss.backward()
    found = loss_slope(
        out.detach(),
        actions,
        gains,
        returns,
        value_weight=0.5,
        entropy_weight=0.03,
        old=before if old else None,
        clip=0.2,
    )
    torch.testing.assert_close(found, out.grad)


@pytest.mark.notes("000-c", "policy-gradient")
@pytest.mark.notes("003", "rl-named")
def test_advantages_by_definition():
    rng = np.random.default_rng(0)
    rewards, values, last = rng.normal(size=(6, 2)), rng.normal(size=(6, 2)), rng.normal(size=2)
    ended = np.zeros((6, 2))
    ended[2, 0] = ended[4, 1] = 1
    found = advantages(rewards, values, last, ended, 0.9, 0.7)
    following = np.vstack([values[1:], last])
    delta = rewards + 0.9 * (1 - ended) * following - values
    for k in range(2):
        for t in range(6):
            total, weight = 0.0, 1.0
            for s in range(t, 6):
                total += weight * delta[s, k]
                weight *= 0.9 * 0.7 * (1 - ended[s, k])
            assert found[t, k] == pytest.approx(total, rel=1e-5)
    np.testing.assert_allclose(discounted_returns([1, 2, 3], 0.5), [1 + 1 + 0.75, 3.5, 3])


@pytest.mark.notes("000-c", "experience-sampling")
def test_replay_holds_transitions_and_their_returns():
    from novum.reinforcement.deep.environments import Step
    from novum.reinforcement.deep.replay import ReplayBuffer

    replay = ReplayBuffer(4, 1, 1, 2, 0.5)
    seen = [np.array([[float(t)]], np.float32) for t in range(6)]

    def step(t, reward, ended=False, cut=False):
        final = np.array([[t + 1.0]], np.float32)
        return Step(final, np.array([reward]), np.array([ended]), np.array([cut]), final)

    replay.add(seen[0], np.array([1]), step(0, 1.0))
    assert len(replay) == 0  # a return of two steps is not known yet
    replay.add(seen[1], np.array([0]), step(1, 2.0))
    replay.add(seen[2], np.array([1]), step(2, 4.0, ended=True))
    data = replay.data
    assert data.seen[:3, 0].tolist() == [0, 1, 2] and data.actions[:3].tolist() == [1, 0, 1]
    assert data.returns[:3].tolist() == [2.0, 4.0, 4.0]
    assert data.after[:3, 0].tolist() == [2, 3, 3] and data.bootstrap[:3].tolist() == [0.25, 0.0, 0.0]
    replay.add(seen[3], np.array([0]), step(3, 1.0))
    replay.add(seen[4], np.array([0]), step(4, 1.0, cut=True))  # a time limit ends nothing: its value counts
    assert data.bootstrap.tolist() == [0.5, 0.0, 0.0, 0.25] and len(replay) == 4
    rows = replay.sample(5000, np.random.default_rng(0))
    assert np.bincount(rows.seen[:, 0].astype(int), minlength=5)[1:].min() > 1100


@pytest.mark.notes("000-c", "deep-q")
def test_q_learning_reaches_the_values_of_the_optimum():
    """One-hot inputs and plenty of steps: the network must come to the values that planning gives."""
    import gymnasium

    class Corridor(gymnasium.Env):
        """Four places; right costs nothing and pays one at the end, left pays 0.1 and ends."""

        observation_space, action_space = gymnasium.spaces.Discrete(4), gymnasium.spaces.Discrete(2)

        def reset(self, *, seed=None, options=None):
            super().reset(seed=seed)
            self.place = int(self.np_random.integers(4))
            return self.place, {}

        def step(self, action):
            if action == 0:
                return self.place, 0.1, True, False, {}
            self.place += 1
            return min(self.place, 3), float(self.place == 4), self.place == 4, False, {}

    for double, n_steps in ((False, 1), (True, 2)):
        agent = DQN(
            total_steps=1600,
            hidden=32,
            learning_rate=Schedule("linear", 5e-3, 0.0),
            discount=0.8,
            learning_starts=100,
            train_every=16,
            gradient_steps=16,
            exploration=1.0,
            double=double,
            n_steps=n_steps,
            device="cpu",
            random_state=0,
        ).fit(Corridor())
        found = agent._scores(np.eye(4, dtype=np.float32))
        np.testing.assert_allclose(found[:, 0], 0.1, atol=0.03)
        if n_steps == 1:  # over several steps a return holds the actions of the explorer
            np.testing.assert_allclose(found[:, 1], [0.8**3, 0.8**2, 0.8, 1.0], atol=0.04)
        assert [agent.predict(s) for s in range(4)] == [1, 1, 1, 1]
    falling = DQN(total_steps=100, exploration=Schedule("linear", 0.8, 0.2), exploration_share=0.5)
    falling.total_steps_ = 0
    np.testing.assert_allclose(falling._explorations(np.array([0, 25, 50, 90])), [0.8, 0.5, 0.2, 0.2])


@pytest.mark.notes("000-c", "policy-gradient")
@pytest.mark.parametrize("baseline", ["value", None])
def test_policy_gradients_learn_a_bandit(baseline):
    import gymnasium

    class Arms(gymnasium.Env):
        observation_space, action_space = gymnasium.spaces.Discrete(1), gymnasium.spaces.Discrete(3)

        def reset(self, *, seed=None, options=None):
            super().reset(seed=seed)
            return 0, {}

        def step(self, action):
            return 0, float(self.np_random.random() < (0.2, 0.8, 0.4)[action]), True, False, {}

    agent = REINFORCE(
        total_steps=32 * 150, hidden=8, n_envs=32, learning_rate=0.02, baseline=baseline, device="cpu", random_state=0
    ).fit(Arms())
    logits = agent._scores(np.ones((1, 1), np.float32))[0]
    probabilities = np.exp(logits - logits.max())
    assert (probabilities / probabilities.sum())[1] > 0.9


@pytest.mark.notes("003", "rl-named")
@pytest.mark.parametrize("make", [QUICK["ppo"], QUICK["a2c"]], ids=["ppo", "a2c"])
def test_actor_critic_finds_its_way_through_the_room(make):
    agent = make(total_steps=12_000, random_state=0, discount=0.99, learning_rate=Schedule("linear", 5e-3, 0.0)).fit(
        room_4x3()
    )
    before, after = agent.history_.returns[:60].mean(), agent.history_.returns[-60:].mean()
    assert after > 0.45 > before


@pytest.mark.parametrize("name", QUICK)
def test_a_training_that_is_resumed_goes_on_as_if_it_had_not_stopped(name, tmp_path):
    make = QUICK[name]
    whole = make(total_steps=1200, random_state=3).fit("CartPole-v1")
    path = tmp_path / "run-{step}.npz"
    make(total_steps=1200, random_state=3).fit("CartPole-v1", checkpoint=path, checkpoint_every=300)
    first = min(tmp_path.glob("run-*.npz"), key=lambda file: int(file.stem.split("-")[1]))
    half = type(whole).from_checkpoint(first, "CartPole-v1")
    assert 0 < half.total_steps_ < 1200
    half.resume()
    np.testing.assert_array_equal(half.history_.returns, whole.history_.returns)
    np.testing.assert_array_equal(half.history_.steps, whole.history_.steps)
    for name, weights in whole.weights_.items():
        np.testing.assert_array_equal(half.weights_[name], weights)
    with np.load(first, allow_pickle=False) as file:
        assert "about" in file.files


def test_evaluation_is_of_whole_episodes_and_repeats():
    agent = QUICK["ppo"](total_steps=600, random_state=0).fit("CartPole-v1")
    one, two = agent.evaluate("CartPole-v1", 23), agent.evaluate("CartPole-v1", 23)
    np.testing.assert_array_equal(one.totals, two.totals)
    assert one.totals.shape == one.lengths.shape == (23,)
    copies = Environments("CartPole-v1", 1, 0, 10_000)
    seen, total = copies.observations[0], 0.0
    while not copies.episodes[0]:
        total += copies.step([agent.predict(seen)]).rewards[0]
        seen = copies.observations[0]
    assert total == one.totals[0] == one.lengths[0]
    found = compare_agents({"a": [agent] * 5, "b": [1.0, 2, 3, 4, 5]}, environment="CartPole-v1", n_episodes=5)
    assert found.verdicts[0].startswith("a is better than b")


def test_bad_use_is_named(tmp_path):
    with pytest.raises(ParameterError, match="learning_rate"):
        DQN(learning_rate=-1.0).fit("CartPole-v1")
    with pytest.raises(ParameterError, match="method"):
        ActorCritic("trpo").fit("CartPole-v1")
    with pytest.raises(ParameterError, match="Discrete space"):
        DQN().fit("Pendulum-v1")
    with pytest.raises(ParameterError, match="NoSuch-v0"):
        DQN().fit("NoSuch-v0")
    with pytest.raises(ParameterError, match="total_steps"):
        DQN(total_steps=0).fit("CartPole-v1")
    with pytest.raises(NotFittedError, match="fit"):
        DQN().predict([0, 0, 0, 0])
    with pytest.raises(FileNotFoundError):
        DQN.from_checkpoint(tmp_path / "nothing.npz", "CartPole-v1")
    (tmp_path / "bad.npz").write_bytes(b"no archive")
    with pytest.raises(FileFormatError, match="no checkpoint"):
        DQN.from_checkpoint(tmp_path / "bad.npz", "CartPole-v1")
    agent = QUICK["a2c"](total_steps=100, random_state=0).fit("CartPole-v1")
    path = agent.save_checkpoint(tmp_path / "agent.npz")
    with pytest.raises(FileFormatError, match="ActorCritic, not of DQN"):
        DQN.from_checkpoint(path, "CartPole-v1")
    with pytest.raises(ParameterError, match="shapes differ"):
        ActorCritic.from_checkpoint(path, "MountainCar-v0")
    with pytest.raises(ParameterError, match="features"):
        agent.evaluate("MountainCar-v0", 2)


def test_history_prints_and_draws():
    agent = QUICK["reinforce"](total_steps=500, random_state=0).fit("CartPole-v1")
    history = agent.history_
    assert history.lengths.sum() <= agent.total_steps_ and (history.returns == history.lengths).all()
    line = history.plot().get_lines()[1]
    expected = [history.returns[max(0, k - 19) : k + 1].mean() for k in range(len(history.returns))]
    np.testing.assert_allclose(line.get_ydata(), expected)
