"""A device that is not there: tensors of the processor, whose copies to the host are counted, and refused where they hold rows.

Under `elsewhere` no tensor is on the host: `runtime.devices.on_host` says so, and every way from a tensor to NumPy or Python
(`numpy`, `__array__`, `tolist`, `item`, DLPack) raises `CopiedToHost` once more than `most` numbers cross at a time, as sums may
and rows may not. A GPU would raise for `numpy` and `__array__` of any tensor; `cpu` is what novum calls before, and passes.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from unittest import mock

from novum.runtime import devices

WAYS = ("numpy", "__array__", "tolist", "item", "__dlpack__")


class CopiedToHost(RuntimeError):
    """Rows crossed from the device to the host."""


@contextmanager
def elsewhere(most: int = 150) -> Iterator[list[int]]:
    """Treat all tensors as if they were on a GPU; yield the list of how many numbers crossed, a call each."""
    import torch

    crossed: list[int] = []

    def counted(name: str):
        plain = getattr(torch.Tensor, name)

        def crossing(tensor, *args, **kwargs):
            crossed.append(tensor.numel())
            if tensor.numel() > most:
                raise CopiedToHost(f"{tensor.numel()} numbers of shape {tuple(tensor.shape)} cross by {name}")
            return plain(tensor, *args, **kwargs)

        return crossing

    with (
        mock.patch.object(devices, "on_host", lambda tensor: False),
        mock.patch.multiple(torch.Tensor, **{name: counted(name) for name in WAYS}),
    ):
        yield crossed
