"""Any `torch.nn.Module` as an estimator: give it, or a function that makes it, and it has scikit-learn's contract."""

import copy
import os
from collections.abc import Callable
from typing import Any, Literal, Self

from sklearn.utils.validation import check_is_fitted

from novum.base.domains import Domain, Function, Null
from novum.exceptions import DataError, FileFormatError
from novum.neural_network.training.checkpoint import read_checkpoint, under, write_checkpoint
from novum.neural_network.training.curve import TrainingCurve
from novum.neural_network.training.parameters import TRAINING
from novum.neural_network.training.targets import ClassifierNetwork, RegressorNetwork, weighted_mean
from novum.runtime.typing import Seed

__all__ = ["TorchClassifier", "TorchRegressor"]


class OwnModule:
    """What the two estimators share: the network is the user's."""

    _domains: dict[str, Domain] = {"module": Function(), "loss": Null() | Function(), **TRAINING}
    _row_axes = 2  # as many as the network takes
    _draws_anywhere = True  # somebody else's layers draw from PyTorch's own generator
    _code_parameters = ("module", "loss")  # no file carries them: novum.load(path, module=...)

    def _n_outputs(self) -> int:
        raise NotImplementedError

    def _config(self, examples: Any) -> dict[str, Any]:
        return {"row_shape": list(examples.tensors[0].shape[1:]), "n_outputs": self._n_outputs()}

    def _build(self, config: dict[str, Any]) -> Any:
        import torch

        given: Any = self.module  # type: ignore[attr-defined]
        if isinstance(given, torch.nn.Module):
            return copy.deepcopy(given)
        shape = config["row_shape"]
        made = given(shape[0] if len(shape) == 1 else tuple(shape), config["n_outputs"])
        if not isinstance(made, torch.nn.Module):
            raise DataError(
                f"{type(self).__name__}: module(n_features, n_outputs) returned {type(made).__name__}, not a torch.nn.Module."
            )
        return made

    def _answers(self, module: Any, batch: Any) -> Any:
        """Return what the network says, of shape (rows, outputs), after a check of that shape."""
        import torch

        kind = next(module.parameters()).dtype
        try:
            out = module(batch[0].to(kind))
        except (RuntimeError, TypeError, IndexError) as error:
            raise DataError(
                f"{type(self).__name__}: the module {type(module).__name__} cannot take rows of shape {tuple(batch[0].shape)}:"
                f" {error}"
            ) from error
        if not torch.is_tensor(out):
            raise DataError(
                f"{type(self).__name__}: the module {type(module).__name__} gave {type(out).__name__}, not a tensor; wrap it in"
                " one that returns the outputs alone."
            )
        if out.ndim == 1:
            out = out[:, None]
        wanted = self._n_outputs()
        if out.ndim != 2 or out.shape[0] != len(batch[0]) or out.shape[1] not in {wanted, 1 if wanted == 2 else wanted}:
            raise DataError(
                f"{type(self).__name__}: the module gave outputs of shape {tuple(out.shape)} for {len(batch[0])} rows; it must give"
                f" ({len(batch[0])}, {wanted})."
            )
        return out

    def _judged(self, module: Any, batch: Any) -> Any:
        if self.loss is None:  # type: ignore[attr-defined]
            return super()._judged(module, batch)  # type: ignore[misc]
        outputs = self._answers(module, batch)
        return self._own_loss(outputs, *batch[1:]), self._own_loss(outputs * 0, *batch[1:])

    def _own_loss(self, outputs: Any, targets: Any, weight: Any = None) -> Any:
        loss = self.loss(outputs, targets)  # type: ignore[attr-defined]
        if weight is not None and loss.ndim == 0:
            raise DataError(
                f"{type(self).__name__}: with sample_weight the function loss must give a number for every row"
                f" (reduction='none'), and it gave one for all."
            )
        return loss if loss.ndim == 0 else weighted_mean(loss.reshape(len(loss), -1).mean(dim=1), weight)

    def save_weights(self, path: Any) -> Any:
        """Write the weights to a file without pickle; `load_weights` of an estimator with the same module reads it.

        The module itself is code, which no file of ours carries.
        """
        check_is_fitted(self)
        state = vars(self)
        learned = {k: v.tolist() for k, v in state.items() if k in ("classes_", "target_mean_", "target_scale_")}
        kept = {k: state[k] for k in ("n_features_in_", "n_outputs_", "_flat_target", "_shape_of_rows") if k in state}
        curve = [state["history_"].objective, state["history_"].columns]
        about = {
            "class": type(self).__name__,
            "config": state["config_"],
            "learned": learned,
            "kept": kept,
            "curve": curve,
        }
        write_checkpoint(path, about, {f"module.{k}": v for k, v in state["weights_"].items()})
        return path

    def load_weights(self, path: str | os.PathLike) -> Self:
        """Take the weights, and what else was learned, from a file that `save` wrote."""
        import numpy as np

        about, arrays = read_checkpoint(path, type(self).__name__)
        if "learned" not in about:
            raise FileFormatError(f"{path}: the state of a training; set checkpoint to it and call resume(X, y).")
        for name, values in about["learned"].items():
            setattr(self, name, np.array(values))
        for name, value in about["kept"].items():
            setattr(self, name, tuple(value) if isinstance(value, list) else value)
        self.config_, self.weights_ = about["config"], under(arrays, "module")
        self.history_ = TrainingCurve(*about["curve"], name="loss")
        self.n_epochs_, self.best_epoch_ = len(self.history_), self.history_.best + 1
        try:
            self._check_code()
        except FileFormatError as error:
            raise FileFormatError(f"{path}: {error}") from error
        return self

    def _check_code(self) -> None:
        """Raise FileFormatError unless the weights fit the module."""
        try:
            if "weights_" in vars(self):
                self.module_  # type: ignore[attr-defined]  # noqa: B018
        except RuntimeError as error:
            raise FileFormatError(f"its weights do not fit this module: {error}") from error


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
