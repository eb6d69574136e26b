"""NIST's linear least squares data sets (StRD, public domain) and exact solutions by rational arithmetic."""

from fractions import Fraction

import numpy as np

LONGLEY = """
60323 83.0 234289 2356 1590 107608 1947
61122 88.5 259426 2325 1456 108632 1948
60171 88.2 258054 3682 1616 109773 1949
61187 89.5 284599 3351 1650 110929 1950
63221 96.2 328975 2099 3099 112075 1951
63639 98.1 346999 1932 3594 113270 1952
64989 99.0 365385 1870 3547 115094 1953
63761 100.0 363112 3578 3350 116219 1954
66019 101.2 397469 2904 3048 117388 1955
67857 104.6 419180 2822 2857 118734 1956
68169 108.4 442769 2936 2798 120445 1957
66513 110.8 444546 4681 2637 121950 1958
68655 112.6 482704 3813 2552 123366 1959
69564 114.2 502601 3931 2514 125368 1960
69331 115.7 518173 4806 2572 127852 1961
70551 116.9 554894 4007 2827 130081 1962
"""


def longley():
    """Return X (16, 6) and y of the Longley data."""
    table = np.array([[float(cell) for cell in line.split()] for line in LONGLEY.strip().splitlines()])
    return table[:, 1:], table[:, 0]


def wampler(which: int):
    """Return X (21, 5) and y of Wampler1 (all coefficients 1) or Wampler2 (0.1 to the power of the degree)."""
    x = np.arange(21.0)
    X = np.stack([x**k for k in range(1, 6)], axis=1)
    base = 1.0 if which == 1 else 0.1
    coef = base ** np.arange(6)
    exact = [sum((Fraction(10) ** -k if which == 2 else 1) * Fraction(int(v)) ** k for k in range(6)) for v in x]
    return X, np.array([float(v) for v in exact]), coef


def exact_least_squares(X, y):
    """Return the exact coefficients (intercept first) of the floating-point data as given, rounded once."""
    rows = [[Fraction(1)] + [Fraction(float(v)) for v in row] for row in X]
    target = [Fraction(float(v)) for v in y]
    p = len(rows[0])
    A = [
        [sum(r[i] * r[j] for r in rows) for j in range(p)] + [sum(r[i] * t for r, t in zip(rows, target))]
        for i in range(p)
    ]
    for i in range(p):
        pivot = next(k for k in range(i, p) if A[k][i] != 0)
        A[i], A[pivot] = A[pivot], A[i]
        A[i] = [v / A[i][i] for v in A[i]]
        for k in range(p):
            if k != i:
                A[k] = [a - A[k][i] * b for a, b in zip(A[k], A[i])]
    return np.array([float(A[i][-1]) for i in range(p)])


def digits(value, truth):
    """Return the number of correct digits of the worst entry."""
    value, truth = np.asarray(value, float), np.asarray(truth, float)
    return float(-np.log10(np.max(np.abs(value - truth) / np.abs(truth)) + 1e-17))
