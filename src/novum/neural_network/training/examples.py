"""Training examples as tensors: what a network learns from, in batches.

A network gives its data as `Examples`; the loop requests the batches of an epoch and takes them one by one. `Tensors` holds
arrays of equal length, which lie on the device as a whole where they fit and are cut there: a step then waits for no copy.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from novum.runtime import arrays

__all__ = ["Examples", "Tensors"]

SHARE = 0.5  # of the free memory of a device that the examples may take


class Examples:
    """What the loop needs of training data; derive and write `__len__`, `take` and `part`."""

    def __len__(self) -> int:
        raise NotImplementedError

    def take(self, index: Any) -> Any:
        """Return the examples at some places (an int64 tensor on the device of the data) as a batch on the device."""
        raise NotImplementedError

    def part(self, index: np.ndarray) -> "Examples":
        """Return some of the examples as examples: the rows held back, the rows that are left."""
        raise NotImplementedError

    def to(self, device: Any) -> "Examples":
        """Return the examples for a device."""
        return self

    def labels(self) -> np.ndarray | None:
        """Return the class of every example, by which rows are held back in proportion; None: at random."""
        return None

    def batches(self, rng: np.random.Generator | None, size: int) -> Sequence[Any]:
        """Return the places of every batch of an epoch: shuffled by `rng`, in order where that is None."""
        import torch

        n = len(self)
        order = torch.arange(n) if rng is None else torch.from_numpy(rng.permutation(n))
        return order.to(self.device).split(size)

    def without_single(self, batches: Sequence[Any]) -> list[Any]:
        """Return batches with the last joined to the one before it where it has a single example."""
        import torch

        *found, before, last = batches
        return [*found, torch.cat([before, last])] if len(last) == 1 else [*found, before, last]

    @property
    def device(self) -> Any:
        """The device on which `take` is given places."""
        import torch

        return torch.device("cpu")

    def weight(self, index: Any) -> Any:
        """Return the total weight of a batch, by which its loss counts in the mean of an epoch."""
        return len(index)


class Tensors(Examples):
    """Tensors of equal length; a batch is a tuple of their rows.

    Parameters
    ----------
    *tensors : torch.Tensor or None
        None stays None in every batch.
    row_weight : torch.Tensor, default=None
        Of every row.
    classes : ndarray or tensor, default=None
        The class of every row as a number.
    """

    def __init__(self, *tensors: Any, row_weight: Any = None, classes: Any = None) -> None:
        self.tensors, self.row_weight, self.classes = tensors, row_weight, classes
        self.target: Any = None  # where batches go, if the tensors themselves stay

    def __len__(self) -> int:
        return len(self.tensors[0])

    def take(self, index: Any) -> tuple[Any, ...]:
        """Return the rows of every tensor, and their weights last where there are any."""
        parts = [None if t is None else t[index] for t in self.tensors]
        if self.row_weight is not None:
            parts.append(self.row_weight[index])
        if self.target is not None:
            parts = [None if t is None else t.to(self.target, non_blocking=True) for t in parts]
        return tuple(parts)

    def part(self, index: np.ndarray) -> "Tensors":
        """Return some rows."""
        import torch

        at = torch.from_numpy(index)
        weight = None if self.row_weight is None else self.row_weight[at]
        classes = None if self.classes is None else self.classes[at if arrays.is_tensor(self.classes) else index]
        return Tensors(*(None if t is None else t[at] for t in self.tensors), row_weight=weight, classes=classes)

    def to(self, device: Any) -> "Tensors":
        """Return the tensors on a device, or batches that go there one by one where they would fill it."""
        import torch

        held = [t for t in (*self.tensors, self.row_weight) if t is not None]
        size = sum(t.element_size() * t.nelement() for t in held)
        fits = device.type == "cpu" or size < SHARE * torch.cuda.mem_get_info(device)[0]
        moved = [None if t is None or not fits else t.to(device) for t in (*self.tensors, self.row_weight)]
        if fits:
            return Tensors(*moved[:-1], row_weight=moved[-1], classes=self.classes)
        twin = Tensors(*self.tensors, row_weight=self.row_weight, classes=self.classes)
        twin.target = device
        return twin

    def labels(self) -> np.ndarray | None:
        """Return the class of every row."""
        return None if self.classes is None else arrays.to_numpy(self.classes)

    @property
    def device(self) -> Any:
        """The device of the tensors."""
        return self.tensors[0].device

    def weight(self, index: Any) -> Any:
        """Return the number of rows, or the sum of their weights."""
        return len(index) if self.row_weight is None else self.row_weight[index].sum()
