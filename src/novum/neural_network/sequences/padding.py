"""Sequences on the device, one after another, and batches of them filled up to one length.

A batch is as long as its longest sequence, rounded up to a multiple of `STEP`: few shapes, so that a compiled network is
compiled a few times only. The steps behind the end of a sequence hold zeros; every network masks them.
"""

from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from novum.neural_network.sequences.vocabulary import END, START, Packed

__all__ = ["PaddedBatch", "Ragged", "teacher_forcing"]

STEP = 8  # also what the tensor cores of GPUs want


class PaddedBatch(NamedTuple):
    """Sequences of one batch."""

    values: Tensor  # (n, steps) or (n, steps, d), zeros behind the ends
    lengths: Tensor  # (n,)
    equal: bool  # whether all are as long as the batch: then nothing must be masked

    @property
    def mask_lengths(self) -> Tensor | None:
        """The lengths, or None where nothing is padded."""
        return None if self.equal else self.lengths


class Ragged:
    """Packed sequences as tensors on a device.

    Parameters
    ----------
    packed : Packed
    device : torch.device
    rounded : bool
        Whether lengths of batches are rounded up.
    """

    def __init__(self, packed: Packed, device: Any, rounded: bool = False) -> None:
        values = packed.values
        self.values = torch.as_tensor(values if values.dtype.kind == "i" else values.astype(np.float32), device=device)
        self.lengths = packed.lengths
        self.starts = np.concatenate([[0], np.cumsum(packed.lengths)[:-1]])
        self.on_device = torch.as_tensor(np.stack([self.starts, self.lengths]), device=device)
        self.rounded = rounded

    def __len__(self) -> int:
        return len(self.lengths)

    def take(self, index: NDArray) -> PaddedBatch:
        """Return some sequences as one batch."""
        lengths = self.lengths[index]
        longest = int(lengths.max())
        steps = -(-longest // STEP) * STEP if self.rounded else longest
        equal = bool((lengths == steps).all())
        starts, ends = self.on_device[:, torch.as_tensor(index, device=self.values.device)]
        offsets = torch.arange(steps, device=self.values.device)
        if equal:
            return PaddedBatch(self.values[starts[:, None] + offsets], ends, True)
        inside = offsets < ends[:, None]  # (n, steps)
        rows = torch.where(inside, starts[:, None] + offsets, 0)
        values = self.values[rows]
        inside = inside if values.ndim == 2 else inside[..., None]
        return PaddedBatch(
            torch.where(inside, values, torch.zeros((), dtype=values.dtype, device=values.device)), ends, False
        )


def teacher_forcing(targets: Packed) -> tuple[Packed, Packed]:
    """Return what a decoder reads, START y_1 ... y_n, and what it should say, y_1 ... y_n END: one step further each.

    The notes put END behind the inputs too, which makes them longer than the targets; it is left out.
    """
    ends = np.cumsum(targets.lengths)
    before, lengths = ends - targets.lengths, targets.lengths + 1
    return (
        Packed(np.insert(targets.values, before, START), lengths),
        Packed(np.insert(targets.values, ends, END), lengths),
    )
