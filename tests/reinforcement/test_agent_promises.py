"""What agents promise: copies, classes, batches, advice that can be followed, words that one run cannot carry."""

import gymnasium
import numpy as np
import pytest
from sklearn.base import clone
from typer.testing import CliRunner

from novum.exceptions import DataError, DataWarning, ParameterError
from novum.reinforcement import (
    DQN,
    REINFORCE,
    ActorCritic,
    MonteCarloControl,
    QLearning,
    SemiGradientSARSA,
    SemiGradientTD,
    StateFeatures,
    compare_agents,
)


class Counter(gymnasium.Env):
    """Five steps, paid by the action."""

    observation_space = gymnasium.spaces.Box(-1, 1, (2,))
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        self.t = 0
        return np.zeros(2, np.float32), {}

    def step(self, action):
        self.t += 1
        return np.full(2, self.t / 5, np.float32), float(action), self.t >= 5, False, {}


class Numbered(Counter):
    """The same with numbers to see."""

    observation_space = gymnasium.spaces.Discrete(6)

    def reset(self, **options):
        super().reset(**options)
        return 0, {}

    def step(self, action):
        _, *rest = super().step(action)
        return self.t, *rest


class Asking(Numbered):
    """One that cannot be made without an argument."""

    def __init__(self, size):
        self.size = size


def test_features_stay_the_users():
    features = StateFeatures("tiles")
    car = SemiGradientSARSA(features, n_episodes=1, random_state=0).fit("MountainCar-v0")
    before = car.predict([-0.5, 0.0])
    lake = SemiGradientTD(features, n_episodes=3, random_state=0).fit("FrozenLake-v1")
    assert features.kind == "tiles"
    assert features.n_features == 0
    assert car.features_.n_features == 648
    assert lake.features_.n_features == 16
    assert car.predict([-0.5, 0.0]) == before
    assert car.predict(np.zeros((3, 2))).shape == (3,)


def test_clones_have_the_parameters():
    for agent in (DQN(), REINFORCE(discount=0.5), ActorCritic("a2c", hidden=7), SemiGradientSARSA(StateFeatures())):
        again = clone(agent)
        assert type(again) is type(agent)
        assert repr(again) == repr(agent)
    assert DQN().set_params(discount=0.9).discount == 0.9
    with pytest.raises(ValueError, match="Invalid parameter 'discnt'"):
        DQN().set_params(discnt=0.9)


def test_classes_are_made():
    assert QLearning(30, random_state=0).fit(Numbered).values_[0] > 0
    assert MonteCarloControl(30, random_state=0).fit(Numbered()).total_steps_ > 0
    with pytest.raises(
        ParameterError, match=r"Asking cannot be made without arguments .*; give an environment, Asking\(...\)"
    ):
        QLearning(30).fit(Asking)


@pytest.mark.deep
@pytest.mark.parametrize("cls", [DQN, REINFORCE, ActorCritic])
def test_batches_and_classes_of_agents_with_networks(cls):
    pytest.importorskip("torch")
    agent = cls(total_steps=200, random_state=0, device="cpu").fit(Counter)
    rows = np.random.default_rng(0).uniform(-1, 1, size=(5, 2))
    assert agent.predict(rows).tolist() == [agent.predict(row) for row in rows]
    assert agent.predict(np.empty((0, 2))).shape == (0,)
    for bad in (np.zeros(3), np.zeros((2, 3)), None, "left", [[0.0, 1.0], [2.0]]):
        with pytest.raises(DataError, match=rf"{cls.__name__}.predict: (.|\n)* is no observation of Box"):
            agent.predict(bad)
    with pytest.raises(ParameterError, match="cannot be made without arguments"):
        cls().fit(Asking)


@pytest.mark.deep
def test_advice_on_continuous_actions_can_be_followed():
    pytest.importorskip("torch")
    for agent in (QLearning(5), ActorCritic(), SemiGradientSARSA(StateFeatures())):
        with pytest.raises((ParameterError, TypeError), match="TransformAction") as said:
            agent.fit("Pendulum-v1")
        assert "learn it with" not in str(said.value)
    table = np.array([[-2.0], [0.0], [2.0]], np.float32)
    environment = gymnasium.make("Pendulum-v1")
    wrapped = gymnasium.wrappers.TransformAction(environment, lambda k: table[k], gymnasium.spaces.Discrete(len(table)))
    assert ActorCritic("a2c", total_steps=80, device="cpu", random_state=0).fit(wrapped).total_steps_ == 80


def test_one_run_shows_nothing():
    with pytest.warns(DataWarning, match="fewer than 5 runs"):
        found = compare_agents({"a": [1.0], "b": [2.0]})
    assert "cannot be distinguished" in found.verdicts[0]
    assert np.isnan([*found.low, *found.high, found.improvement_low[0], found.difference_high[0]]).all()


@pytest.mark.filterwarnings("ignore::novum.exceptions.DataWarning")
@pytest.mark.parametrize("runs", [2, 3, 5, 10])
def test_equal_agents_are_seldom_called_better(runs):
    rng = np.random.default_rng(runs)
    found = [compare_agents({k: rng.normal(size=runs) for k in "ab"}, n_resamples=200) for _ in range(150)]
    assert np.mean(["better" in one.verdicts[0] for one in found]) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 150)


def test_the_command_remembers_options(tmp_path):
    from novum.cli import application

    app = application("agent")

    file = str(tmp_path / "lake.novum")
    runner = CliRunner()
    learn = ["agent", "train", "FrozenLake-v1", "--option", "is_slippery=false", "--n-episodes", "3000", "--out", file]
    assert runner.invoke(app, learn).exit_code == 0
    said = runner.invoke(app, ["agent", "evaluate", file, "--n-episodes", "50"])
    assert "success 1.00" in said.output
    other = runner.invoke(app, ["agent", "evaluate", file, "--n-episodes", "50", "--option", "is_slippery=true"])
    assert "success 1.00" not in other.output
    room = str(tmp_path / "room.novum")
    assert (
        runner.invoke(
            app, ["agent", "train", "room", "--discount", "0.5", "--n-episodes", "2000", "-o", room]
        ).exit_code
        == 0
    )
    assert runner.invoke(app, ["agent", "evaluate", room, "--n-episodes", "20"]).exit_code == 0
