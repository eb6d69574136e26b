"""Philox4x32-10 and the draws of `novum/runtime/rng.h`, one Python integer at a time: slow, obvious, the oracle of the
compiled ones.
"""

import math

import numpy as np
from scipy.special import ndtri

MASK = 0xFFFFFFFF


def philox(counter, key):
    """Ten rounds on four 32-bit words; key is 64 bits. Salmon, Moraes, Dror and Shaw (2011), section 3.3."""
    c0, c1, c2, c3 = counter
    k0, k1 = key & MASK, key >> 32
    for _ in range(10):
        p0, p1 = 0xD2511F53 * c0, 0xCD9E8D57 * c2
        c0, c1, c2, c3 = (p1 >> 32) ^ c1 ^ k0, p1 & MASK, (p0 >> 32) ^ c3 ^ k1, p0 & MASK
        k0, k1 = (k0 + 0x9E3779B9) & MASK, (k1 + 0xBB67AE85) & MASK
    return [c0, c1, c2, c3]


def bits(seed, purpose, iteration, row, column=0):
    """(1)"""
    words = philox((row & MASK, (row >> 32) | (column // 2) << 12, iteration, purpose), seed)
    return words[2 * (column % 2) + 1] << 32 | words[2 * (column % 2)]


def uniform(bits):
    """(2)"""
    return (bits >> 11) / 2**53


def open_uniform(bits):
    """(3)"""
    return ((bits >> 12) + 0.5) / 2**52


def below(bits, n):
    """(4)"""
    return bits * n >> 64


def normal(bits):
    """(5)"""
    return float(ndtri(open_uniform(bits)))


def exponential(bits):
    """(6)"""
    return -math.log(open_uniform(bits))


def table(draw, seed, purpose, iteration, rows, columns, *args):
    """Return draw(bits) of every row and column."""
    return np.array(
        [[draw(bits(seed, purpose, iteration, row, column), *args) for column in range(columns)] for row in rows]
    )


def permutation(seed, purpose, iteration, n):
    """Fisher and Yates, place i swapped with a place up to i by the number of row i."""
    order = list(range(n))
    for i in range(n - 1, 0, -1):
        j = below(bits(seed, purpose, iteration, i), i + 1)
        order[i], order[j] = order[j], order[i]
    return np.array(order, dtype=np.int64)
