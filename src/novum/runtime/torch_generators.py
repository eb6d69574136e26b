"""PyTorch's random numbers: every training has generators of its own, one for each device.

PyTorch draws from one generator of the process wherever none is named. Two trainings in two threads would take numbers from each
other, and neither would follow its seed. Here a training opens `own_generators`; what draws in its thread calls `generator` and
passes it on. Some of PyTorch takes none: the first weights of layers, dropout inside attention and recurrent kernels, layers
that somebody else wrote. These run inside `lent_generators`, which lends the state of the training's generator to that of the
process and takes it back, one thread at a time. Either way a seed gives the numbers that `torch.manual_seed` would, and the state
of the user's own generators is as it was.
"""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["generator", "lent_generators", "own_generators", "reseed"]


class _TrainingGenerators:
    """The generators of one training."""

    def __init__(self, seed: int, device: Any) -> None:
        self.seed, self.device = seed % (1 << 63), device
        self.generators: dict[str, Any] = {}

    def of(self, device: Any) -> Any:
        import torch

        name = str(device)
        if name not in self.generators:
            self.generators[name] = torch.Generator(device).manual_seed(self.seed)
        return self.generators[name]


class _InThread(threading.local):
    generators: _TrainingGenerators | None = None


_in_thread = _InThread()
_lock = threading.RLock()
_repeating: dict[str, Any] = {"count": 0, "before": None}  # trainings under way, and cuDNN's settings before the first


def _new_lock() -> None:
    global _lock
    _lock = threading.RLock()  # whoever held it lives in the parent


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_new_lock)


@contextmanager
def own_generators(device: Any, seed: int) -> Iterator[None]:
    """Give this thread generators of its own for a while, seeded, and algorithms of the GPU that repeat."""
    before = _in_thread.generators
    _in_thread.generators = _TrainingGenerators(seed, device)
    _repeat(1)
    try:
        yield
    finally:
        _repeat(-1)
        _in_thread.generators = before


def _repeat(change: int) -> None:
    """Count the trainings that need algorithms that repeat: the first sets them for the process, the last sets them back."""
    import torch

    cudnn = torch.backends.cudnn
    with _lock:
        if _repeating["count"] == 0:
            _repeating["before"] = cudnn.deterministic, cudnn.benchmark
            cudnn.deterministic, cudnn.benchmark = True, False
        _repeating["count"] += change
        if _repeating["count"] == 0:
            cudnn.deterministic, cudnn.benchmark = _repeating["before"]


def reseed(seed: int) -> None:
    """Begin the generators of this thread's training anew."""
    if _in_thread.generators is not None:
        _in_thread.generators = _TrainingGenerators(seed, _in_thread.generators.device)


def generator(device: Any) -> Any:
    """Return the generator to draw from on a device; None, which is PyTorch's own, where nothing is trained."""
    return None if _in_thread.generators is None else _in_thread.generators.of(device)


@contextmanager
def lent_generators() -> Iterator[None]:
    """Let what takes no generator draw from those of this thread's training; others wait meanwhile."""
    training = _in_thread.generators
    if training is None:
        yield
        return
    import torch

    pairs = [(torch.default_generator, training.of("cpu"))]
    if training.device.type == "cuda":
        place = training.device.index if training.device.index is not None else torch.cuda.current_device()
        pairs.append((torch.cuda.default_generators[place], training.of(training.device)))
    with _lock:
        before = [whole.get_state() for whole, _ in pairs]
        try:
            for whole, own in pairs:
                whole.set_state(own.get_state())
            yield
            for whole, own in pairs:
                own.set_state(whole.get_state())
        finally:
            for (whole, _), state in zip(pairs, before):
                whole.set_state(state)
