"""The parameters that the perceptrons share: what each may be, and which do not go together."""

from typing import Any

import numpy as np

from novum.activations import Activation
from novum.activations.names import BY_NAME
from novum.base.domains import ArrayLike, Bool, Choice, Domain, Function, Instance, Int, RandomState, Real
from novum.exceptions import DataError, ParameterError
from novum.fold.blocks import Source
from novum.neural_network.mlp.starts import STARTS

__all__ = ["DOMAINS", "STOCHASTIC", "check_home", "check_together", "hidden_sizes"]

STOCHASTIC = ("sgd", "adagrad", "rmsprop", "adam")
DOMAINS: dict[str, Domain] = {
    "hidden_layer_sizes": ArrayLike() | Int(1),
    "activation": Choice(*BY_NAME) | Instance(Activation),
    "solver": Choice("lbfgs", *STOCHASTIC),
    "alpha": Real(0),
    "batch_size": Choice("auto") | Int(1),
    "learning_rate": Choice("constant", "invscaling", "adaptive", "cosine") | Function(),
    "learning_rate_init": Real(0, open="low"),
    "power_t": Real(0),
    "max_iter": Int(1),
    "shuffle": Bool(),
    "random_state": RandomState(),
    "tol": Real(0),
    "verbose": Bool() | Int(0),
    "warm_start": Bool(),
    "momentum": Real(0, 1),
    "nesterovs_momentum": Bool(),
    "early_stopping": Bool(),
    "validation_fraction": Real(0, 1, open="high"),
    "beta_1": Real(0, 1, open="high"),
    "beta_2": Real(0, 1, open="high"),
    "epsilon": Real(0, open="low"),
    "n_iter_no_change": Int(1) | Real(np.inf, np.inf),
    "max_fun": Int(1),
    "l1": Real(0),
    "dropout": Real(0, 1, open="high"),
    "batch_norm": Bool(),
    "init": Choice(*STARTS),
    "n_init": Int(1),
    "combine": Choice("best", "average"),
}


def check_home(model: Any, source: Source) -> None:
    """Raise for draws that a device does not make, and for rows that cannot be held back where they are."""
    if model.early_stopping and not (source.at_hand or source.on_device):
        raise DataError(
            f"{type(model).__name__}(early_stopping=True) holds rows back and needs them in memory, not in a {source.home};"
            " set early_stopping=False, or judge by data of your own between calls of partial_fit."
        )
    if source.on_device and model.dropout:
        raise ParameterError(
            f"{type(model).__name__}(dropout={model.dropout!r}): units are left out by draws that are made in the memory of the"
            " processor, and X is on a device; set dropout=0, give X.cpu(), or use a network on PyTorch, such as TorchClassifier."
        )


def hidden_sizes(model: Any) -> list[int]:
    """Return the units of the hidden layers, or raise scikit-learn's error."""
    given = model.hidden_layer_sizes
    sizes = list(given) if hasattr(given, "__iter__") else [given]
    whole = all(isinstance(n, int | np.integer) and not isinstance(n, bool) for n in sizes)
    if not whole or any(n <= 0 for n in sizes):
        raise ParameterError(
            f"hidden_layer_sizes must be > 0, got {sizes}. {type(model).__name__} takes the number of units of every hidden"
            " layer, as in (100, 50)."
        )
    return [int(n) for n in sizes]


def check_together(model: Any, incremental: bool) -> None:
    """Raise for parameters that contradict each other."""
    name = type(model).__name__
    if model.early_stopping and incremental:
        raise ParameterError(
            f"partial_fit does not support early_stopping=True: {name} sees one portion and cannot hold rows back."
        )
    if model.n_init > 1 and (incremental or model.warm_start):
        raise ParameterError(
            f"{name}(n_init={model.n_init}): {'partial_fit' if incremental else 'warm_start=True'} goes on with one network;"
            " set n_init=1."
        )
    if model.solver == "lbfgs" and (model.dropout or model.batch_norm):
        what = "dropout" if model.dropout else "batch_norm"
        raise ParameterError(
            f"{name}(solver='lbfgs', {what}={getattr(model, what)!r}): {what} is defined on mini-batches; use 'adam' or 'sgd'."
        )
