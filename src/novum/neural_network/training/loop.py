"""The loop: epochs of steps, the rows held back, the weights worth keeping, a file after every epoch.

An epoch draws its random numbers from (seed, number of the epoch), so a training that goes on from a file repeats the curve of one
that never stopped. Losses stay on the device until the epoch ends: a step never waits for a number.
"""

import time
from contextlib import nullcontext
from typing import Any

import numpy as np

from novum.exceptions import DataError, FileFormatError, ParameterError
from novum.neural_network.training.checkpoint import (
    arrays_of,
    optimizer_arrays,
    read_checkpoint,
    restore_optimizer,
    under,
    write_checkpoint,
)
from novum.neural_network.training.curve import TrainingCurve
from novum.neural_network.training.examples import Examples
from novum.neural_network.training.steps import MOMENTS, Average, Stepper
from novum.runtime.journal import recording
from novum.runtime.torch_generators import lent_generators, reseed

__all__ = ["Training"]


class Training:
    """One training of a network.

    Parameters
    ----------
    estimator : NetworkEstimator
        Its parameters of training, and `_step`, `_loss`, `_measures`, `_trained_parameters`.
    module : torch.nn.Module
        On its device already.
    examples, held_back : Examples
        To learn from, and to watch (None: nothing is held back).
    seed : int
    config : dict
        What the network was built from, written into checkpoints.
    """

    def __init__(
        self,
        estimator: Any,
        module: Any,
        examples: Examples,
        held_back: Examples | None,
        seed: int,
        config: dict[str, Any],
    ) -> None:
        import torch

        self.estimator, self.module, self.seed, self.config = estimator, module, seed, config
        self.device = next(module.parameters()).device
        self.examples = examples.to(self.device)
        self.held_back = None if held_back is None else held_back.to(self.device)
        self.run = torch.compile(module) if estimator.compile else module
        size = min(estimator.batch_size, len(examples))
        total = estimator.max_epochs * -(-len(examples) // size)
        self.steppers = [Stepper(estimator, group, total) for group in estimator._trained_parameters(module)]
        self.average = Average(module, estimator.averaging) if estimator.averaging is not None else None
        mixed = estimator.mixed_precision
        self.mixed = self.device.type == "cuda" if mixed == "auto" else bool(mixed)
        self.frozen = [
            m for m in module.modules() if (own := list(m.parameters())) and not any(p.requires_grad for p in own)
        ]
        self.has_batch_norm = any(isinstance(m, torch.nn.modules.batchnorm._BatchNorm) for m in module.modules())
        self.lends = estimator.compile or estimator._draws_anywhere  # layers that take no generator
        self.curve = TrainingCurve(name="loss")
        self.best: dict[str, np.ndarray] | None = None
        self.least, self.waited, self.epoch = np.inf, 0, 0

    def autocast(self) -> Any:
        """Return the context in which losses are computed."""
        import torch

        return torch.autocast(self.device.type, dtype=torch.bfloat16, enabled=self.mixed)

    def go(self, report: Any) -> None:
        """Train to the end: max_epochs, patience, or a callback that requests to stop."""
        journal = recording()
        kept = None if journal is None else journal.state("training")
        if kept is not None and (last := kept.last()) is not None:
            self.take(*last)
        while self.epoch < self.estimator.max_epochs and not self.is_over():
            report.begin(self.kept_weights, self.epoch)
            started = time.perf_counter()
            parts = self.one_epoch()
            self.note(parts.pop("loss"), time.perf_counter() - started, parts)
            stop = report(self.epoch, self.curve[-1], self.kept_weights)
            if self.estimator.checkpoint is not None:
                write_checkpoint(self.estimator.checkpoint, *self.state())
            if kept is not None:
                kept.keep(self.state())
            if stop:
                break

    def is_over(self) -> bool:
        """Return whether patience has run out."""
        return self.estimator.patience is not None and self.waited >= self.estimator.patience

    def one_epoch(self) -> dict[str, float]:
        """Take the steps of one epoch; return the mean loss of its rows, and the means of what else its steps return."""
        import torch

        order = np.random.default_rng([self.seed, self.epoch])
        reseed(int(np.random.SeedSequence([self.seed, self.epoch, 1]).generate_state(1, np.uint64)[0] >> 1))
        self.module.train()
        for part in self.frozen:
            part.eval()
        totals: dict[str, Any] = {}
        count = torch.zeros((), device=self.device, dtype=torch.float64)
        examples, average = self.examples, self.average
        for index in self.batches(order):
            losses_of_step = self.step(examples.take(index))
            if average is not None:
                average.update()
            weight = examples.weight(index)
            for name, value in (
                losses_of_step.items() if isinstance(losses_of_step, dict) else (("loss", losses_of_step),)
            ):
                totals[name] = totals.get(name, 0.0) + value.double() * weight
            count.add_(weight)
        self.epoch += 1
        return {name: float(total / count) for name, total in totals.items()}

    def batches(self, order: np.random.Generator) -> Any:
        """Return the places of every batch of an epoch; where the network takes moments of a batch, none has a single row."""
        found = self.examples.batches(order, self.estimator.batch_size)
        if not self.has_batch_norm or len(found) < 2 or self.estimator.batch_size == 1:
            return found
        return self.examples.without_single(found)

    def step(self, batch: Any) -> Any:
        """Take one step; what PyTorch says of a batch it cannot take moments of is said with names."""
        try:
            with lent_generators() if self.lends else nullcontext():
                return self.estimator._step(self.run, batch, self.steppers, self.autocast)
        except ValueError as error:
            if "more than 1 value per channel" not in str(error):
                raise
            raise DataError(
                f"{type(self.estimator).__name__}(batch_size={self.estimator.batch_size}): a network with batch normalization takes"
                f" mean and variance of a batch, and this one has a single value; give batch_size of 2 or more, or more rows."
            ) from error

    def watch(self) -> dict[str, float]:
        """Return the loss and the measures on the rows held back, by the weights that would predict."""
        import torch

        sums: dict[str, Any] = {}
        count: Any = 0.0
        self.module.eval()
        if self.average is not None:
            self.average.swap()
        try:
            with torch.no_grad(), lent_generators() if self.lends else nullcontext():
                for index in self.held_back.batches(None, max(self.estimator.batch_size, 256)):  # type: ignore[union-attr]
                    batch, weight = self.held_back.take(index), self.held_back.weight(index)  # type: ignore[union-attr]
                    with self.autocast():
                        found = {
                            "loss": self.estimator._loss(self.module, batch),
                            **self.estimator._measures(self.module, batch),
                        }
                    for name, value in found.items():
                        sums[name] = sums.get(name, 0.0) + value.double() * weight
                    count = count + weight
        finally:
            if self.average is not None:
                self.average.swap()
        return {f"validation {name}": float(value / count) for name, value in sums.items()}

    def note(self, loss: float, seconds: float, parts: dict[str, float]) -> None:
        """Write an epoch into the curve; keep its weights if they are the best; count the waiting."""
        held = {} if self.held_back is None else self.watch()
        rate = self.steppers[0].last_rate
        watched = held.get("validation loss", loss)
        if not np.isfinite(loss) or not np.isfinite(watched):
            raise DataError(
                f"{type(self.estimator).__name__}: the loss is {loss} after epoch {self.epoch}: training left the range of"
                f" floating point. Scale X, lower learning_rate={self.estimator.learning_rate:g}, or give clip_norm=1.0."
            )
        self.curve.append(loss, **parts, **held, rate=rate, seconds=seconds)
        if watched < self.least - self.estimator.tol * abs(self.least) or not np.isfinite(self.least):
            self.least, self.waited = watched, 0
        else:
            self.waited += 1
            half = max(1, (self.estimator.patience or 10) // 2)
            if self.estimator.schedule == "plateau" and self.waited % half == 0:
                for stepper in self.steppers:
                    stepper.lower()
        if self.held_back is not None and self.curve.best == len(self.curve) - 1:
            self.best = self.weights()
        if self.estimator.verbose:
            beside = "".join(f"  {name} {value:.5g}" for name, value in held.items())
            print(f"epoch {self.epoch:4d}  loss {loss:.5g}{beside}  rate {rate:.3g}  {seconds:.2f} s")

    def weights(self) -> dict[str, np.ndarray]:
        """Return the weights that would predict now."""
        if self.average is not None:
            self.average.swap()
        found = arrays_of(self.module.state_dict())
        if self.average is not None:
            self.average.swap()
        return found

    def kept_weights(self) -> dict[str, np.ndarray]:
        """Return the weights of the best epoch where rows were held back, else those of the last."""
        return self.weights() if self.best is None else self.best

    def state(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """Return all that a continuation needs."""
        about = {
            "class": type(self.estimator).__name__,
            "optimizer": self.estimator.optimizer,
            "config": self.config,
            "seed": self.seed,
            "epoch": self.epoch,
            "curve": [self.curve.objective, self.curve.columns],
            "least": self.least,
            "waited": self.waited,
            "steps": [[stepper.taken, stepper.factor] for stepper in self.steppers],
            "averaged": None if self.average is None else self.average.taken,
        }
        arrays = {f"module.{k}": v for k, v in arrays_of(self.module.state_dict()).items()}
        arrays |= {f"best.{k}": v for k, v in (self.best or {}).items()}
        for number, stepper in enumerate(self.steppers):
            arrays |= {f"optimizer.{number}.{k}": v for k, v in optimizer_arrays(stepper.optimizer).items()}
        if self.average is not None:
            arrays |= {f"average.{k}": v.cpu().numpy().copy() for k, v in enumerate(self.average.mean)}
        return about, arrays

    def check_same_rule(self, path: Any, about: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        """Raise where a file was written by steps of another kind than those that would go on from it."""
        owner, optimizer, averaging = (
            type(self.estimator).__name__,
            self.estimator.optimizer,
            self.estimator.averaging,
        )
        moments = {name.rpartition(".")[2] for name in under(arrays, "optimizer")}
        before = about.get("optimizer", optimizer)  # files of earlier versions do not say
        if before != optimizer or (about["epoch"] and moments != MOMENTS[optimizer]):
            written = f"optimizer={before!r}" if before != optimizer else f"another one (it keeps {sorted(moments)})"
            raise ParameterError(
                f"{owner}(optimizer={optimizer!r}).resume: {path} was written by {written}, whose steps cannot be gone on with; set"
                " the optimizer of that training, or call fit."
            )
        if (averaging is None) != (about["averaged"] is None):
            was = "without" if about["averaged"] is None else "with"
            raise ParameterError(
                f"{owner}(averaging={averaging!r}).resume: {path} was written {was} averaging; set it as in that"
                " training, or call fit."
            )

    def restore(self, path: Any) -> None:
        """Go back to the state in a file."""
        about, arrays = read_checkpoint(path, type(self.estimator).__name__)
        if about["config"] != self.config:
            raise FileFormatError(f"{path}: holds a network for other data or other parameters than these.")
        self.check_same_rule(path, about, arrays)
        try:
            self.take(about, arrays)
        except RuntimeError as error:
            raise FileFormatError(f"{path}: its weights do not fit this network: {error}") from error

    def take(self, about: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        """Go back to a state."""
        import torch

        self.module.load_state_dict({k: torch.from_numpy(np.array(v)) for k, v in under(arrays, "module").items()})
        self.best = under(arrays, "best") or None
        self.seed, self.epoch, self.least, self.waited = (about[k] for k in ("seed", "epoch", "least", "waited"))
        self.curve = TrainingCurve(*about["curve"], name="loss")
        for number, (stepper, (taken, factor)) in enumerate(zip(self.steppers, about["steps"])):
            restore_optimizer(stepper.optimizer, under(under(arrays, "optimizer"), str(number)))
            stepper.taken, stepper.factor = taken, factor
            stepper._write(stepper.current_rate)
        if self.average is not None and about["averaged"] is not None:
            self.average.taken = about["averaged"]
            for k, mean in enumerate(self.average.mean):
                mean.copy_(torch.from_numpy(np.array(arrays[f"average.{k}"])))
