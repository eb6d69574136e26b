"""Gymnasium's environments as processes: by their tables, or by sampling where there is none.

Environments that end an episode by a transition (`ended`) keep that: nothing follows such a transition, whatever its state
is worth when it is reached otherwise. A state whose every transition is (1, itself, 0, ended) is terminal. Where a wrapper may
change observations, actions or rewards the table inside does not count: such an environment is sampled.
"""

import warnings
from collections import Counter
from copy import deepcopy
from typing import Any

import numpy as np

from novum.exceptions import DataWarning, ParameterError
from novum.reinforcement.environment import needs_gymnasium
from novum.runtime.checks import check_count
from novum.runtime.random import seed_of
from novum.runtime.warn import warn

__all__ = [
    "FINITE_ACTIONS",
    "copied_environment",
    "countable",
    "is_rewritten",
    "made_environment",
    "made_of_class",
    "observation_key",
    "process_of_environment",
    "refuse_vectors",
]

SAMPLES = 200_000  # steps by which the transitions of an environment without a table are counted
FEW_VISITS = 30  # of a pair, below which its frequencies are no probabilities
MOST_STATES = 100_000  # of an environment that is sampled
FINITE_ACTIONS = (
    "No learner here takes actions from a continuum: let it choose among some, as by gymnasium.wrappers.TransformAction("
    "environment, lambda k: table[k], gymnasium.spaces.Discrete(len(table))) with a table of actions."
)
# Wrappers of Gymnasium that leave rewards and transitions as they are; a limit of steps cuts episodes but is in no table.
TRANSPARENT = {
    *("OrderEnforcing", "PassiveEnvChecker", "TimeLimit", "RecordEpisodeStatistics"),
    *("RenderCollection", "HumanRendering", "RecordVideo"),
}


def made_of_class(kind: type) -> Any:
    """Return an environment of a class, made without arguments, or raise."""
    try:
        return kind()
    except TypeError as error:
        raise ParameterError(
            f"{kind.__name__} cannot be made without arguments ({error}); give an environment, {kind.__name__}(...)."
        ) from error


def made_environment(environment: Any, **options: Any) -> Any:
    """Return a Gymnasium environment, made of a name or a class; an older version's name gives the newest, with a warning."""
    if isinstance(environment, type):
        environment = made_of_class(environment)
    if not isinstance(environment, str):
        if options:
            raise ParameterError(
                f"options {sorted(options)} belong to a name, as in 'FrozenLake-v1'; an object was given."
            )
        if not hasattr(environment, "reset") or not hasattr(environment, "step"):
            raise ParameterError(
                f"{environment!r} is no environment: give an MDP, a Gymnasium environment or its name, as 'FrozenLake-v1'."
            )
        refuse_vectors(environment)
        return environment
    gymnasium = needs_gymnasium()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            return gymnasium.make(environment, **options)
        except gymnasium.error.DeprecatedEnv as error:
            base = environment.rpartition("-v")[0]
            newest = max(
                (name for name in gymnasium.registry if name.rpartition("-v")[0] == base),
                key=lambda name: int(name.rpartition("-v")[2]),
                default=None,
            )
            if newest is None:
                raise ParameterError(f"{environment}: {error}") from error
            warn(f"{environment} is no longer in Gymnasium; {newest} takes its place.", DataWarning)
            return gymnasium.make(newest, **options)
        except gymnasium.error.Error as error:
            raise ParameterError(f"{environment}: {error}") from error
        except TypeError as error:
            raise ParameterError(f"{environment}: {error}; its options are those of gymnasium.make.") from error


def refuse_vectors(environment: Any) -> None:
    """Raise for an environment that is several: learners make their own copies."""
    if hasattr(environment, "single_action_space"):
        raise ParameterError(
            f"{type(environment).__name__} holds {environment.num_envs} environments; give one of them or its name, and "
            "n_runs= or n_envs= for copies."
        )


def copied_environment(environment: Any) -> Any:
    """Return a new environment like one that is given: made by its specification, or copied where wrappers forbid that."""
    gymnasium = needs_gymnasium()
    try:
        spec = environment.spec
        if spec is not None:
            return gymnasium.make(spec, disable_env_checker=True)
    except (AttributeError, TypeError, ValueError, gymnasium.error.Error):
        pass  # a wrapper of the user's own
    return deepcopy(environment)


def is_rewritten(environment: Any) -> bool:
    """Return whether a wrapper may change what is seen, done or paid, so that the table inside is not that of the environment."""
    while environment is not environment.unwrapped:
        kind = type(environment)
        if kind.__name__ not in TRANSPARENT or not kind.__module__.startswith("gymnasium."):
            return True
        environment = environment.env
    return False


