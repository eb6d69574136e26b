"""Any `torch.nn.Module` as an estimator: give it, or a function that makes it, and it has scikit-learn's contract."""

import os
from collections.abc import Callable
from typing import Any, Literal

from novum.neural_network.module_adapter import OwnModule
from novum.neural_network.training.targets import ClassifierNetwork, RegressorNetwork
from novum.runtime.typing import Seed

__all__ = ["TorchClassifier", "TorchRegressor"]


class TorchClassifier(OwnModule, ClassifierNetwork):
    """A classifier made of a network of your own.

    Parameters
    ----------
    module : torch.nn.Module or callable
        The network, which is copied and trained from the weights it has; or a function of (n_features, n_classes) that makes
        it. It takes a float tensor of rows and returns a score (logit) for every class; for two classes one score will do.
    loss : callable, default=None
        `loss(scores, codes)` in place of the cross-entropy; with sample weights it must return a number for every row.
    max_epochs : int, default=50
        Most passes over the training rows.
    batch_size : int, default=64
        Rows of a step.
    learning_rate : float, default=0.001
        The length of the first step, before `schedule` shortens it.
    optimizer : {"sgd", "momentum", "nesterov", "adagrad", "rmsprop", "adam", "adamw"}, default='adam'
        The rule of a step; momentum is .9.
    weight_decay : float, default=0.0
        Weight of half the sum of squared weights in what is minimised ("adamw": the share by which weights shrink at a step).
    schedule : {"constant", "linear", "cosine", "step", "plateau"}, default='constant'
        How the rate falls: not at all, to zero along a line or half a cosine over all epochs, to a tenth after one half and after
        three quarters of them, or to a tenth whenever the loss has not fallen for half of `patience` epochs.
    warmup_steps : int, default=0
        Steps over which the rate first rises from zero.
    clip_norm : float or None, default=None
        Longest gradient of a step; longer ones are shortened. None: as they are.
    averaging : float or None, default=None
        Decay of the exponential average of the weights over steps, which then predicts; None: the last weights do.
    validation_fraction : float, default=0.0
        Share of the rows held back to watch the loss; the weights of the best epoch are kept. `fit(validation=...)` brings its own.
    patience : int or None, default=10
        Epochs without a gain of `tol` in the loss (on the rows held back, or else in training) after which training ends.
        None: after max_epochs.
    tol : float, default=0.0001
        See `patience`; a share of the loss.
    mixed_precision : bool or "auto", default='auto'
        Multiply in bfloat16; "auto": on a GPU.
    compile : bool, default=False
        Compile the network with PyTorch's compiler: a minute at first, faster steps on a GPU.
    checkpoint : path or None, default=None
        File that is written after every epoch, from which `resume` goes on to the same curve.
    device : {"auto", "cpu", "cuda"}, default='auto'
        Where to train and to predict; "auto": on a GPU if there is one.
    verbose : bool, default=False
        Print a line for every epoch.
    random_state : int, numpy Generator, RandomState, SeedSequence or None, default=None
        Weights, order of rows, dropout. An int: the same network every time, on one machine and device.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    module_, weights_, config_, history_, n_epochs_, best_epoch_
        As in every network: see `NetworkEstimator`.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from novum.neural_network import TorchClassifier
    >>> def network(n_features, n_classes):
    ...     from torch import nn
    ...     return nn.Sequential(nn.Linear(n_features, 16), nn.ReLU(), nn.Linear(16, n_classes))
    >>> X, y = load_iris(return_X_y=True)
    >>> model = TorchClassifier(network, learning_rate=0.02, max_epochs=40, random_state=0).fit(X, y)  # doctest: +SKIP
    >>> model.score(X, y) > 0.95  # doctest: +SKIP
    True
    """

    def __init__(
        self,
        module: Callable[..., Any],
        *,
        loss: Callable | None = None,
        max_epochs: int = 50,
        batch_size: int = 64,
        learning_rate: float = 1e-3,
        optimizer: Literal["sgd", "momentum", "nesterov", "adagrad", "rmsprop", "adam", "adamw"] = "adam",
        weight_decay: float = 0.0,
        schedule: Literal["constant", "linear", "cosine", "step", "plateau"] = "constant",
        warmup_steps: int = 0,
        clip_norm: float | None = None,
        averaging: float | None = None,
        validation_fraction: float = 0.0,
        patience: int | None = 10,
        tol: float = 1e-4,
        mixed_precision: bool | Literal["auto"] = "auto",
        compile: bool = False,
        checkpoint: str | os.PathLike[str] | None = None,
        device: Literal["auto", "cpu", "cuda"] = "auto",
        verbose: bool = False,
        random_state: Seed = None,
    ) -> None:
        self.module = module
        self.loss = loss
        self.max_epochs = max_epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.optimizer = optimizer
        self.weight_decay = weight_decay
        self.schedule = schedule
        self.warmup_steps = warmup_steps
        self.clip_norm = clip_norm
        self.averaging = averaging
        self.validation_fraction = validation_fraction
        self.patience = patience
        self.tol = tol
        self.mixed_precision = mixed_precision
        self.compile = compile
        self.checkpoint = checkpoint
        self.device = device
        self.verbose = verbose
        self.random_state = random_state

    def _n_outputs(self) -> int:
        return len(self.classes_)

    def _logits(self, module: Any, batch: Any) -> Any:
        import torch

        z = self._answers(module, batch)
        return torch.cat([torch.zeros_like(z), z], dim=1) if z.shape[1] < self._n_outputs() else z

    def _loss(self, module: Any, batch: Any) -> Any:
        if self.loss is None:
            return super()._loss(module, batch)
        return self._own_loss(self._answers(module, batch), *batch[1:])


