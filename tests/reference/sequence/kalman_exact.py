"""Linear dynamical systems in as many digits as asked for: all states of all steps at once, conditioned cell by cell.

Nothing is inverted and nothing is clever: the joint covariance of all states is written down, each observed cell takes its rank-one
part out of it, and digits pay for what cancels. A diffuse start is a variance of 10^200, its logarithm taken off again.
"""

import numpy as np
from mpmath import mp, mpf

DIGITS = 640
KAPPA = 200  # a diffuse variance is 10^200
INFINITE, NOTHING = 100, 350  # 10^100 is infinite, 10^-350 of what it was before all rows is zero
PI = "3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706798214808651"


def exact(array, number=mpf):
    """Return an array of numbers of many digits, to the bit those that were given."""
    array = np.asarray(array, dtype=float)
    return np.array([number(float(v)) for v in array.ravel()], dtype=object).reshape(array.shape)


def root_free_cells(C, R, x):
    """Return rows of C, variances and values with independent noise, R = L D L'."""
    C, R, x, first = C.copy(), R.copy(), x.copy(), np.diagonal(R).copy()
    for j in range(len(x)):
        R[j] = R[j] * (R[j, j] > first[j] * 1e-200)  # what digits leave of an exact zero
        for i in range(j + 1, len(x)):
            if R[j, j] != 0:
                share = R[i, j] / R[j, j]
                R[i], x[i], C[i] = R[i] - share * R[j], x[i] - share * x[j], C[i] - share * C[j]
    return C, np.diagonal(R), x


def exact_states(system, X, diffuse=(), number=mpf, log=mp.log):
    """Return filtered and smoothed means and covariances, lag-one covariances and log p(X) as floats; inf where nothing is known.

    `diffuse` are the states of infinite variance at the start; the caller sets the digits (`mp.workdps(DIGITS)`).
    """
    n = len(X)
    A, Q, C, R = (
        exact(system[name], number)
        for name in ("transition", "transition_covariance", "observation", "observation_covariance")
    )
    b, d = (
        exact(system.get(f"{name}_offset", np.zeros(len(M))), number)
        for name, M in (("transition", A), ("observation", C))
    )
    s, kappa = len(A), number(10) ** KAPPA
    mean, V = exact(np.zeros((n, s)), number), exact(np.zeros((n * s, n * s)), number)
    start = exact(system["initial_covariance"], number)
    for j in diffuse:
        start[j, :] = start[:, j] = number(0)
        start[j, j] = kappa
    mean[0], V[:s, :s] = exact(system["initial_mean"], number), start
    for t in range(n - 1):
        here, there, past = slice(t * s, t * s + s), slice(t * s + s, t * s + 2 * s), slice(0, t * s + s)
        mean[t + 1] = A @ mean[t] + b
        V[there, past] = A @ V[here, past]
        V[past, there] = V[there, past].T
        V[there, there] = A @ V[here, here] @ A.T + Q
    mean = mean.ravel()
    blocks = [slice(t * s, t * s + s) for t in range(n)]
    filtered, total, first = [], number(0), [V[at, at].copy() for at in blocks]
    for t, at in enumerate(blocks):
        seen = np.flatnonzero(~np.isnan(X[t]))
        rows, variances, values = root_free_cells(C[seen], R[np.ix_(seen, seen)], exact(X[t, seen], number) - d[seen])
        for c, r, value in zip(rows, variances, values):
            M = V[:, at] @ c
            F, could = c @ M[at] + r, abs(c) @ abs(first[t]) @ abs(c) + r
            if could * number(10) ** -NOTHING >= F:
                continue
            v = value - c @ mean[at]
            mean, V = mean + M * (v / F), V - np.outer(M, M / F)
            big = number(10) ** INFINITE < F
            total -= (log(2 * number(PI)) + log(F / kappa if big else F) + (0 if big else v * v / F)) / 2
        filtered.append((mean[at], V[at, at]))

    def floats(array):
        return np.array(
            [np.inf * np.sign(v) if abs(v) > 1e100 else v for v in np.asarray(array, dtype=float).ravel()]
        ).reshape(np.shape(array))

    return {
        "log_likelihood": float(total),
        "filtered_means": np.asarray([m for m, _ in filtered], dtype=float),
        "filtered_covariances": floats([W for _, W in filtered]),
        "means": np.asarray(mean.reshape(n, s), dtype=float),
        "covariances": floats([V[at, at] for at in blocks]),
        "lag_one": floats([V[blocks[t + 1], blocks[t]] for t in range(n - 1)]).reshape(n - 1, s, s),
    }
