r"""One step of training: the gradient cut, the rate of the day, the rule of the optimiser, the running average.

rate(t) = rate_0 * warm(t) * fall(t / T)                                                                                (1)
warm(t) = min(1, (t + 1)/w) over w steps
fall(s) = 1,   1 - s,   (1 + cos(pi s))/2,   .1^[s >= 1/2] .1^[s >= 3/4]     (constant, linear, cosine, step)           (2)
g <- g min(1, c/|g|)                                                                                                    (3)
a <- d a + (1 - d) w   after step t, with d = min(decay, (1 + t)/(10 + t)), so that the first weights are forgotten     (4)
"""

import math
from collections.abc import Iterable
from typing import Any

from novum.exceptions import ParameterError

__all__ = ["MOMENTS", "Stepper", "fall", "rate_at"]

STEPS_DOWN = (0.5, 0.75)  # of the way, where "step" divides the rate by ten
PLATEAU = 0.1
ADAM = {"step", "exp_avg", "exp_avg_sq"}
MOMENTS: dict[str, set[str]] = {  # what PyTorch's optimizers remember of a weight
    "sgd": set(),
    "momentum": {"momentum_buffer"},
    "nesterov": {"momentum_buffer"},
    "adagrad": {"step", "sum"},
    "rmsprop": {"step", "square_avg"},
    "adam": ADAM,
    "adamw": ADAM,
}


def fall(schedule: str, s: float) -> float:
    """Return (2)."""
    if schedule == "linear":
        return 1 - s
    if schedule == "cosine":
        return (1 + math.cos(math.pi * s)) / 2
    if schedule == "step":
        return math.prod(0.1 for place in STEPS_DOWN if s >= place)
    return 1.0


def rate_at(schedule: str, learning_rate: float, step: int, total: int, warmup: int) -> float:
    """Return (1)."""
    warm = min(1.0, (step + 1) / warmup) if warmup else 1.0
    return learning_rate * warm * fall(schedule, min(1.0, step / max(total, 1)))


def make_optimizer(name: str, parameters: Any, rate: float, decay: float) -> Any:
    """Return PyTorch's optimiser of that name, in its fused form where it has one: one call for all weights."""
    import torch

    parameters = list(parameters)
    held = parameters[0]["params"] if isinstance(parameters[0], dict) else parameters
    fused = {"fused": True} if held else {}
    options: dict[str, Any] = {"lr": rate, "weight_decay": decay}
    if name in ("sgd", "momentum", "nesterov"):
        momentum = 0.0 if name == "sgd" else 0.9
        return torch.optim.SGD(parameters, momentum=momentum, nesterov=name == "nesterov", **options, **fused)
    if name == "adagrad":
        return torch.optim.Adagrad(parameters, **options)
    if name == "rmsprop":
        return torch.optim.RMSprop(parameters, **options)
    return (torch.optim.AdamW if name == "adamw" else torch.optim.Adam)(parameters, **options, **fused)


class Stepper:
    """The optimiser of one set of parameters, with everything that happens in a step.

    Parameters
    ----------
    estimator : NetworkEstimator
        Its parameters of training.
    parameters : iterable of tensors, or of dicts with `params` and `scale`
        What is trained; `scale` multiplies the rate of a group (fine-tuning).
    total : int
        Steps of the whole training, for the schedule.
    """

    def __init__(self, estimator: Any, parameters: Iterable[Any], total: int) -> None:
        groups: list[Any] = [g if isinstance(g, dict) else {"params": [g], "scale": 1.0} for g in parameters]
        plain = all(g["scale"] == 1.0 for g in groups)
        if plain:
            groups = [{"params": [p for g in groups for p in g["params"]], "scale": 1.0}]
        groups = [{"params": [p for p in g["params"] if p.requires_grad], "scale": g["scale"]} for g in groups]
        self.parameters = [p for g in groups for p in g["params"]]
        if not self.parameters:
            raise ParameterError(
                f"{type(estimator).__name__}: no weight is left to be trained; give transfer(freeze=False), or a smaller number."
            )
        self.optimizer = make_optimizer(
            estimator.optimizer, [g for g in groups if g["params"]], estimator.learning_rate, estimator.weight_decay
        )
        self.schedule, self.rate = estimator.schedule, float(estimator.learning_rate)
        self.warmup, self.clip_norm, self.total = estimator.warmup_steps, estimator.clip_norm, total
        self.taken, self.factor = 0, 1.0  # steps so far; what a plateau has left of the rate
        self.last_rate = float("nan")  # of the last step
        self.moving = self.warmup > 0 or self.schedule not in ("constant", "plateau")
        self._write(self.current_rate)

    @property
    def current_rate(self) -> float:
        """The rate of the next step."""
        return self.factor * rate_at(self.schedule, self.rate, self.taken, self.total, self.warmup)

    def _write(self, rate: float) -> None:
        for group in self.optimizer.param_groups:
            group["lr"] = rate * group["scale"]

    def lower(self) -> None:
        """Divide the rate by ten from now on, as "plateau" does."""
        self.factor *= PLATEAU
        self._write(self.current_rate)

    def descend(self, loss: Any) -> None:
        """Take one step down a loss."""
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        self.move()

    def move(self) -> None:
        """Take one step with the gradients that the parameters hold."""
        if self.clip_norm is not None:
            import torch

            torch.nn.utils.clip_grad_norm_(self.parameters, self.clip_norm)
        if self.moving:
            self._write(self.current_rate)
        self.last_rate = self.optimizer.param_groups[-1]["lr"] / self.optimizer.param_groups[-1]["scale"]
        self.optimizer.step()
        self.taken += 1


class Average:
    """The exponential average (4) of the weights of a network."""

    def __init__(self, module: Any, decay: float) -> None:
        self.decay, self.taken = decay, 0
        self.live = [p for p in module.parameters() if p.requires_grad]
        self.mean = [p.detach().clone() for p in self.live]

    def update(self) -> None:
        """Take in the weights after a step."""
        import torch

        d = min(self.decay, (1 + self.taken) / (10 + self.taken))
        self.taken += 1
        torch._foreach_lerp_(self.mean, [p.detach() for p in self.live], 1 - d)

    def swap(self) -> None:
        """Exchange the weights of the network with their average."""
        for p, mean in zip(self.live, self.mean):
            kept = p.detach().clone()
            p.data.copy_(mean)
            mean.copy_(kept)