class TorchRegressor(OwnModule, RegressorNetwork):
    """A regressor made of a network of your own.

    Parameters
    ----------
    module : torch.nn.Module or callable
        The network, which is copied and trained from the weights it has; or a function of (n_features, n_targets) that makes
        it. It takes a float tensor of rows and returns a number for every target, in units of the target's standard deviation
        from its mean.
    loss : callable, default=None
        `loss(values, targets)` in place of the squared error; with sample weights it must return a number for every row.
    max_epochs : int, default=50
        Most passes over the training rows.
    batch_size : int, default=64
        Rows of a step.
    learning_rate : float, default=0.001
        The length of the first step, before `schedule` shortens it.
    optimizer : {"sgd", "momentum", "nesterov", "adagrad", "rmsprop", "adam", "adamw"}, default='adam'
        The rule of a step; momentum is .9.
    weight_decay : float, default=0.0
        Weight of half the sum of squared weights in what is minimised ("adamw": the share by which weights shrink at a step).
    schedule : {"constant", "linear", "cosine", "step", "plateau"}, default='constant'
        How the rate falls: not at all, to zero along a line or half a cosine over all epochs, to a tenth after one half and after
        three quarters of them, or to a tenth whenever the loss has not fallen for half of `patience` epochs.
    warmup_steps : int, default=0
        Steps over which the rate first rises from zero.
    clip_norm : float or None, default=None
        Longest gradient of a step; longer ones are shortened. None: as they are.
    averaging : float or None, default=None
        Decay of the exponential average of the weights over steps, which then predicts; None: the last weights do.
    validation_fraction : float, default=0.0
        Share of the rows held back to watch the loss; the weights of the best epoch are kept. `fit(validation=...)` brings its own.
    patience : int or None, default=10
        Epochs without a gain of `tol` in the loss (on the rows held back, or else in training) after which training ends.
        None: after max_epochs.
    tol : float, default=0.0001
        See `patience`; a share of the loss.
    mixed_precision : bool or "auto", default='auto'
        Multiply in bfloat16; "auto": on a GPU.
    compile : bool, default=False
        Compile the network with PyTorch's compiler: a minute at first, faster steps on a GPU.
    checkpoint : path or None, default=None
        File that is written after every epoch, from which `resume` goes on to the same curve.
    device : {"auto", "cpu", "cuda"}, default='auto'
        Where to train and to predict; "auto": on a GPU if there is one.
    verbose : bool, default=False
        Print a line for every epoch.
    random_state : int, numpy Generator, RandomState, SeedSequence or None, default=None
        Weights, order of rows, dropout. An int: the same network every time, on one machine and device.

    Attributes
    ----------
    target_mean_, target_scale_ : arrays of shape (n_targets,)
        By which targets are brought to mean zero and variance one.
    module_, weights_, config_, history_, n_epochs_, best_epoch_
        As in every network: see `NetworkEstimator`.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.neural_network import TorchRegressor
    >>> def network(n_features, n_targets):
    ...     from torch import nn
    ...     return nn.Sequential(nn.Linear(n_features, 32), nn.Tanh(), nn.Linear(32, n_targets))
    >>> X = np.linspace(-3, 3, 200)[:, None]
    >>> model = TorchRegressor(network, learning_rate=0.01, max_epochs=200, random_state=0)
    >>> model.fit(X, np.sin(X[:, 0])).score(X, np.sin(X[:, 0])) > 0.98  # doctest: +SKIP
    True
    """

    def __init__(
        self,
        module: Callable[..., Any],
        *,
        loss: Callable | None = None,
        max_epochs: int = 50,
        batch_size: int = 64,
        learning_rate: float = 1e-3,
        optimizer: Literal["sgd", "momentum", "nesterov", "adagrad", "rmsprop", "adam", "adamw"] = "adam",
        weight_decay: float = 0.0,
        schedule: Literal["constant", "linear", "cosine", "step", "plateau"] = "constant",
        warmup_steps: int = 0,
        clip_norm: float | None = None,
        averaging: float | None = None,
        validation_fraction: float = 0.0,
        patience: int | None = 10,
        tol: float = 1e-4,
        mixed_precision: bool | Literal["auto"] = "auto",
        compile: bool = False,
        checkpoint: str | os.PathLike[str] | None = None,
        device: Literal["auto", "cpu", "cuda"] = "auto",
        verbose: bool = False,
        random_state: Seed = None,
    ) -> None:
        self.module = module
        self.loss = loss
        self.max_epochs = max_epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.optimizer = optimizer
        self.weight_decay = weight_decay
        self.schedule = schedule
        self.warmup_steps = warmup_steps
        self.clip_norm = clip_norm
        self.averaging = averaging
        self.validation_fraction = validation_fraction
        self.patience = patience
        self.tol = tol
        self.mixed_precision = mixed_precision
        self.compile = compile
        self.checkpoint = checkpoint
        self.device = device
        self.verbose = verbose
        self.random_state = random_state

    def _n_outputs(self) -> int:
        return self.n_outputs_

    def _values(self, module: Any, batch: Any) -> Any:
        return self._answers(module, batch)

    def _loss(self, module: Any, batch: Any) -> Any:
        if self.loss is None:
            return super()._loss(module, batch)
        return self._own_loss(self._answers(module, batch), *batch[1:])
