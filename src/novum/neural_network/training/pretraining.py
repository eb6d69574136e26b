"""Networks that do not begin at random: weights from another task, or from smaller networks trained first.

Transfer: every weight outside the part called `head` comes from the old network; what is frozen is not trained, and its batch
norms keep the moments of the old data. Supervised pre-training grows the network: train its first layers with a head of their
own, add the next layers with a new head, and so on; then all of it is trained.
"""

from typing import Any

import numpy as np

from novum.base.callbacks import SILENT
from novum.exceptions import DataError, ParameterError
from novum.runtime.checks import is_true
from novum.runtime.devices import chosen_device
from novum.runtime.torch_generators import reseed

__all__ = ["copy_body", "freeze_layers", "pretrain"]


def is_head(name: str) -> bool:
    """Return whether a weight belongs to the part that a new task replaces."""
    return name.startswith(("head.", "auxiliary."))


def copy_body(module: Any, weights: dict[str, np.ndarray]) -> None:
    """Write all weights but those of heads into a network; raise where the two do not fit."""
    import torch

    state = module.state_dict()
    for name, value in state.items():
        if is_head(name):
            continue
        if name not in weights or weights[name].shape != tuple(value.shape):
            found = weights[name].shape if name in weights else "not there"
            raise DataError(
                f"transfer: weight {name!r} has the shape {tuple(value.shape)} here, and is {found} in the old network."
            )
        value.copy_(torch.from_numpy(np.array(weights[name])))


def freeze_layers(module: Any, freeze: bool | int) -> None:
    """Take weights out of training: all but the head, or those of the first so many layers."""
    layers = [
        part
        for name, part in module.named_modules()
        if list(part.parameters(recurse=False)) and not is_head(f"{name}.")
    ]
    if not isinstance(freeze, bool | np.bool_) and freeze > len(layers):
        raise ParameterError(
            f"transfer: freeze={freeze}, and the network has {len(layers)} layers with weights before its head."
        )
    for part in layers if is_true(freeze) else layers[: int(freeze)]:
        for weight in part.parameters(recurse=False):
            weight.requires_grad_(False)


def pretrain(estimator: Any, module: Any, examples: Any, seed: int, config: dict[str, Any]) -> None:
    """Train the smaller networks of `estimator._stages`, one after the other, and leave what they learned in `module`."""
    from sklearn.base import clone

    from novum.neural_network.training.loop import Training

    learned: dict[str, np.ndarray] = {}
    epochs = estimator._stage_epochs()
    short = clone(estimator).set_params(max_epochs=epochs, checkpoint=None, compile=False)
    device = chosen_device(type(estimator).__name__, estimator.device)
    for stage in estimator._stages(config):
        small = estimator._built(stage)
        take_over(small, learned)
        training = Training(short, small.to(device), examples, None, seed, stage)
        training.go(SILENT)
        learned = training.weights()
    take_over(module, learned)
    reseed(seed)


def take_over(module: Any, weights: dict[str, np.ndarray]) -> None:
    """Write weights outside heads into a larger network wherever it has one of that name and shape."""
    import torch

    for name, value in module.state_dict().items():
        if not is_head(name) and name in weights and weights[name].shape == tuple(value.shape):
            value.copy_(torch.from_numpy(np.array(weights[name])))
