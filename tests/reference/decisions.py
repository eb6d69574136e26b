"""Bellman's operators, written out over dense arrays P (n, m, n) and R (n, m)."""

import itertools

import numpy as np

__all__ = ["best_by_enumeration", "dense", "optimal_backup", "policy_values"]


def dense(mdp):
    """Return P, R and terminal values of a process, from Gymnasium's table."""
    n, m = mdp.n_states, mdp.n_actions
    P, R = np.zeros((n, m, n)), np.full((n, m), -np.inf)
    for s in range(n):
        if mdp.model.terminal[s]:
            continue
        for a, outcomes in mdp.P[s].items():
            R[s, a] = sum(p * r for p, _, r, _ in outcomes)  # pays what terminal states are worth a step later
            for p, t, _, ended in outcomes:
                if not ended:
                    P[s, a, t] += p
    return P, R


def optimal_backup(P, R, gamma, v, terminal):
    """Return max_a [R + gamma P v] state by state."""
    out = np.zeros(len(v))
    for s in range(len(v)):
        if not terminal[s]:
            out[s] = max(R[s, a] + gamma * sum(P[s, a, t] * v[t] for t in range(len(v))) for a in range(R.shape[1]))
    return out


def policy_values(P, R, gamma, actions, terminal):
    """Return (I - gamma P^pi)^-1 R^pi."""
    n = len(actions)
    A, b = np.eye(n), np.zeros(n)
    for s in range(n):
        if not terminal[s]:
            A[s] -= gamma * P[s, actions[s]]
            b[s] = R[s, actions[s]]
    return np.linalg.solve(A, b)


def best_by_enumeration(P, R, gamma, terminal):
    """Return the values of the best of all deterministic policies."""
    choices = [[0] if terminal[s] else np.flatnonzero(np.isfinite(R[s])) for s in range(len(R))]
    return np.max([policy_values(P, R, gamma, pick, terminal) for pick in itertools.product(*choices)], axis=0)
