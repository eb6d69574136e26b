"""PyTorch, where it is needed: the package itself, the device that a word stands for, and what runs on a device."""

import importlib.util
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from novum.exceptions import ParameterError

__all__ = ["chosen_device", "has_triton", "needs_torch", "on_host", "processors", "runs_kernels", "torch_threads"]

LEAST_CAPABILITY = (8, 0)  # Ampere: the first with matrix units for bfloat16 and float64


def needs_torch(owner: str) -> Any:
    """Return the package PyTorch, or say how to get it."""
    try:
        import torch
    except ImportError as error:
        raise ImportError(f"{owner} needs PyTorch: pip install 'novum[deep]'") from error
    return torch


def on_host(tensor: Any) -> bool:
    """Return whether a tensor lies in the memory of the processor, where NumPy reads it without a copy."""
    return bool(tensor.device.type == "cpu")


def runs_kernels(tensor: Any) -> bool:
    """Return whether the Triton kernels of novum run where a tensor lies; the same is else said in PyTorch."""
    return bool(tensor.device.type == "cuda") and device_runs_kernels(tensor.device)


@cache
def device_runs_kernels(device: Any) -> bool:
    """Return whether a GPU is of NVIDIA's kind and recent enough, and Triton is there (it comes with PyTorch for CUDA)."""
    import torch

    if torch.version.cuda is None or not has_triton():
        return False
    return torch.cuda.get_device_capability(device) >= LEAST_CAPABILITY


@cache
def has_triton() -> bool:
    """Return whether kernels can be compiled for a GPU: Triton comes with PyTorch's builds for CUDA, and with no other."""
    return importlib.util.find_spec("triton") is not None


def processors(tensor: Any) -> int:
    """Return how many multiprocessors the device of a tensor has; one where it is no GPU."""
    import torch

    if tensor.device.type != "cuda":
        return 1
    return int(torch.cuda.get_device_properties(tensor.device).multi_processor_count)


def chosen_device(owner: str, device: str) -> Any:
    """Return PyTorch's device: the first GPU for "auto" where there is one; raise for a GPU that is not there."""
    torch = needs_torch(owner)
    there = torch.cuda.is_available()
    if device == "auto":
        return torch.device("cuda" if there else "cpu")
    if device.startswith("cuda") and not there:
        raise ParameterError(f"{owner}: device={device!r}, but PyTorch sees no GPU here; give device='auto' or 'cpu'.")
    return torch.device(device)


_limited: dict[str, int] = {
    "count": 0,
    "before": 0,
}  # how many hold PyTorch to few threads, and what it had before the first
_lock = threading.Lock()


@contextmanager
def torch_threads(n: int) -> Iterator[None]:
    """Keep PyTorch to so many threads: for small networks more only wait for each other.

    The number belongs to the process: of several that ask at once the first notes what it was, and the last sets it back.
    """
    import torch

    with _lock:
        if _limited["count"] == 0:
            _limited["before"] = torch.get_num_threads()
        _limited["count"] += 1
    torch.set_num_threads(n)
    try:
        yield
    finally:
        with _lock:
            _limited["count"] -= 1
            if _limited["count"] == 0:
                torch.set_num_threads(_limited["before"])
