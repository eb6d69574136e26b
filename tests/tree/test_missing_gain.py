"""Quinlan's gain ratio (1993, section 3.2) by hand: missing cells leave the gain and are a branch of the split information."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from novum.tree import DecisionTreeClassifier, information_gain_table


def entropy(weights):
    share = np.asarray(weights, dtype=float)
    share = share[share > 0] / share.sum()
    return float(-(share * np.log2(share)).sum())


def quinlan(groups, y, w):
    """Return gain and split information of groups, -1 where the cell is missing, with every sum written out."""
    known, classes = groups >= 0, np.unique(y)
    masses = [[w[known & (groups == v) & (y == c)].sum() for c in classes] for v in np.unique(groups[known])]
    whole, inside = np.sum(masses), np.sum(masses, axis=0)
    gain = entropy(inside) - sum(sum(part) / whole * entropy(part) for part in masses)
    split = [sum(part) for part in masses] + [w[~known].sum()]
    return whole / w.sum() * gain, entropy(split)


@pytest.mark.parametrize("seed", range(12))
def test_random_tables_follow_the_hand_computation(seed):
    rng = np.random.default_rng(seed)
    n, levels = int(rng.integers(12, 80)), int(rng.integers(2, 6))
    code, y = rng.integers(0, levels, n), rng.integers(0, rng.integers(2, 4), n)
    number = rng.normal(size=n).round(1)
    gone = rng.random((n, 2)) < rng.choice([0, 0.1, 0.5])
    w = rng.choice([1.0, 0.5, 3.0], n) if seed % 2 else np.ones(n)
    frame = pd.DataFrame({"a": pd.Categorical(np.where(gone[:, 0], None, np.char.add("v", code.astype(str))))})
    frame["x"] = np.where(gone[:, 1], np.nan, number)
    table = information_gain_table(frame, y, sample_weight=w)
    gain, split = quinlan(np.where(gone[:, 0], -1, code), y, w)
    assert_allclose([table.gain[0], table.split_entropy[0]], [gain, split], rtol=1e-12, atol=1e-14)
    assert_allclose(table.gain_ratio[0], gain / split, rtol=1e-12, atol=1e-14)
    side = np.where(gone[:, 1], -1, number > table.threshold[1])
    gain, split = quinlan(side, y, w)
    assert_allclose([table.gain[1], table.split_entropy[1]], [gain, split], rtol=1e-12, atol=1e-14)


def test_the_tree_takes_the_column_that_the_hand_computation_takes():
    chosen = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        codes, y = rng.integers(0, 3, (40, 4)), rng.integers(0, 2, 40)
        codes[rng.random((40, 4)) < [0.0, 0.2, 0.4, 0.6]] = -1
        frame = pd.DataFrame(
            {f"c{j}": pd.Categorical(np.where(codes[:, j] < 0, None, codes[:, j].astype(str))) for j in range(4)}
        )
        tree = DecisionTreeClassifier(
            criterion="gain_ratio", branching="multiway", missing="fractional", max_depth=1
        ).fit(frame, y)
        found = [quinlan(codes[:, j], y, np.ones(40)) for j in range(4)]
        ratio = np.array([gain / split for gain, split in found])
        if np.diff(np.sort(ratio))[-1] > 1e-9 and tree.tree_.feature[0] >= 0:
            chosen += 1
            assert tree.tree_.feature[0] == ratio.argmax()
    assert chosen > 30
