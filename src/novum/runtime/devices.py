"""PyTorch, where it is needed: the package itself, the device that a word stands for, chance that leaves the user's alone."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from novum.exceptions import ParameterError

__all__ = ["chosen_device", "needs_torch", "own_chance", "torch_threads"]


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
def own_chance(device: Any, seed: int) -> Iterator[None]:
    """Seed PyTorch for a while, on the CPU and on a device, with algorithms that repeat; then put everything back."""
    import torch

    devices = [device] if device.type == "cuda" else []
    cudnn = torch.backends.cudnn
    before = cudnn.deterministic, cudnn.benchmark
    with torch.random.fork_rng(devices=devices):
        torch.manual_seed(seed % (1 << 63))
        cudnn.deterministic, cudnn.benchmark = True, False
        try:
            yield
        finally:
            cudnn.deterministic, cudnn.benchmark = before


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
