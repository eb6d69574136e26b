r"""What trees draw at their nodes and rows, on a device: the Philox numbers of cpp/include/novum/runtime/rng.h, bit by bit.

    words = philox(counter, seed),   uniform = (word_1 2^32 + word_0) >> 11, times 2^-53               (1)
    key of a child = mix(key of its parent, side)           cpp/include/novum/trees/node_key.h          (2)

Columns are tried in one of three orders, as those who grow trees elsewhere try them:

    by passes     sorted by uniform numbers of (seed ^ key)          novum.engines.trees.passes.split_rules  (3)
    in memory     list[i] and list[i + below(d - i)] change places    cpp/include/novum/trees/draws.h         (4)
    from codes    (4), and all d of them in turn from a drawn one on  cpp/src/trees/rank_grower.cpp           (5)

Words of 32 bits stand in whole numbers of 64, whose products keep the bits that are wanted.
"""

from typing import Any

from novum.runtime import arrays, devices
from novum.runtime.random import purpose_code

__all__ = [
    *("BY_PASSES", "FROM_CODES", "IN_MEMORY"),
    *("child_keys", "column_order", "signed", "threshold_shares", "uniform_of_rows"),
]

BY_PASSES, FROM_CODES, IN_MEMORY = 0, 1, 2  # who would grow a node elsewhere
WORD = 2**32 - 1
MULTIPLIERS, WEYL, ROUNDS = (0xD2511F53, 0xCD9E8D57), (0x9E3779B9, 0xBB67AE85), 10
COLUMN_DRAW, THRESHOLD_DRAW = 0x636F6C75, 0x74726565
GOLDEN, MIX = 0x9E3779B97F4A7C15, (0xBF58476D1CE4E5B9, 0x94D049BB133111EB)


def signed(number: int) -> int:
    """Return the whole number of 64 bits with sign that has the bits of one without."""
    number &= 2**64 - 1
    return number - 2**64 if number >= 2**63 else number


def philox(counter: tuple[Any, Any, Any, Any], seed: Any) -> tuple[Any, ...]:
    """Return the four words of (1); words of the counter and the seed are tensors or numbers."""
    import torch

    some = next(part for part in (seed, *counter) if arrays.is_tensor(part))
    if devices.runs_kernels(some):
        from novum.engines.trees.device import growth_kernels

        parts = [part if arrays.is_tensor(part) else torch.full_like(some, part) for part in (seed, *counter)]
        seed, *words = (part.contiguous() for part in torch.broadcast_tensors(*parts))
        return tuple(growth_kernels.philox(tuple(words), seed))
    a, b, c, e = counter
    low, high = seed & WORD, (seed >> 32) & WORD
    for _ in range(ROUNDS):
        p, q = a * MULTIPLIERS[0], c * MULTIPLIERS[1]
        a, c = ((q >> 32) & WORD) ^ b ^ low, ((p >> 32) & WORD) ^ e ^ high
        b, e = q & WORD, p & WORD
        low, high = (low + WEYL[0]) & WORD, (high + WEYL[1]) & WORD
    return a, b, c, e


def uniform(words: tuple[Any, ...]) -> Any:
    """Return the numbers of (1)."""
    return ((words[1] << 21) | (words[0] >> 11)).double() * 2.0**-53


def uniform_of_rows(seed: Any, purpose: str, row: Any) -> Any:
    """Return what Stream(seed).uniform(purpose, 0, rows) returns for the rows of a tensor."""
    return uniform(philox((row & WORD, row >> 32, 0, purpose_code(purpose)), seed))


def child_keys(key: Any, right: Any) -> Any:
    """Return (2) of several nodes."""
    key = (key + signed(GOLDEN) + right) * signed(MIX[0])
    key = (key ^ ((key >> 27) & (2**37 - 1))) * signed(MIX[1])
    return key ^ ((key >> 31) & (2**33 - 1))


def draw_at(key: Any, place: Any, purpose: int, seed: Any) -> tuple[Any, ...]:
    """Return the words of nodes for one purpose and place."""
    return philox((key & WORD, (key >> 32) & WORD, place, purpose), seed)


def drawn_places(key: Any, seed: Any, d: int, tried: int) -> Any:
    """Return which of the places i, ..., d - 1 of its list every node tries as number i, (nodes, tried)."""
    import torch

    i = torch.arange(tried, device=key.device)
    low, high, *_ = draw_at(key[:, None], i, COLUMN_DRAW, seed[:, None])
    return i + ((high * (d - i) + ((low * (d - i)) >> 32)) >> 32)


def column_order(kind: Any, key: Any, seed: Any, d: int, tried: int) -> Any:
    """Return the first `tried` columns of every node, (nodes, tried)."""
    import torch

    plain = torch.arange(d, device=key.device)
    if tried == d:
        first = torch.where(kind == FROM_CODES, drawn_places(key, seed, d, 1)[:, 0], 0)
        return (first[:, None] + plain) % d
    out = torch.empty((len(key), tried), dtype=torch.int64, device=key.device)
    some = (kind == BY_PASSES).nonzero()[:, 0]
    if len(some):
        share = uniform_of_rows((seed[some] ^ key[some])[:, None], "columns of a node", plain.expand(len(some), d))
        out[some] = share.sort(dim=1, stable=True).indices[:, :tried]
    some = (kind != BY_PASSES).nonzero()[:, 0]
    if len(some):
        out[some] = shuffled(key[some], seed[some], d, tried)
    return out


def shuffled(key: Any, seed: Any, d: int, tried: int) -> Any:
    """Return (4): the first `tried` places of every node's list."""
    import torch

    listed = torch.arange(d, device=key.device).repeat(len(key), 1)
    places = drawn_places(key, seed, d, tried)
    for i in range(tried):
        place = places[:, i : i + 1]
        chosen = listed.gather(1, place)
        listed.scatter_(1, place, listed[:, i : i + 1].clone())
        listed[:, i : i + 1] = chosen
    return listed[:, :tried]


def threshold_shares(kind: Any, key: Any, seed: Any, columns: Any) -> tuple[Any, Any]:
    """Return where between the least and the largest value of a column a node draws a threshold, and whether gaps go left.

    All are (nodes, tried); for passes the second says nothing, since they look at both sides.
    """
    import torch

    kind, key, seed = (part[:, None].expand_as(columns) for part in (kind, key, seed))
    there = uniform_of_rows(seed ^ key, "thresholds of a node", columns)
    words = draw_at(key, columns, THRESHOLD_DRAW, seed)
    return torch.where(kind == BY_PASSES, there, uniform(words)), words[2] & 1 > 0
