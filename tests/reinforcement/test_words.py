"""One word for one thing in all signatures of decisions over time and of bandits."""

import importlib
import inspect
from pkgutil import walk_packages

import pytest

import novum.bandits
import novum.reinforcement
from novum.optimize import Schedule

INSTEAD = {
    "episodes": "n_episodes",
    "num_episodes": "n_episodes",
    "step_size": "learning_rate",
    "alpha": "learning_rate",
    "lr": "learning_rate",
    "eta": "learning_rate",
    "learning_rate_schedule": "learning_rate, a Schedule",
    "gamma": "discount",
    "epsilon": "exploration",
    "eps": "exploration",
    "exploration_start": "exploration, a Schedule",
    "max_length": "max_steps",
    "max_episode_steps": "max_steps",
    "horizon_steps": "max_steps",
    "timesteps": "total_steps",
    "n_step": "n_steps",
    "runs": "n_runs",
    "n_seeds": "n_runs",
    "seeds": "n_runs",
    "trials": "n_runs",
    "seed": "random_state",
    "lambda_": "trace_decay",
}
# `reset(seed=)` is Gymnasium's own; bounds and inequalities have a gamma and trials of their own
OWN = {("EnvironmentFace.reset", "seed"), ("ProcessOperators.check_operator", "trials")}


def public_signatures():
    """Yield every public function and method of the two families with its signature."""
    for family in (novum.reinforcement, novum.bandits):
        for found in walk_packages(family.__path__, f"{family.__name__}."):
            module = importlib.import_module(found.name)
            for name in getattr(module, "__all__", ()):
                value = getattr(module, name)
                if inspect.isfunction(value):
                    yield name, value
                elif inspect.isclass(value):
                    for key, method in vars(value).items():
                        method = getattr(method, "__func__", method)
                        if inspect.isfunction(method) and (key == "__init__" or not key.startswith("_")):
                            yield f"{name}.{key}", method


PUBLIC = [getattr(novum.reinforcement, name) for name in novum.reinforcement.__all__]
AGENTS = [value for value in PUBLIC if inspect.isclass(value) and hasattr(value, "evaluate") and hasattr(value, "fit")]


def test_no_synonym_is_in_a_signature():
    found = {
        (name, word): INSTEAD[word]
        for name, function in public_signatures()
        for word in inspect.signature(function).parameters
        if word in INSTEAD and (name, word) not in OWN and not hidden(name)
    }
    assert found == {}


def hidden(name):
    """Return whether something is a part of the loops, not of the door: seeds are numbers there."""
    return name.partition(".")[0] in {
        "Environments",
        "KnownRuns",
        "Learner",
        "StepDraws",
        "VectorRuns",
        "episode_seed",
        "Adam",
    }


@pytest.mark.parametrize("agent", AGENTS, ids=lambda cls: cls.__name__)
def test_every_agent_has_the_words(agent):
    parameters = inspect.signature(agent).parameters
    assert {"discount", "max_steps", "random_state"} <= set(parameters)
    assert len({"n_episodes", "total_steps"} & set(parameters)) == 1
    if agent.__name__ not in ("ADP", "MonteCarloControl"):  # these take means, which have no rate
        assert agent._domains["learning_rate"].contains(Schedule("power", 0.5, 0.6))
    if "exploration" in parameters:
        assert agent._domains["exploration"].contains(Schedule("linear", 1.0, 0.1))
    fit = inspect.signature(agent.fit).parameters
    assert not {"n_episodes", "total_steps", "max_steps", "n_steps"} & set(fit)
