"""A `torch.nn.Module` of the user's inside of a training: how it is made, what it must return, and a file with its weights."""

import copy
import os
from typing import Any, Self

import numpy as np

from novum.base.domains import Domain, Function, Null
from novum.base.fitted import check_is_fitted
from novum.exceptions import DataError, FileFormatError
from novum.neural_network.training.checkpoint import read_checkpoint, under, write_checkpoint
from novum.neural_network.training.curve import TrainingCurve
from novum.neural_network.training.parameters import TRAINING
from novum.neural_network.training.targets import weighted_mean

__all__ = ["OwnModule"]


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
        """Take the weights, and what else was learned, from a file that `save_weights` wrote."""
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
