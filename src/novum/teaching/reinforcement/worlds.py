"""The textbooks' examples, and random processes.

Russell and Norvig's room is in `grids`; random walk, cliff, windy grid, gambler and Blackjack are those of Sutton and
Barto (2018), the random process is Garnet's (Archibald, McKinnon and Thomas 1995), the inventory Puterman's (1994).
"""

import numpy as np

from novum.reinforcement.mdp import MDP
from novum.reinforcement.model import Model
from novum.reinforcement.worlds.grids import grid_world
from novum.runtime.checks import check_count, check_number, probability_table
from novum.runtime.random import Stream, seed_of
from novum.runtime.typing import Numbers, Seed

__all__ = ["cliff_walk", "gambler", "garnet", "inventory", "random_walk", "two_state", "windy_grid"]


def two_state(discount: float = 0.9) -> MDP:
    """Return the smallest process worth solving: stay in 0 for nothing, go to 1 for -1 (0.8), stay in 1 for 2, go back."""
    return MDP(
        [[[1.0, 0.0], [0.2, 0.8]], [[0.0, 1.0], [1.0, 0.0]]],
        [[0.0, -1.0], [2.0, 0.0]],
        discount=discount,
        name="two_state",
    )


def random_walk(n: int = 5, *, left: float = 0.0, right: float = 1.0, discount: float = 1.0) -> MDP:
    """Return the walk over n states with an end on either side, begun in the middle; the values are k / (n + 1) for k = 1..n.

    The one action goes left or right with equal probability.
    """
    n = check_count("random_walk", "n", n)
    names = ["left", *(chr(ord("A") + k) if n <= 26 else k + 1 for k in range(n)), "right"]
    table = {names[k]: {"step": [(0.5, names[k - 1], 0.0), (0.5, names[k + 1], 0.0)]} for k in range(1, n + 1)}
    return MDP(
        table,
        {"left": left, "right": right},
        terminal=["left", "right"],
        states=names,
        initial=names[(n + 1) // 2],
        discount=discount,
        name="random_walk",
    )


def cliff_walk(discount: float = 1.0) -> MDP:
    """Return the cliff: 12 x 4 cells, -1 a step, -100 and back to the start for whoever steps off."""
    free = "." * 12 + "\n"
    return grid_world(
        free * 3 + "S" + "C" * 10 + "G", step_reward=-1, discount=discount, exits={"G": 0.0}, name="cliff_walk"
    )


def windy_grid(discount: float = 1.0) -> MDP:
    """Return the windy grid: 10 x 7 cells, columns that blow upwards by 0 0 0 1 1 1 2 2 1 0, -1 a step; 15 steps at best."""
    rows = ["." * 10 for _ in range(7)]
    rows[3] = "S......G.."
    return grid_world(
        "\n".join(rows),
        step_reward=-1,
        discount=discount,
        exits={"G": 0.0},
        wind=(0, 0, 0, 1, 1, 1, 2, 2, 1, 0),
        name="windy_grid",
    )


def gambler(goal: int = 100, heads: float = 0.4) -> MDP:
    """Return the gambler's problem: stake up to what you own on a coin until you own `goal` or nothing; 1 for the goal."""
    goal = check_count("gambler", "goal", goal, 2)
    heads = check_number("gambler", "heads", heads, 0, 1)
    table: dict[int, dict[int, list[tuple[float, int, float]]]] = {}
    for capital in range(1, goal):
        table[capital] = {
            stake: [(p, to, 0.0) for p, to in ((heads, capital + stake), (1 - heads, capital - stake)) if p > 0]
            for stake in range(1, min(capital, goal - capital) + 1)
        }
    return MDP(
        table,
        {goal: 1.0},
        terminal=[0, goal],
        states=range(goal + 1),
        actions=range(1, goal // 2 + 1),
        initial=goal // 2,
        name="gambler",
    )


def inventory(
    capacity: int = 20,
    *,
    demand: Numbers | None = None,
    price: float = 8.0,
    cost: float = 2.0,
    fixed_cost: float = 4.0,
    holding: float = 1.0,
    discount: float = 0.95,
) -> MDP:
    """Return a shop's inventory: order up to `capacity` units, then a random demand is served from the stock.

    `demand` are the probabilities of 0, 1, 2, ... units (None: uniform up to half the capacity). An order of k > 0 units costs
    `fixed_cost` + k `cost`, a unit in stock after ordering `holding`, a unit sold brings `price`; unserved demand is lost.
    """
    capacity = check_count("inventory", "capacity", capacity)
    probability = (
        np.full(capacity // 2 + 1, 1 / (capacity // 2 + 1))
        if demand is None
        else np.asarray(probability_table("inventory", "demand", demand), dtype=np.float64)
    )
    units = np.arange(len(probability))
    table: dict[int, dict[int, list[tuple[float, int, float]]]] = {}
    for stock in range(capacity + 1):
        table[stock] = {}
        for order in range(capacity - stock + 1):
            filled = stock + order
            sold = np.minimum(units, filled)
            paid = (fixed_cost + cost * order if order else 0.0) + holding * filled
            table[stock][order] = [
                (float(p), int(filled - s), float(price * s - paid)) for p, s in zip(probability, sold) if p > 0
            ]
    return MDP(
        table,
        states=range(capacity + 1),
        actions=range(capacity + 1),
        discount=discount,
        initial=0,
        name="inventory",
    )


def garnet(
    n_states: int, n_actions: int = 4, branching: int = 5, *, discount: float = 0.99, random_state: Seed = 0
) -> MDP:
    """Return a random process: every pair leads to `branching` random states with random probabilities and a normal reward."""
    n = check_count("garnet", "n_states", n_states)
    m = check_count("garnet", "n_actions", n_actions)
    b = min(check_count("garnet", "branching", branching), n)
    stream = Stream(seed_of(random_state))
    pairs = n * m
    following = stream.integers("garnet states", 0, pairs * b, n).reshape(pairs, b)
    following.sort(axis=1)
    weight = stream.exponential("garnet chances", 0, pairs * b).reshape(pairs, b)
    model = Model(
        n_actions=m,
        first=np.arange(0, pairs + 1, m, dtype=np.int64),
        action=np.tile(np.arange(m, dtype=np.int32), n),
        reward=stream.normal("garnet rewards", 0, pairs),
        start=np.arange(0, pairs * b + 1, b, dtype=np.int64),
        next=following.astype(np.int32).ravel(),
        probability=(weight / weight.sum(axis=1, keepdims=True)).ravel(),
        entry_reward=None,
        terminal=np.zeros(n, bool),
    )
    return MDP.from_model(
        model,
        discount=check_number("garnet", "discount", discount, 0, 1),
        initial=np.full(n, 1 / n),
        name="garnet",
    )
