"""Keys of rows: SplitMix64 by whole numbers of Python, and no trace of where a block begins."""

import numpy as np

from novum.runtime.row_order import row_keys

MASK = 2**64 - 1


def split_mix(z):
    z = (z + 0x9E3779B97F4A7C15) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def test_keys_are_split_mix_of_key_and_row():
    assert split_mix(0) == 0xE220A8397B1DCDAF  # the first number of SplitMix64 from seed 0
    for key in (0, 7, 2**63 + 5, -1):
        expected = [split_mix((split_mix(key & MASK) + row * 0x9E3779B97F4A7C15) & MASK) for row in range(40, 60)]
        assert row_keys(key, 40, 20).tolist() == expected
    assert row_keys(1, 0, 0).shape == (0,)


def test_keys_order_rows_evenly():
    order = np.argsort(row_keys(3, 0, 10_000), kind="stable")
    assert sorted(order.tolist()) == list(range(10_000))
    assert abs(np.corrcoef(order, np.arange(10_000))[0, 1]) < 0.04
