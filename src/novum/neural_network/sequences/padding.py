"""Sequences on the device, one after another, and batches of them filled up to one length.

A batch is as long as its longest sequence; on a GPU, unless all have one length, that is rounded up to a multiple of `STEP`: few
shapes, so that a compiled network is compiled a few times only. The steps behind the end of a sequence hold zeros, and every
network masks them.
"""

from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from novum.neural_network.sequences.vocabulary import Packed

__all__ = ["PaddedBatch", "Ragged"]

STEP = 8  # also what the tensor cores of GPUs want


class PaddedBatch(NamedTuple):
    """Sequences of one batch."""

    values: Tensor  # (n, steps) or (n, steps, d), zeros behind the ends
    lengths: Tensor  # (n,)
    host_lengths: Tensor  # the same on the CPU, for kernels that read it there: no step waits for a copy
    equal: bool  # whether all are as long as the batch: then nothing must be masked

    @property
    def mask_lengths(self) -> Tensor | None:
        """The lengths, or None where nothing is padded."""
        return None if self.equal else self.lengths


class Ragged:
    """Packed sequences as tensors on a device."""

    def __init__(self, packed: Packed, device: Any) -> None:
        values = packed.values if packed.values.dtype.kind == "i" else packed.values.astype(np.float32)
        self.values = torch.as_tensor(values, device=device)
        self.lengths = packed.lengths
        starts = np.cumsum(packed.lengths) - packed.lengths
        self.places = torch.as_tensor(np.stack([starts, packed.lengths]), device=device)  # (2, n)
        self.one_length = bool((packed.lengths == packed.lengths[0]).all()) and bool(packed.lengths[0])
        self.rounded = self.values.is_cuda

    def take(self, index: NDArray, on_device: Tensor) -> PaddedBatch:
        """Return some sequences as one batch; their places are given twice, so that no step waits for a copy."""
        lengths = self.lengths[index]
        starts, ends = self.places[:, on_device]
        if self.one_length:
            table = self.values.unflatten(0, (len(self.lengths), int(self.lengths[0])))
            return PaddedBatch(table[on_device], ends, torch.from_numpy(lengths), True)
        longest = max(int(lengths.max()), 1)
        steps = -(-longest // STEP) * STEP if self.rounded else longest
        offsets = torch.arange(steps, device=self.values.device)
        inside = offsets < ends[:, None]  # (n, steps)
        values = self.values[torch.where(inside, starts[:, None] + offsets, 0)]
        values = values * inside.reshape(*inside.shape, *[1] * (values.ndim - 2)).to(values.dtype)
        return PaddedBatch(values, ends, torch.from_numpy(lengths), bool((lengths == steps).all()))
