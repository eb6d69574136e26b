"""PyTorch, where it is needed: the package itself, and the device that a word stands for."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from novum.exceptions import ParameterError

__all__ = ["chosen_device", "needs_torch", "torch_threads"]


def needs_torch(owner: str) -> Any:
    """Return the package PyTorch, or say how to get it."""
    try:
        import torch
    except ImportError as error:
        raise ImportError(f"{owner} needs PyTorch: pip install 'novum[deep]'") from error
    return torch


def chosen_device(owner: str, device: str) -> Any:
    """Return PyTorch's device: the first GPU for "auto" where there is one; raise for a GPU that is not there."""
    torch = needs_torch(owner)
    there = torch.cuda.is_available()
    if device == "auto":
        return torch.device("cuda" if there else "cpu")
    if device.startswith("cuda") and not there:
        raise ParameterError(f"{owner}: device={device!r}, but PyTorch sees no GPU here; give device='auto' or 'cpu'.")
    return torch.device(device)


@contextmanager
def torch_threads(n: int) -> Iterator[None]:
    """Keep PyTorch to so many threads: for small networks more only wait for each other."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(n)
    try:
        yield
    finally:
        torch.set_num_threads(before)
