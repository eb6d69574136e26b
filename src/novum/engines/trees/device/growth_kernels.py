"""What growing trees do most, as kernels of Triton: rows into histograms of the columns that their node tries, and Philox numbers.

Sums are whole numbers, so their order changes no bit.
"""

# mypy: disallow-untyped-defs=False
from typing import Any

import triton
import triton.language as tl

__all__ = ["add_rows", "philox"]

BLOCK = 256  # rows, or numbers, of a program


@triton.jit
def _add_rows(
    place,
    owner,
    row,
    mass,
    moment,
    label,
    columns,
    codes,
    sums,
    rows,
    size,
    d,
    tried,
    width,
    channels,
    NUMBERS: tl.constexpr,
    PACKED: tl.constexpr,
    BLOCK: tl.constexpr,
):
    entry = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    there = entry < size
    at = tl.load(place + entry, mask=there, other=0)
    node = tl.load(owner + entry, mask=there, other=0)
    number = tl.load(row + at, mask=there, other=0).to(tl.int64)
    value = tl.load(mass + at, mask=there, other=0).to(tl.int64)
    if PACKED:
        value += 4294967296  # a row in the upper half of the word
    channel = tl.zeros((BLOCK,), dtype=tl.int64) + 1
    if NUMBERS:
        first = tl.load(moment + at, mask=there, other=0).to(tl.int64)
    else:
        channel = tl.load(label + number, mask=there, other=0).to(tl.int64)
    j = 0
    while j < tried:
        column = tl.load(columns + node * tried + j, mask=there, other=0)
        code = tl.load(codes + number * d + column, mask=there, other=0).to(tl.int64)
        cell = (node * tried + j) * width + code
        tl.atomic_add(sums + cell * channels + channel, value, mask=there, sem="relaxed")
        if NUMBERS:
            tl.atomic_add(sums + cell * channels, first, mask=there, sem="relaxed")
        if not PACKED:
            tl.atomic_add(rows + cell, tl.full((BLOCK,), 1, tl.int64), mask=there, sem="relaxed")
        j += 1


@triton.jit
def _philox(first, second, third, fourth, seed, out, size, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    there = at < size
    c0 = tl.load(first + at, mask=there, other=0).to(tl.uint32)
    c1 = tl.load(second + at, mask=there, other=0).to(tl.uint32)
    c2 = tl.load(third + at, mask=there, other=0).to(tl.uint32)
    c3 = tl.load(fourth + at, mask=there, other=0).to(tl.uint32)
    w0, w1, w2, w3 = tl.philox(tl.load(seed + at, mask=there, other=0), c0, c1, c2, c3)
    tl.store(out + at, w0.to(tl.int64), mask=there)
    tl.store(out + size + at, w1.to(tl.int64), mask=there)
    tl.store(out + 2 * size + at, w2.to(tl.int64), mask=there)
    tl.store(out + 3 * size + at, w3.to(tl.int64), mask=there)


def add_rows(drawn: Any, place: Any, owner: Any, columns: Any, into: tuple[Any, Any], packed: bool) -> None:
    """Add rows to histograms (nodes, tried, width, channels) and, unless `packed`, to numbers of rows (nodes, tried, width).

    Packed, every mass has its row counted in the upper 32 bits.
    """
    (sums, rows), numbers = into, drawn.label is None
    d, tried = drawn.codes.shape[1], columns.shape[1]
    width = sums.shape[0] // (columns.shape[0] * tried)
    _add_rows[(triton.cdiv(len(place), BLOCK),)](
        place,
        owner=owner,
        row=drawn.row,
        mass=drawn.mass,
        moment=drawn.moment if numbers else drawn.mass,
        label=drawn.row if numbers else drawn.label,
        columns=columns.contiguous(),
        codes=drawn.codes,
        sums=sums,
        rows=rows,
        size=len(place),
        d=d,
        tried=tried,
        width=width,
        channels=drawn.channels,
        NUMBERS=numbers,
        PACKED=packed,
        BLOCK=BLOCK,
    )


def philox(counter: tuple[Any, ...], seed: Any) -> Any:
    """Return the four words (4, ...) of Philox4x32-10 for counters and seeds of one shape, in whole numbers of 64 bits."""
    out = seed.new_empty((4, *seed.shape))
    first, second, third, fourth = counter
    _philox[(triton.cdiv(seed.numel(), BLOCK),)](
        first,
        second=second,
        third=third,
        fourth=fourth,
        seed=seed,
        out=out,
        size=seed.numel(),
        BLOCK=BLOCK,
    )
    return out
