r"""The best total without discount: policy iteration among policies that end, and its certificate.

States among which one may wander for ever at no cost are one state here: their values are the same, and "stay for ever" is one more
action of it, worth zero. What is left of a policy that ends then ends; a better action that is better by more than rounding never
closes a circle, unless staying there pays.

    A_k(V) <= 0 for all pairs, V = V^pi, pi ends        =>  pi is the best of all policies whose total settles              (1)
    A_k(U) + doubt_k <= 0 for all pairs                 =>  V* <= U                                                        (2)

A_k and its doubt are those of `precision`. U of (2) solves the process with every reward raised by twice its doubt. Where there is
none, because a circle costs less than rounding may hide, how far a policy is from the best is not known.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import ParameterError
from novum.reinforcement.planning.finiteness import check_finite, remedy
from novum.reinforcement.planning.gains import class_gain, closed_classes, towards
from novum.reinforcement.planning.precision import (
    Rows,
    advantages,
    bounded,
    improved,
    reaches_an_end,
    reward_sizes,
    rows_of,
    solved,
)

__all__ = ["Joined", "Total", "best_total", "joined"]

RAISED = 2.0  # doubts that every reward is raised by for (2)
MOST_RAISED = 20  # rounds of policy iteration for (2)


class Joined(NamedTuple):
    """A process whose free states are joined: its rows, sorted by state, and where they come from."""

    rows: Rows
    first: NDArray[np.int64]  # (n + 1,)
    pair: NDArray[np.int64]  # (rows,): of the process, -1: stay for ever
    group: NDArray[np.int64]  # (states of the process,)
    free: NDArray[np.int64]  # (pairs of the process,): the group that a free pair stays in, -1


class Total(NamedTuple):
    """What was found: values and pairs by state of the process, bounds, rounds, and whether the end was reached."""

    values: NDArray[np.float64]
    choice: NDArray[np.int64]
    error: float  # of the values as those of the policy
    gap: float  # of the policy; inf: not known
    rounds: int
    ended: bool


def joined(mdp: Any, zero: NDArray[np.int64]) -> Joined:
    """Return the process with its free components, by pair, joined."""
    model = mdp.model
    n = model.n_states
    states = np.repeat(np.arange(n), np.diff(model.first))
    inside = zero >= 0
    label = np.arange(n)
    label[states[inside]] = n + zero[inside]
    _, group = np.unique(label, return_inverse=True)
    free_groups = np.unique(group[states[inside]])
    kept = np.flatnonzero(~inside)
    lengths = np.diff(model.start)[kept]
    begin = np.concatenate([[0], np.cumsum(lengths)])
    entries = np.arange(begin[-1]) + np.repeat(model.start[kept] - begin[:-1], lengths)
    following = model.next[entries].astype(np.int64)
    goes = np.where(following < 0, following, group[np.maximum(following, 0)])
    origin = np.concatenate([group[states[kept]], free_groups])
    order = np.argsort(origin, kind="stable")
    rows = rows_of(
        origin,
        np.concatenate([begin, np.full(len(free_groups), begin[-1])]),
        goes,
        model.probability[entries],
        np.concatenate([model.reward[kept], np.zeros(len(free_groups))]),
        np.concatenate([reward_sizes(model)[kept], np.zeros(len(free_groups))]),
        1.0,
    ).taken(order)
    pair = np.concatenate([kept, np.full(len(free_groups), -1)])[order]
    first = np.searchsorted(rows.origin, np.arange(group.max() + 2))
    return Joined(rows, first, pair, group, np.where(inside, group[states], -1))


def ending_choice(found: Joined) -> NDArray[np.int64]:
    """Return a choice that ends with probability one."""
    rows, n = found.rows, len(found.first) - 1
    ends = np.flatnonzero(rows.ending > 0)
    choice = found.first[:-1].copy()
    choice[rows.origin[ends][::-1]] = ends[::-1]
    return towards(rows, n, np.unique(rows.origin[ends]), choice)


def matching_choice(found: Joined, pairs: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the choice that stands for one pair of the process per state; a joined state leaves where one of its states does."""
    row = np.full(len(found.free), -1)
    row[found.pair[found.pair >= 0]] = np.flatnonzero(found.pair >= 0)
    choice = np.full(len(found.first) - 1, -1)
    stays = np.flatnonzero(found.pair < 0)
    choice[found.rows.origin[stays]] = stays
    leaving = row[pairs] >= 0
    choice[found.group[leaving]] = row[pairs[leaving]]
    return choice


