"""A network after training: what restarts are compared by, the attributes it is stored as, and how the next fit goes on."""

from typing import Any, NamedTuple

import numpy as np

from novum.base.history import History
from novum.exceptions import NotConverged
from novum.neural_network.mlp.compiled_network import Memory, Settings, fresh_memory, join, split
from novum.neural_network.mlp.epochs import Progress
from novum.neural_network.training.judging import is_worse
from novum.report.numbers import number
from novum.runtime.warn import warn

__all__ = ["Outcome", "fitted_attributes", "last_state", "store_outcome", "warn_of_ending"]


class Outcome(NamedTuple):
    """A network after training."""

    memory: Memory
    progress: Progress
    n_iter: int
    loss: float
    rate: float
    ending: str
    message: str = ""

    @property
    def rank(self) -> float:
        """What restarts are compared by: less is better."""
        return -self.progress.best_score if self.progress.scores else self.loss


def last_state(model: Any, settings: Settings, dtype: Any, incremental: bool) -> tuple[Memory, Progress]:
    """Return the network as the last fit or portion left it."""
    scales = getattr(model, "scales_", [])
    memory = fresh_memory(settings, join([model.coefs_, model.intercepts_, scales], dtype))
    if settings.batch_norm:
        memory = memory._replace(running=join([model.running_means_, model.running_variances_], dtype))
    if incremental and getattr(model, "_first", None) is not None and len(model._first) == settings.size:
        first, second = (each.astype(dtype) for each in (model._first, model._second))
        memory = memory._replace(first=first, second=second, steps=model._n_steps)
    progress = Progress()
    progress.losses = list(getattr(model, "loss_curve_", []))
    known = list(getattr(model, "_rates", []))
    progress.rates = known if len(known) == len(progress.losses) else [np.nan] * len(progress.losses)
    progress.scores = list(getattr(model, "validation_scores_", None) or [])
    progress.best_loss = min([np.inf, *progress.losses])
    progress.best_score = max([-np.inf, *progress.scores])
    progress.waited, progress.rows = getattr(model, "_no_improvement_count", 0), getattr(model, "t_", 0)
    progress.best = memory if progress.scores else None
    return memory, progress


def fitted_attributes(settings: Settings, memory: Memory) -> dict[str, Any]:
    """Return the fitted attributes that a state stands for."""
    coefs, intercepts, scales = split(settings, memory.theta.copy())
    found: dict[str, Any] = {"coefs_": coefs, "intercepts_": intercepts, "n_layers_": len(settings.units)}
    if settings.batch_norm:
        ends = np.cumsum(settings.units[1:-1] * 2)[:-1]
        moments = np.split(memory.running, ends)
        found |= {"scales_": scales, "running_means_": moments[: len(scales)]}
        found["running_variances_"] = moments[len(scales) :]
    return found


def store_outcome(model: Any, settings: Settings, run: Outcome) -> None:
    """Set the fitted attributes, and what the next portion begins with."""
    model.__dict__.update(fitted_attributes(settings, run.memory))
    progress = run.progress
    model.n_iter_, model.loss_, model.t_ = run.n_iter, run.loss, progress.rows
    model._first, model._second, model._n_steps = run.memory.first, run.memory.second, run.memory.steps
    model._rate, model._rates, model._no_improvement_count = run.rate, progress.rates, progress.waited
    columns = {"rate": progress.rates}
    if model.solver != "lbfgs":
        model.loss_curve_ = progress.losses
        stops = model.early_stopping
        model.best_loss_ = None if stops else progress.best_loss
        model.validation_scores_ = progress.scores if stops else None
        model.best_validation_score_ = progress.best_score if stops else None
        if stops and len(progress.scores) == len(progress.losses):
            columns["validation score"] = progress.scores
    model.history_ = History(progress.losses, columns, name="loss")


def warn_of_ending(model: Any, run: Outcome, incremental: bool, losses: tuple[float, float] | None) -> None:
    """Warn of a fit that the number of epochs cut short, or that went astray."""
    name, astray = type(model).__name__, ""
    if losses is not None and is_worse(*losses):
        astray = (
            f"{name}: after training the loss on the training rows is {number(losses[0])}, and one answer for all of them has"
            f" {number(losses[1])}: the network is worse than none. Scale X and y, lower"
            f" learning_rate_init={model.learning_rate_init:g}, or train longer (max_iter={model.max_iter})."
        )
    if run.ending == "diverged":
        message = (
            f"{name}: the loss left the range of floating point in epoch {run.n_iter}; the best weights before are kept."
            " Scale X and y, or take a smaller learning_rate_init."
        )
    elif run.ending == "limit" and model.solver == "lbfgs":
        message = (
            f"lbfgs failed to converge after {run.n_iter} iteration(s): {run.message}. Increase the number of iterations"
            f" to improve the convergence (max_iter={model.max_iter}), or scale the data. {name}"
        )
    elif run.ending == "limit" and not incremental:
        message = (
            f"Stochastic Optimizer: Maximum iterations ({model.max_iter}) reached and the optimization hasn't converged"
            f" yet. Raise max_iter of {name}, or tol."
        )
    else:
        message = ""
    if message or astray:
        warn(" ".join(part for part in (message, astray) if part), NotConverged)
