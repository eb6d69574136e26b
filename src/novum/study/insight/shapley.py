r"""Shapley values of a row: what every column adds to a prediction, against what the model says on average.

With background rows z_1, ..., z_B and the players 1, ..., d (columns of the table; beyond `MOST_PLAYERS` the least important
ones play together), a coalition S is worth what the model says when its columns are those of the row and the others are not:

    v(S) = 1/B sum_b f(x_S, z_b outside S),      base v(none) = mean of f over the background,    v(all) = f(x)            (1)
    phi_j = sum_{S without j} |S|! (d - |S| - 1)! / d!  (v(S + j) - v(S))                                                  (2)
          = mean over orders of what v gains when j joins those before it                                                  (3)
    sum_j phi_j = f(x) - base                                                                                              (4)

(2) is computed as it stands where 2^d B rows are not too many. Otherwise (3) is sampled: every background row walks to x along as
many orders, an order and its reverse together. A walk from z_b to x gains f(x) - f(z_b) in all, so (4) holds exactly for any
number of walks; what randomness moves is only how the sum is shared out, and `errors` has its standard error.
Strumbelj and Kononenko (2014); Lundberg and Lee (2017), "interventional".
"""

from math import factorial
from typing import NamedTuple

import numpy as np

from novum.study.insight.model_function import ModelFunction

__all__ = ["MOST_PLAYERS", "Shapley", "shapley_values"]

MOST_PLAYERS = 30
MOST_EXACT = 16_000  # rows that (2) may ask about, for one row
ROWS_AT_ONCE = 200_000  # that are predicted together, of several rows


class Shapley(NamedTuple):
    """Contributions to predictions."""

    values: np.ndarray  # (rows, players, outputs): phi
    errors: np.ndarray  # standard errors of the same; 0 where exact
    base: np.ndarray  # (outputs,)
    said: np.ndarray  # (rows, outputs): f(x)
    exact: bool


def shapley_values(
    machine: ModelFunction,
    rows: list[np.ndarray],
    background: list[np.ndarray],
    places: list[list[np.ndarray]],
    *,
    orders: int = 2,
    seed: int = 0,
    most_exact: int = MOST_EXACT,
) -> Shapley:
    """Return (2), or (3) sampled.

    Parameters
    ----------
    rows, background : list of matrices, one per member of the machine
    places : list of list of int arrays
        For every member, the matrix columns of every player.
    orders : int, default=2
        Walks of every background row to every row; an even number pairs an order with its reverse.
    """
    players, n, size = len(places[0]), len(rows[0]), len(background[0])
    exact = players <= 20 and 2**players * size <= most_exact
    at_background = machine.values(background)
    said = machine.values(rows)
    rng = np.random.default_rng(seed)
    values = np.zeros((n, players, said.shape[1]))
    errors = np.zeros_like(values)
    if exact:
        together = max(1, ROWS_AT_ONCE // (2**players * size))
        for start in range(0, n, together):
            some = slice(start, start + together)
            values[some] = exact_values(machine, [X[some] for X in rows], background, places)
    else:
        for i in range(n):
            row = [X[i] for X in rows]
            values[i], errors[i] = sampled_values(
                machine,
                row=row,
                said=said[i],
                background=background,
                at_background=at_background,
                places=places,
                orders=orders,
                rng=rng,
            )
    return Shapley(values, errors, at_background.mean(axis=0), said, exact)


def exact_values(
    machine: ModelFunction, rows: list[np.ndarray], background: list[np.ndarray], places: list[list[np.ndarray]]
) -> np.ndarray:
    """Return (2) of some rows: every coalition, against every background row, in one question to the machine."""
    d, size, n = len(places[0]), len(background[0]), len(rows[0])
    member_of = (np.arange(2**d)[:, None] >> np.arange(d)) & 1 == 1
    queries = [np.tile(Z, (n * 2**d, 1)) for Z in background]
    for X, own, at in zip(queries, rows, places):
        of_row = np.repeat(own, 2**d * size, axis=0)
        for j in range(d):
            joins = np.flatnonzero(np.tile(np.repeat(member_of[:, j], size), n))
            X[np.ix_(joins, at[j])] = of_row[np.ix_(joins, at[j])]
    worth = machine.values(queries).reshape(n, 2**d, size, -1).mean(axis=2)
    count = member_of.sum(axis=1)
    share = np.array([factorial(s) * factorial(d - s - 1) / factorial(d) for s in range(d)])
    phi = np.empty((n, d, worth.shape[2]))
    for j in range(d):
        without = np.flatnonzero(~member_of[:, j])
        phi[:, j] = np.einsum("c,ncq->nq", share[count[without]], worth[:, without | (1 << j)] - worth[:, without])
    return phi


def sampled_values(
    machine: ModelFunction,
    row: list[np.ndarray],
    said: np.ndarray,
    background: list[np.ndarray],
    at_background: np.ndarray,
    places: list[list[np.ndarray]],
    orders: int,
    rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray]:
    """Return (3) over walks, and its standard errors by the means of the background rows."""
    d, size = len(places[0]), len(background[0])
    total = np.zeros((size, d, len(said)))
    order = np.zeros((size, d), dtype=np.intp)
    for walk in range(orders):
        order = rng.permuted(np.tile(np.arange(d), (size, 1)), axis=1) if walk % 2 == 0 else order[:, ::-1]
        queries = [np.repeat(Z, d - 1, axis=0) for Z in background] if d > 1 else [Z[:0] for Z in background]
        joined = np.argsort(order, axis=1)  # when a player joins
        for X, x, at in zip(queries, row, places):
            for j in range(d):
                there = (joined[:, [j]] <= np.arange(d - 1)[None, :]).ravel()
                X[np.ix_(there, at[j])] = x[at[j]]
        between = machine.values(queries).reshape(size, d - 1, -1) if d > 1 else np.empty((size, 0, len(said)))
        path = np.concatenate([at_background[:, None, :], between, np.broadcast_to(said, (size, 1, len(said)))], axis=1)
        gains = np.diff(path, axis=1)
        total += np.take_along_axis(gains, joined[:, :, None], axis=1)
    per_row = total / orders
    deviation = per_row.std(axis=0, ddof=1) if size > 1 else np.zeros((d, len(said)))
    return per_row.mean(axis=0), deviation / np.sqrt(size)
