"""The parameters of training, which every network on PyTorch has: written once, in its signature and in its documentation.

A constructor states what is its own and is marked `@stores_training`; the parameters below join its signature as keywords. One
that it names itself, for another default, stays as it is written there. In the docstring of the class the line `[training]`
becomes their descriptions.
"""

import inspect
import os
import re
from collections.abc import Callable
from typing import Any

from novum.base.domains import Bool, Choice, Domain, Instance, Int, Null, RandomState, Real
from novum.base.parameters import stores

__all__ = ["TRAINING", "document_training", "stores_training"]

OPTIMIZERS = ("sgd", "momentum", "nesterov", "adagrad", "rmsprop", "adam", "adamw")
SCHEDULES = ("constant", "linear", "cosine", "step", "plateau")

DEFAULTS: dict[str, Any] = {
    "max_epochs": 50,
    "batch_size": 64,
    "learning_rate": 1e-3,
    "optimizer": "adam",
    "weight_decay": 0.0,
    "schedule": "constant",
    "warmup_steps": 0,
    "clip_norm": None,
    "averaging": None,
    "validation_fraction": 0.0,
    "patience": 10,
    "tol": 1e-4,
    "mixed_precision": "auto",
    "compile": False,
    "checkpoint": None,
    "device": "auto",
    "verbose": False,
    "random_state": None,
}
TRAINING: dict[str, Domain] = {
    "max_epochs": Int(1),
    "batch_size": Int(1),
    "learning_rate": Real(0, open="low"),
    "optimizer": Choice(*OPTIMIZERS),
    "weight_decay": Real(0),
    "schedule": Choice(*SCHEDULES),
    "warmup_steps": Int(0),
    "clip_norm": Null() | Real(0, open="low"),
    "averaging": Null() | Real(0, 1, open="both"),
    "validation_fraction": Real(0, 1, open="high"),
    "patience": Null() | Int(1),
    "tol": Real(0),
    "mixed_precision": Choice("auto") | Bool(),
    "compile": Bool(),
    "checkpoint": Null() | Instance(str) | Instance(os.PathLike),
    "device": Choice("auto", "cpu", "cuda"),
    "verbose": Bool(),
    "random_state": RandomState(),
}
TEXTS = """max_epochs : int
    Most passes over the training rows.
batch_size : int
    Rows of a step.
learning_rate : float
    The length of the first step, before `schedule` shortens it.
optimizer : {"sgd", "momentum", "nesterov", "adagrad", "rmsprop", "adam", "adamw"}
    The rule of a step; momentum is .9.
weight_decay : float
    Weight of half the sum of squared weights in what is minimised ("adamw": the share by which weights shrink at a step).
schedule : {"constant", "linear", "cosine", "step", "plateau"}
    How the rate falls: not at all, to zero along a line or half a cosine over all epochs, to a tenth after one half and after
    three quarters of them, or to a tenth whenever the loss has not fallen for half of `patience` epochs.
warmup_steps : int
    Steps over which the rate first rises from zero.
clip_norm : float or None
    Longest gradient of a step; longer ones are shortened. None: as they are.
averaging : float or None
    Decay of the exponential average of the weights over steps, which then predicts; None: the last weights do.
validation_fraction : float
    Share of the rows held back to watch the loss; the weights of the best epoch are kept. `fit(validation=...)` brings its own.
patience : int or None
    Epochs without a gain of `tol` in the loss (on the rows held back, or else in training) after which training ends.
    None: after max_epochs.
tol : float
    See `patience`; a share of the loss.
mixed_precision : bool or "auto"
    Multiply in bfloat16; "auto": on a GPU.
compile : bool
    Compile the network with PyTorch's compiler: a minute at first, faster steps on a GPU.
checkpoint : path or None
    File that is written after every epoch, from which `resume` goes on to the same curve.
device : {"auto", "cpu", "cuda"}
    Where to train and to predict; "auto": on a GPU if there is one.
verbose : bool
    Print a line for every epoch.
random_state : int, numpy Generator, RandomState, SeedSequence or None
    Weights, order of rows, dropout. An int: the same network every time, on one machine and device."""


def stores_training(init: Callable) -> Callable:
    """Return a constructor that stores its own parameters and those of training."""
    own = inspect.signature(init)
    kind = inspect.Parameter.KEYWORD_ONLY
    more = [
        inspect.Parameter(name, kind, default=value) for name, value in DEFAULTS.items() if name not in own.parameters
    ]

    def full(self: Any) -> None: ...

    full.__signature__ = own.replace(parameters=[*own.parameters.values(), *more])  # type: ignore[attr-defined]
    full.__doc__, full.__module__, full.__qualname__ = init.__doc__, init.__module__, init.__qualname__
    made = stores(full)
    made.__name__ = "__init__"
    return made


def document_training(cls: type) -> None:
    """Replace the line `[training]` in the docstring of a class by the parameters of training, with the defaults of the class."""
    doc = cls.__doc__
    if doc is None or "[training]" not in doc:
        return
    signature = inspect.signature(cls.__init__).parameters  # type: ignore[misc]
    own = set(re.findall(r"^(\w+) : ", inspect.cleandoc(doc), re.M))
    entries = [part for part in re.split(r"\n(?=\w)", TEXTS) if part.split(" : ")[0] not in own]
    lines = []
    for entry in entries:
        head, _, rest = entry.partition("\n")
        lines.append(f"{head}, default={signature[head.split(' : ')[0]].default!r}\n{rest}")
    cls.__doc__ = inspect.cleandoc(doc).replace("[training]", "\n".join(lines))
