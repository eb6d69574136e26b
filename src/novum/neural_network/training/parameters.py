"""What the parameters of training may be, which every network on PyTorch has."""

import os

from novum.base.domains import Bool, Choice, Domain, Instance, Int, Null, RandomState, Real

__all__ = ["TRAINING"]

OPTIMIZERS = ("sgd", "momentum", "nesterov", "adagrad", "rmsprop", "adam", "adamw")
SCHEDULES = ("constant", "linear", "cosine", "step", "plateau")

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
