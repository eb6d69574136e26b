r"""Quantiles of groups of rows by passes over blocks, without a list of their values.

With the values of a group in rising order and W_i the weight up to value i, W of all,

    low  = the first i with W_i >= level W,   high = the first with W_i > level W,   both up to rounding   (1)
    quantile = (x_low + x_high) / 2                                                                    (2)

A float is looked for digit by digit: read as a whole number that rises with it, its highest 11 bits first. A pass returns, for
every group, the weight at every value of the next digit among the rows that agree with what is known so far; six passes settle
all 64 bits. Weights are summed as two whole numbers, so blocks may be cut anywhere.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Digits", "Probe", "digit_sums", "group_quantiles"]

DIGIT = 11
BITS = 64
TIE = 1e-12  # relative: cumulated weights this close to a quantile count as equal to it, as in novum.losses
HALF = 2.0**26
SIGN = np.uint64(1 << 63)


class Probe(NamedTuple):
    """What is known of the low and the high value of every group."""

    prefix: NDArray  # (2, groups) uint64: leading bits
    known: int  # how many of them
    digit: int  # bits that are requested
    unit: float  # of the weights


class Digits(NamedTuple):
    """Weight by the next digit: upper and lower halves."""

    upper: NDArray  # (2, groups, 2^digit) int64
    lower: NDArray
    lost: int = 0


def rising(values: NDArray) -> NDArray:
    """Return whole numbers in the order of the floats; both zeros are one."""
    bits = (np.asarray(values, np.float64) + 0.0).view(np.uint64)
    return np.where(bits & SIGN, ~bits, bits | SIGN)


def floats(keys: NDArray) -> NDArray:
    """Return the floats of such numbers."""
    return np.where(keys & SIGN, keys ^ SIGN, ~keys).view(np.float64)


def digit_sums(probe: Probe, group: NDArray, values: NDArray, weight: NDArray | None) -> Digits:
    """Return the weights by digit of the rows of one block; `group` is -1 for rows that do not count."""
    groups, width = probe.prefix.shape[1], 1 << probe.digit
    upper, lower = np.zeros((2, groups, width), np.int64), np.zeros((2, groups, width), np.int64)
    here = group >= 0
    group, key = group[here], rising(values[here])
    whole = np.ones(len(key)) if weight is None else np.rint(weight[here] / probe.unit)
    high = np.floor(whole / HALF)
    rest = np.uint64(BITS - probe.known - probe.digit)
    digit = ((key >> rest) & np.uint64(width - 1)).astype(np.int64)
    for side in (0, 1):
        agrees = np.ones(len(key), bool)
        if probe.known:
            agrees = key >> np.uint64(BITS - probe.known) == probe.prefix[side][group]
        place = group[agrees] * width + digit[agrees]
        for out, part in ((upper, high), (lower, whole - high * HALF)):
            out[side] = np.bincount(place, part[agrees], groups * width).reshape(groups, width)
    return Digits(upper, lower)


def group_quantiles(ask: Callable[[Probe], Digits], groups: int, level: float, unit: float) -> NDArray:
    """Return (2) of every group that has rows; `ask` makes a pass and merges by addition, `unit` that of the weights."""
    prefix, below = np.zeros((2, groups), np.uint64), np.zeros((2, groups))
    total = np.zeros(groups)
    known = 0
    while known < BITS:
        digit = min(DIGIT, BITS - known)
        found = ask(Probe(prefix, known, digit, unit))
        mass = found.upper * HALF + found.lower  # (2, groups, 2^digit), in units; sums of fewer than 2^53 are exact
        if known == 0:
            total = mass[0].sum(axis=1)
        reached = below[:, :, None] + np.cumsum(mass, axis=2)
        wanted, slack = (level * total)[:, None], (TIE * total)[:, None]
        enough = np.stack([reached[0] >= wanted - slack, reached[1] > wanted + slack]) & (mass > 0)
        last = mass.shape[2] - 1 - np.argmax(mass[:, :, ::-1] > 0, axis=2)
        chosen = np.where(enough.any(axis=2), np.argmax(enough, axis=2), last)
        at = chosen[:, :, None]
        below = np.take_along_axis(reached - mass, at, axis=2)[:, :, 0]
        prefix = prefix << np.uint64(digit) | chosen.astype(np.uint64)
        known += digit
    low, high = floats(np.minimum(prefix[0], prefix[1])), floats(prefix[1])
    return (low + high) / 2
