"""Dates in words and in figures: "3 March 2021" and "2021-03-03"."""

import datetime

import numpy as np


def dates(n, seed):
    """Return n different days of two centuries, in words and in figures."""
    days = np.random.default_rng(seed).choice(73_000, size=n, replace=False)
    found = [datetime.date(1900, 1, 1) + datetime.timedelta(int(day)) for day in days]
    return [f"{day.day} {day:%B %Y}" for day in found], [day.isoformat() for day in found]


def words(n, seed, symbols="abcdef", low=1, high=8):
    """Return n different random words."""
    rng = np.random.default_rng(seed)
    found = {}
    while len(found) < n:
        found["".join(rng.choice(list(symbols), size=rng.integers(low, high + 1)))] = None
    return list(found)