def own_choice(mdp: Any, found: Joined, choice: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return one pair of the process per state: those joined go to the state that leaves, or stay among themselves."""
    model = mdp.model
    out = model.first[:-1].copy()
    inside = np.flatnonzero(found.free >= 0)
    states = np.repeat(np.arange(model.n_states), np.diff(model.first))
    out[states[inside][::-1]] = inside[::-1]
    chosen = found.pair[choice]
    goal = states[chosen[chosen >= 0]]
    out[goal] = chosen[chosen >= 0]
    if len(inside):
        lengths = np.diff(model.start)[inside]
        begin = np.concatenate([[0], np.cumsum(lengths)])
        entries = np.arange(begin[-1]) + np.repeat(model.start[inside] - begin[:-1], lengths)
        rows = rows_of(
            states[inside],
            begin,
            model.next[entries].astype(np.int64),
            model.probability[entries],
            np.zeros(len(inside)),
            np.zeros(len(inside)),
            1.0,
        )
        index = np.zeros(model.n_states, np.int64)
        index[states[inside][::-1]] = np.arange(len(inside))[::-1]
        led = towards(rows, model.n_states, goal, index)
        moved = np.isin(found.group, found.group[goal]) & np.isin(np.arange(model.n_states), states[inside])
        moved[goal] = False
        out[moved] = inside[led[moved]]
    return out


def best_total(
    mdp: Any,
    owner: str,
    start: NDArray[np.int64] | None = None,
    history: list[Any] | None = None,
    most: int = 1000,
    strict: bool = False,
) -> Total:
    """Return the best policy of an undiscounted process; `start` is one pair per state to begin with, where it ends."""
    endings = check_finite(mdp, owner)
    found = joined(mdp, endings.zero)
    n = len(found.first) - 1
    choice = ending_choice(found)
    if start is not None:
        requested = matching_choice(found, start)
        if reaches_an_end(found.rows.taken(requested), n).all():
            choice = requested
        elif strict:
            return improper(mdp, found, requested, owner)
    rounds, ended, seen = 0, False, set()
    while True:
        rows = found.rows.taken(choice)
        values = solved(rows)
        rounds += 1
        if history is not None:
            history.append((values[found.group].astype(np.float64) + 0.0, own_choice(mdp, found, choice)))
        new = improved(found.rows, found.first, choice, values)
        seen.add(choice.tobytes())
        if new.tobytes() in seen:  # nothing is better, or a circle of policies that rounding cannot tell apart
            ended = True
            break
        if rounds >= most:
            break
        if not reaches_an_end(found.rows.taken(new), n).all():
            check_circle(mdp, found, new, owner)
            break
        choice = new
    z = bounded(rows, values)
    out = values[found.group].astype(np.float64) + 0.0
    error = np.inf if z is None else float(np.max(z, initial=0.0)) + float(np.spacing(np.abs(out).max(initial=0.0)))
    above = raised_values(found, choice, values) if z is not None else None
    gap = np.inf if above is None else float(np.max(above - values + z, initial=0.0)) * (1 + 1e-12)
    return Total(out, own_choice(mdp, found, choice), error, gap, rounds, ended)


def raised_values(found: Joined, choice: NDArray[np.int64], values: Any) -> Any:
    """Return U of (2), verified, or None."""
    n, above, left_over = len(found.first) - 1, values, 0.0
    for _ in range(MOST_RAISED):
        left, doubt = advantages(found.rows, above)
        if above is values:  # an iterative solution leaves more than rounding does
            left_over = 2 * RAISED * float(np.abs(left[choice]).max(initial=0))
        raise_by = RAISED * doubt + left_over
        rows = found.rows.taken(choice)
        if not reaches_an_end(rows, n).all():
            return None
        above = solved(rows, rows.reward + raise_by[choice])
        gain, doubt = advantages(found.rows, above)
        if bool((gain + doubt <= 0).all()):
            return above if bool((above >= values).all()) else None
        better = improved(found.rows, found.first, choice, above, raise_by)
        if np.array_equal(better, choice):
            left_over = 2 * (left_over + float(raise_by.max()))
        choice = better
    return None


def check_circle(mdp: Any, found: Joined, choice: NDArray[np.int64], owner: str) -> None:
    """Raise where a choice that never ends is paid for it."""
    rows, n = found.rows.taken(choice), len(found.first) - 1
    _, doubt = advantages(rows, np.zeros(n))
    for members in closed_classes(rows, n):
        gain = class_gain(rows, members)
        if gain > 4 * float(doubt[members].max()):
            where = mdp.states[int(np.argmax(found.group == members[0]))]
            raise ParameterError(
                f"{owner}: discount=1 has no finite value: around state {where!r} one may stay for ever at a mean reward of "
                f"{gain:.4g} a step (staying for ever pays).\n{remedy(mdp)}"
            )


def improper(mdp: Any, found: Joined, choice: NDArray[np.int64], owner: str) -> Total:
    """Raise for a policy to begin with that never ends."""
    lost = ~reaches_an_end(found.rows.taken(choice), len(found.first) - 1)
    where = mdp.states[int(np.argmax(lost[found.group]))]
    raise ParameterError(
        f"{owner}(initial=...): discount=1 and the policy never ends from state {where!r}: it has no finite value; begin with "
        "another, or leave initial= out."
    )
