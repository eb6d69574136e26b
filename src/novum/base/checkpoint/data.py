"""A checksum of data in memory, and of the rows of a home: one pass.

word = digest of the checksums of chunks (in memory), of blocks in their order (elsewhere)          (1)
"""

import zlib
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse

from novum.fold.blocks import Block, Source
from novum.runtime import arrays, devices
from novum.runtime.journal.values import digest
from novum.runtime.pool import map_ordered
from novum.runtime.threads import thread_count

__all__ = ["data_digest", "rows_digest"]

CHUNK = 2**25  # bytes a thread looks at at a time


def array_digest(values: np.ndarray) -> str:
    """Return (1) of an array."""
    if values.dtype.kind == "O":
        return digest([str(one) for one in values.ravel().tolist()])
    if values.dtype.kind in "Mm":
        values = values.view(np.int64)
    layout = np.asarray(values, order="C" if not values.flags.f_contiguous else "F")
    data = layout.ravel("K").view(np.uint8).data
    starts = range(0, len(data), CHUNK)
    sums = list(map_ordered(lambda at: zlib.crc32(data[at : at + CHUNK]), starts, thread_count()))
    return digest([values.dtype.str, values.shape, layout.flags.c_contiguous, sums])


def tensor_digest(values: Any) -> str:
    """Return a word for a tensor on a device, from sums of its bits that are made there."""
    import torch

    flat = values.detach().contiguous().reshape(-1)
    bits = flat.view({1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[flat.element_size()]).long()
    place = torch.arange(len(bits), device=bits.device)
    sums = torch.stack([bits.sum(), (bits * (2 * place + 1)).sum(), (bits ^ (place * 0x9E3779B1)).sum()])
    return digest([str(values.dtype), tuple(values.shape), sums.cpu().numpy()])


def data_digest(value: Any) -> str:
    """Return (1) of data in memory; a word for its type of what is elsewhere, whose rows a pass compares."""
    if value is None or isinstance(value, Source):
        return digest(None if value is None else type(value).__qualname__)
    if isinstance(value, np.ndarray):
        return array_digest(value)
    if arrays.is_tensor(value):
        return array_digest(arrays.to_numpy(value)) if devices.on_host(value) else tensor_digest(value)
    if scipy.sparse.issparse(value):
        table = value.tocsr()
        return digest([table.shape, *(array_digest(part) for part in (table.data, table.indices, table.indptr))])
    if hasattr(value, "columns") and hasattr(value, "__array__"):
        parts = [array_digest(np.asarray(value[name])) for name in value.columns]
        return digest([[str(name) for name in value.columns], parts])
    if hasattr(value, "dask"):
        return digest(type(value).__qualname__)
    if hasattr(value, "__array__"):
        return array_digest(np.asarray(value))
    if isinstance(value, list | tuple):
        return digest([data_digest(one) for one in value])
    return digest(value)


class Sums(NamedTuple):
    """Checksums of blocks."""

    words: list[str]


def block_sums(_: None, block: Block) -> Sums:
    """Return (1) of one block."""
    return Sums([digest([data_digest(part) for part in (block.X, block.y, block.weight)])])


def rows_digest(source: Any) -> str:
    """Return (1) of the rows of a home, by a pass."""
    return digest(source.total(block_sums).words)