def process_of_environment(cls: Any, environment: Any, discount: float | None, options: dict[str, Any]) -> Any:
    """Return the process of an environment; see `MDP.from_gymnasium`."""
    samples, random_state = options.pop("samples", SAMPLES), options.pop("random_state", 0)
    made = made_environment(environment, **options)
    inner, rewritten = made.unwrapped, is_rewritten(made)
    if isinstance(inner, cls) and not rewritten:
        return inner if discount is None else inner.replaced(discount=discount)
    name = (
        environment
        if isinstance(environment, str)
        else getattr(getattr(made, "spec", None), "id", None) or type(inner).__name__
    )
    worth = 1.0 if discount is None else discount
    table = None if rewritten else getattr(inner, "P", None)
    if table is None:
        return sampled_process(cls, made, name, worth, samples, random_state)
    rows = {
        int(s): {int(a): [(float(p), int(t), float(r), bool(end)) for p, t, r, end in out] for a, out in row.items()}
        for s, row in table.items()
    }
    terminal = [
        s
        for s, row in rows.items()
        if all(len(o) == 1 and o[0][0] == 1 and o[0][1:] == (s, 0.0, True) for o in row.values())
    ]
    initial = getattr(inner, "initial_state_distrib", None)
    count = max(rows) + 1
    return cls(
        rows,
        terminal=terminal,
        discount=worth,
        initial=None if initial is None else np.asarray(initial, dtype=np.float64),
        states=range(count),
        actions=range(1 + max(a for row in rows.values() for a in row)),
        name=name,
    )


def observation_key(observation: Any) -> Any:
    """Return an observation as something that can be looked up."""
    if isinstance(observation, tuple):
        return tuple(observation_key(part) for part in observation)
    if isinstance(observation, np.ndarray):
        return int(observation) if observation.ndim == 0 else tuple(observation.ravel().tolist())
    return observation.item() if isinstance(observation, np.generic) else observation


def sampled_process(cls: Any, environment: Any, name: str, discount: float, samples: int, random_state: Any) -> Any:
    """Return the process whose probabilities are the frequencies of so many random steps."""
    samples = check_count(name, "samples", samples)
    space = environment.action_space
    if not hasattr(space, "n") or not countable(environment.observation_space):
        way = "Learn it with DQN, REINFORCE or ActorCritic instead." if hasattr(space, "n") else FINITE_ACTIONS
        raise ParameterError(
            f"{name}: observations {environment.observation_space} and actions {space} are not both finite sets, so it is no "
            f"table. {way}"
        )
    if not is_rewritten(environment):
        environment = environment.unwrapped  # without the wrappers that check every step, and without a limit of steps
    rng = np.random.default_rng(seed_of(random_state))
    counts: Counter[tuple[Any, ...]] = Counter()
    starts: Counter[Any] = Counter()
    drawn = rng.integers(space.n, size=samples)
    observation, _ = environment.reset(seed=int(rng.integers(2**31)))
    state = observation_key(observation)
    starts[state] += 1
    for action in drawn.tolist():
        observation, reward, ended, cut, _ = environment.step(action)
        following = observation_key(observation)
        counts[state, action, following, float(reward), bool(ended)] += 1
        state = following
        if ended or cut:
            observation, _ = environment.reset()
            state = observation_key(observation)
            starts[state] += 1
    table: dict[Any, dict[Any, list[Any]]] = {}
    totals: Counter[tuple[Any, Any]] = Counter()
    for (s, a, *_), count in counts.items():
        totals[s, a] += count
    for (s, a, t, reward, ended), count in counts.items():
        table.setdefault(s, {}).setdefault(a, []).append((count / totals[s, a], t, reward, ended))
    rare = sum(count < FEW_VISITS for count in totals.values())
    if rare:
        warn(
            f"{name}: {rare} of {len(totals)} pairs of state and action were seen fewer than {FEW_VISITS} times in {samples:,} "
            "steps; give more samples=.",
            DataWarning,
        )
    seen = {t for row in table.values() for out in row.values() for _, t, _, _ in out}
    terminal = sorted(
        (seen | set(starts)) - set(table), key=repr
    )  # states that nothing was done in: only ends lead there
    states = sorted(set(table), key=repr) + terminal
    initial = np.array([starts[s] for s in states], dtype=np.float64)
    return cls(
        table,
        terminal=terminal,
        discount=discount,
        initial=initial / initial.sum(),
        states=states,
        actions=range(int(space.n)),
        name=name,
    )


def countable(space: Any) -> bool:
    """Return whether a space has finitely many, not too many, elements."""
    if hasattr(space, "spaces"):
        parts = space.spaces.values() if isinstance(space.spaces, dict) else space.spaces
        return all(countable(part) for part in parts)
    if hasattr(space, "nvec"):
        return float(np.prod(np.asarray(space.nvec, dtype=np.float64))) <= MOST_STATES
    return bool(hasattr(space, "n") and np.ndim(space.n) == 0 and int(space.n) <= MOST_STATES)
