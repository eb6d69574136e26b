r"""What a split gains, for many nodes at once: groups of rows as arrays over (..., group, channel).

The channels of a group add up over its rows: the weights W_k of the classes, or for numbers W, sum w y, sum w y^2. From them come

    mass          W I: entropy  sum_k W_k log2(W / W_k), gini  W - sum_k W_k^2 / W, variance  sum w y^2 - (sum w y)^2 / W     (1)
    gain          (mass(S) - sum_v mass(S_v)) / W                                              (2)
    split entropy -sum_v W_v / W log2 (W_v / W)                                                (3)
    gain ratio    (2) / (3), and 0 where (3) is 0                                              (4)

Rows without the cell are M. They are left out of the gain, which then counts by the share of known rows,

    fractional    gain of the known rows times W_known / W                                     (5)

while in (3) they are a group of their own, W counting them too: a column that is seldom known splits into one group more
(Quinlan 1993, section 3.2). Or they join the largest group ("fill"), the largest of their own class ("fill_by_class"), or the
group where they make sum_v mass(S_v) least ("best_side"). Whether groups and classes are independent is tested by

    chi2 = sum_vk (W_vk - E_vk)^2 / E_vk,   E_vk = W_v W_k / W,   (groups - 1)(classes - 1) degrees of freedom               (6)
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc

from novum.engines.trees.exact import Target

__all__ = ["Judged", "channels", "gain_ratio", "independence", "judge", "masses", "n_channels", "tables", "weights"]

SHORT = 16  # classes up to which channels are added one by one
ENTROPIES = ("entropy", "log_loss", "gain_ratio")


class Judged(NamedTuple):
    """A split of every node, with the rows whose cell is missing."""

    gain: NDArray  # (...,)
    split_entropy: NDArray  # (...,)
    missing: NDArray  # (...,) group that missing cells go to


def n_channels(target: Target) -> int:
    """Return the number of sums that describe a group."""
    return int(target.n_classes.sum()) if target.y is None else 1 + 2 * len(target.n_classes)


def channels(target: Target, row: NDArray, weight: NDArray) -> NDArray:
    """Return the channels of single rows, (len(row), channels)."""
    if target.y is not None:
        wy = weight[:, None] * target.y[row]
        return np.concatenate([weight[:, None], wy, wy * target.y[row]], axis=1)
    assert target.code is not None
    out = np.zeros((len(row), n_channels(target)))
    first = np.concatenate([[0], np.cumsum(target.n_classes)[:-1]])
    for o, begin in enumerate(first):
        out[np.arange(len(row)), begin + target.code[row, o]] = weight
    return out


def tables(target: Target, group: NDArray, size: int, row: NDArray | slice, weight: NDArray) -> NDArray:
    """Return the channels of groups 0, ..., size - 1, (size, channels)."""
    if target.y is not None:
        y = target.y[row].T
        sums = [weight, *(weight * one for one in y), *(weight * one * one for one in y)]
        return np.stack([sums_by_bin(group, one, size) for one in sums], axis=1)
    assert target.code is not None
    parts = [
        sums_by_bin(group * k + target.code[row, o], weight, size * k).reshape(size, k)
        for o, k in enumerate(target.n_classes.tolist())
    ]
    return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)


def sums_by_bin(group: NDArray, weight: NDArray, size: int) -> NDArray:
    """Return the sums of weights by group as floats, also of no rows at all."""
    return np.bincount(group, weight, size).astype(np.float64, copy=False)


def add_last(table: NDArray) -> NDArray:
    """Return the sum over the last axis; NumPy's own is slow where that is short."""
    if table.shape[-1] > SHORT:
        return table.sum(-1)
    out = table[..., 0].copy()
    for k in range(1, table.shape[-1]):
        out += table[..., k]
    return out


def weights(target: Target, table: NDArray) -> NDArray:
    """Return the weight of groups (..., channels)."""
    return table[..., 0] if target.y is not None else add_last(table[..., : target.n_classes[0]])


