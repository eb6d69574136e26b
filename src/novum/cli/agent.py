"""novum agent: train, judge and plan agents for Gymnasium environments and maps of text."""

import time
import warnings
from pathlib import Path
from typing import Annotated, Any

import typer

from novum.cli.errors import refusing
from novum.report.numbers import counted, num

__all__ = ["group"]

group = typer.Typer(help="Train, judge and plan agents.", no_args_is_help=True)

EPISODES = 20_000
JUDGED = 1000  # episodes by which every run is judged
LEVEL = 0.95
WORLDS = {"room": "room_4x3", "cliff": "cliff_walk", "windy": "windy_grid"}
Environment = Annotated[
    str, typer.Argument(help="A Gymnasium name such as FrozenLake-v1; room, cliff or windy; or a text file with a map.")
]
Option = Annotated[
    list[str] | None, typer.Option("--option", help="An option of the environment, name=value, such as map_name=8x8.")
]
Discount = Annotated[float | None, typer.Option(min=0, max=1, help="What a reward is worth a step later.")]


@group.command("train")
def train(
    environment: Environment,
    method: Annotated[
        str, typer.Option(help="q-learning, sarsa, expected-sarsa, monte-carlo, adp, ...")
    ] = "q-learning",
    n_episodes: Annotated[int, typer.Option(min=1, help="Of every run.")] = EPISODES,
    n_runs: Annotated[int, typer.Option(min=1, help="Runs with different seeds, side by side.")] = 1,
    discount: Discount = None,
    random_state: Annotated[int, typer.Option(min=0, help="Seed of the first run.")] = 0,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="File to write (default: the environment's name).")
    ] = None,
    option: Option = None,
    progress: Annotated[bool, typer.Option(help="Show a bar while it learns.")] = True,
) -> None:
    """Train an agent and save it: novum agent train FrozenLake-v1 --method q-learning --n-runs 10"""
    with refusing("agent"):
        from novum.persistence.files import save
        from novum.reinforcement.methods import METHODS, agent_class

        cls = agent_class(method)
        made = opened(environment, option, discount)
        given = {"n_episodes": n_episodes, "n_runs": n_runs, "discount": discount, "random_state": random_state}
        known = cls._domains
        agent = cls(**{k: v for k, v in given.items() if k in known}, **METHODS[method].settings)
        if progress:
            import sys

            if sys.stderr.isatty():
                from rich.console import Console

                from novum.base.progress import ProgressBar

                agent.set_callbacks(ProgressBar(console=Console(stderr=True)))
        began = time.perf_counter()
        agent.fit(made)
        took = time.perf_counter() - began
        path = out or Path(
            f"{environment.rpartition('/')[2].rpartition('-v')[0] or Path(environment).stem}".lower() + ".novum"
        )
        agent.environment_options_ = [
            *(option or []),
            *([] if discount is None or not ours(environment) else [f"discount={discount}"]),
        ]
        save(agent, path)
        runs = counted(n_runs, "run")
        typer.echo(
            f"{runs} x {counted(n_episodes, 'episode')}, {num(took):.1f} s; {judgement(agent, made, random_state)}; saved {path}"
        )


@group.command("evaluate")
def evaluate(
    agent: Annotated[Path, typer.Argument(help="A file that `novum agent train` wrote.")],
    environment: Annotated[str | None, typer.Argument(help="Where to judge it (default: where it learned).")] = None,
    n_episodes: Annotated[int, typer.Option(min=2, help="New episodes.")] = JUDGED,
    random_state: Annotated[int, typer.Option(min=0, help="Seed.")] = 0,
    option: Option = None,
) -> None:
    """Judge a saved agent by new episodes: novum agent evaluate frozenlake.novum"""
    with refusing("agent"):
        from novum.exceptions import ParameterError
        from novum.persistence.files import load

        loaded = load(agent)
        if not hasattr(loaded, "evaluate") or not hasattr(loaded, "act"):
            raise ParameterError(f"{agent} holds a {type(loaded).__name__}, which is no agent.")
        name = environment or loaded.environment_
        made = opened(name, learned_options(loaded, name, option), None)
        result = loaded.evaluate(made, n_episodes=n_episodes, max_steps=step_limit(made), random_state=random_state)
        word = measure_name(result.totals)
        typer.echo(
            f"{type(loaded).__name__} in {name}, {counted(n_episodes, 'episode')}: {word} {shown(result.mean)} "
            f"[{shown(result.low)}, {shown(result.high)}], {num(result.lengths.mean()):.1f} steps each"
        )


@group.command("plan")
def plan(
    environment: Environment,
    discount: Discount = None,
    method: Annotated[
        str, typer.Option(help="value-iteration, policy-iteration or linear-program.")
    ] = "value-iteration",
    tol: Annotated[float, typer.Option(help="What the policy may lose.")] = 1e-6,
    option: Option = None,
) -> None:
    """Plan a known process: novum agent plan FrozenLake-v1 --discount 0.99"""
    with refusing("agent"):
        from novum import reinforcement
        from novum.exceptions import ParameterError

        planners = {
            "value-iteration": lambda mdp: reinforcement.value_iteration(mdp, tol=tol),
            "policy-iteration": lambda mdp: reinforcement.policy_iteration(mdp, tol=tol),
            "linear-program": reinforcement.linear_program,
        }
        if method not in planners:
            raise ParameterError(f"--method {method}: methods are {', '.join(planners)}.")
        made = opened(environment, option, discount)
        mdp = made if isinstance(made, reinforcement.MDP) else reinforcement.MDP.from_gymnasium(made, discount=discount)
        typer.echo(repr(mdp))
        found = planners[method](mdp)
        typer.echo(repr(found) if mdp.layout is not None or mdp.n_states <= 40 else found.sentence())
        typer.echo(f"worth {shown(found.start, 4)} at the start; no policy is worth more than {found.gap:.1e} above it")


def learned_options(agent: Any, name: str, given: list[str] | None) -> list[str]:
    """Return the options of an environment: those that the agent was trained with, where it is the same, then those given."""
    trained = list(getattr(agent, "environment_options_", ()))
    return [*(trained if name == agent.environment_ else []), *(given or [])]


def ours(name: str) -> bool:
    """Return whether a word stands for a world of novum's, which has its own discount."""
    return name in WORLDS or name in WORLDS.values() or Path(name).is_file()


def opened(name: str, options: list[str] | None, discount: float | None) -> Any:
    """Return the environment that a word of the command line stands for."""
    from novum.exceptions import DataWarning, ParameterError
    from novum.reinforcement import grid_world, room_4x3
    from novum.reinforcement.gymnasium_tables import made_environment
    from novum.teaching.reinforcement import worlds

    settings: dict[str, Any] = {}
    for pair in options or []:
        key, equals, value = pair.partition("=")
        if not equals:
            raise ParameterError(f"--option {pair}: write it as name=value.")
        settings[key] = typed(value)
    if discount is not None and ours(name):
        settings["discount"] = discount
    for short, full in WORLDS.items():
        if name in (short, full):
            make = room_4x3 if short == "room" else getattr(worlds, full)
            return make(**known_settings(short, make, settings))
    if Path(name).is_file():
        return grid_world(Path(name).read_text(), name=name, **known_settings(name, grid_world, settings))
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always", DataWarning)
        made = made_environment(name, **settings)
    for warning in heard:
        typer.echo(f"novum agent: {warning.message}", err=True)
    return made


def known_settings(name: str, make: Any, settings: dict[str, Any]) -> dict[str, Any]:
    """Return the settings of a world, or raise where it has no such option."""
    from inspect import signature

    from novum.exceptions import ParameterError

    known = [option for option in signature(make).parameters if option not in ("text", "layout", "name")]
    unknown = [option for option in settings if option not in known]
    if unknown:
        raise ParameterError(f"--option {unknown[0]}: {name} has no such option; it has {', '.join(known)}.")
    return settings


def typed(value: str) -> Any:
    """Return a number, a truth value or the text itself."""
    if value.lower() in ("true", "false"):
        return value.lower() == "true"
    for kind in (int, float):
        try:
            return kind(value)
        except ValueError:
            continue
    return value


def step_limit(environment: Any) -> int:
    """Return after how many steps an environment cuts its episodes."""
    return int(getattr(getattr(environment, "spec", None), "max_episode_steps", None) or 1000)


def measure_name(totals: Any) -> str:
    """Return what sums of rewards are called: a success where they are 0 or 1."""
    import numpy as np

    return "success" if np.isin(totals, (0.0, 1.0)).all() else "mean return"


def shown(value: float, decimals: int = 2) -> str:
    """Return a number as the line shows it."""
    from novum.reinforcement.layout import number_text

    return number_text(value, decimals)


def judgement(agent: Any, made: Any, random_state: int) -> str:
    """Return how good the trained runs are: the mean over seeds with its interval, next to the plan's own policy."""
    import numpy as np

    from novum.reinforcement import MDP, Policy, value_iteration
    from novum.reinforcement.episodes import mean_of
    from novum.reinforcement.experience import tabular_process

    limit = step_limit(made)
    process, _, _ = tabular_process(made, getattr(agent, "discount_", None), 1.0)
    tables = getattr(agent, "run_values_", None)
    if not isinstance(process, MDP) or tables is None or tables.shape[1:] != (process.n_states, process.n_actions):
        result = agent.evaluate(made, n_episodes=min(JUDGED, 200), max_steps=limit, random_state=random_state + 1)
        return f"{measure_name(result.totals)} {shown(result.mean)} [{shown(result.low)}, {shown(result.high)}]"

    def total(policy: Any, seed: int) -> Any:
        return process.simulate(policy, n_episodes=JUDGED, max_steps=limit, random_state=seed).totals

    greedy = [Policy.greedy(np.where(process.possible, q, 0.0), process.possible).probabilities for q in tables]
    totals = np.array([total(table, random_state + 1 + k) for k, table in enumerate(greedy)])
    word = measure_name(totals)
    units = totals.mean(axis=1) if len(totals) > 1 else totals[0]  # between seeds, or between the episodes of one
    result = mean_of(units, units, np.zeros(1, np.int32), LEVEL)
    best = total(value_iteration(process).policy, random_state)
    bounds = f"[{shown(result.low)}, {shown(result.high)}]"
    return f"{word} {shown(result.mean)} {bounds} (plan's own policy: {shown(float(best.mean()))})"