def times_log(x: NDArray) -> NDArray:
    """Return x log2 x, 0 at 0."""
    return x * np.log2(np.where(x > 0, x, 1.0))


def masses(target: Target, table: NDArray) -> NDArray:
    """Return (1) of groups (..., channels), the mean over outputs."""
    total = weights(target, table)
    safe = np.where(total > 0, total, 1.0)
    outputs = len(target.n_classes)
    if target.y is not None:
        first, second = table[..., 1 : 1 + outputs], table[..., 1 + outputs :]
        return np.maximum(second - first**2 / safe[..., None], 0.0).mean(-1)
    entropy = target.criterion in ENTROPIES
    out, end = np.zeros_like(total), np.cumsum(target.n_classes)
    for k, stop in zip(target.n_classes, end):
        part = table[..., stop - k : stop]
        if entropy:
            out += times_log(total) - add_last(times_log(part))
        else:
            out += total - add_last(part**2) / safe
    return np.maximum(out, 0.0) / outputs


def join_missing(target: Target, groups: NDArray, missing: NDArray, policy: str) -> tuple[NDArray, NDArray]:
    """Return the groups with the missing rows in them, and the group that new missing cells go to."""
    size = weights(target, groups)  # (..., V)
    heaviest = size.argmax(-1)
    lost = weights(target, missing)
    if policy == "fractional" or not lost.any():
        return groups, heaviest
    place = np.arange(groups.shape[-2])
    if policy == "best_side":
        rise = masses(target, groups + missing[..., None, :]) - masses(target, groups)
        best = np.where(size > 0, rise, np.inf).argmin(-1)
        heaviest = np.where(lost > 0, best, heaviest)
    if policy != "fill_by_class":
        return groups + (heaviest[..., None] == place)[..., None] * missing[..., None, :], heaviest
    own = np.where(groups.any(-2), groups.argmax(-2), heaviest[..., None])  # (..., channels)
    return groups + (own[..., None, :] == place[:, None]) * missing[..., None, :], heaviest


def judge(target: Target, groups: NDArray, missing: NDArray, policy: str) -> Judged:
    """Return gain (2), (5) and split entropy (3) of groups (..., V, channels) and missing rows (..., channels)."""
    full, heaviest = join_missing(target, groups, missing, policy)
    whole, size = full.sum(-2), weights(target, full)
    total = size.sum(-1)
    safe = np.where(total > 0, total, 1.0)
    gain = (masses(target, whole) - masses(target, full).sum(-1)) / safe
    if policy == "fractional":
        lost = weights(target, missing)
        safe = np.maximum(total + lost, np.finfo(float).tiny)
        gain, size = gain * total / safe, np.concatenate([size, lost[..., None]], axis=-1)
    entropy = -times_log(size / safe[..., None]).sum(-1) + 0.0
    return Judged(gain, entropy, heaviest)


def gain_ratio(gain: NDArray, split_entropy: NDArray) -> NDArray:
    """Return (4)."""
    return np.where(split_entropy > 0, gain / np.where(split_entropy > 0, split_entropy, 1.0), 0.0)


def independence(table: NDArray) -> NDArray:
    """Return the probability of (6) or more, had groups nothing to do with classes; table (..., V, classes)."""
    row, column = table.sum(-1), table.sum(-2)
    total = np.maximum(column.sum(-1), np.finfo(float).tiny)[..., None, None]
    expected = row[..., :, None] * column[..., None, :] / total
    chi2 = np.where(expected > 0, (table - expected) ** 2 / np.where(expected > 0, expected, 1.0), 0.0).sum((-1, -2))
    freedom = (np.count_nonzero(row, axis=-1) - 1) * (np.count_nonzero(column, axis=-1) - 1)
    return np.where(freedom > 0, chdtrc(np.maximum(freedom, 1), chi2), 1.0)
