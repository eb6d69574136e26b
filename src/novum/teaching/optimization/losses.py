"""Pictures of losses: against the margin or the residual, and along one weight of a linear model."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from novum.exceptions import DataError, ParameterError
from novum.losses import Loss, empirical_risk
from novum.losses.cross_entropy import CrossEntropyLoss
from novum.losses.margin import MarginLoss
from novum.losses.regression import EpsilonInsensitiveLoss
from novum.report.axes import drawing_axes
from novum.report.legends import draw_legend
from novum.runtime.checks import check_count, vector
from novum.runtime.typing import Axes, Numbers, Rows

__all__ = ["plot_losses", "plot_risk"]

POINTS = 801  # odd, so that zero is among them


def _as_list(owner: str, losses: Any) -> list[Loss]:
    listed = [losses] if isinstance(losses, Loss) else list(losses)
    if not listed or not all(isinstance(loss, Loss) for loss in listed):
        raise ParameterError(
            f"{owner}: losses must be a Loss or a list of them, for example [HingeLoss(), ZeroOneLoss()]."
        )
    return listed


def plot_losses(
    losses: Loss | Sequence[Any],
    *,
    span: tuple[float, float] = (-3.0, 3.0),
    derivative: bool = False,
    ax: Axes | None = None,
) -> Axes:
    """Draw losses against the margin t f (classification) or the residual f - t (regression).

    Parameters
    ----------
    losses : Loss or list of Loss
        All of one kind; the tube of an epsilon-insensitive loss is shaded.
    span : (float, float)
    derivative : bool
        Draw the derivative as a dashed line of the same color; that of the zero-one loss is zero wherever it exists.
    ax : matplotlib Axes, optional
        A new figure's where None.

    Returns
    -------
    matplotlib Axes
    """
    listed = _as_list("plot_losses", losses)
    low, high = vector("plot_losses", "span", span, 2)
    if not low < high:
        raise ParameterError(f"plot_losses(span={span!r}): span must be (low, high) with low < high.")
    by_margin = {isinstance(loss, MarginLoss | CrossEntropyLoss) for loss in listed}
    if len(by_margin) > 1:
        raise ParameterError(
            "plot_losses: losses of margins and of residuals have different axes; draw them in two calls."
        )
    margin = by_margin.pop()
    ax = drawing_axes(ax)
    x = np.linspace(low, high, POINTS)
    target = 1.0 if margin else 0.0
    for loss in listed:
        line = ax.plot(x, loss.value(target, x), label=loss.name)[0]
        if derivative:
            slope = loss.gradient(target, x) if loss.trainable else np.zeros_like(x)
            ax.plot(x, slope, "--", color=line.get_color(), label=f"{loss.name}, derivative")
        if isinstance(loss, EpsilonInsensitiveLoss):
            ax.axvspan(-loss.epsilon, loss.epsilon, color=line.get_color(), alpha=0.15, label="tube")
    ax.set_xlabel("margin t f" if margin else "residual f - t")
    ax.set_ylabel("loss")
    draw_legend(ax)
    return ax


def plot_risk(
    losses: Loss | Sequence[Loss],
    X: Rows,
    target: Numbers,
    weights: Numbers,
    *,
    index: int = 0,
    span: tuple[float, float] = (-3.0, 3.0),
    ax: Axes | None = None,
) -> Axes:
    """Draw the summed loss of the scores X w while one weight moves: why a count of mistakes cannot be descended.

    Parameters
    ----------
    losses : Loss or list of Loss
    X : array-like of shape (n, d)
    target : array-like of shape (n,)
    weights : array-like of shape (d,)
        The other weights stay as they are here.
    index : int
        The weight that moves over `span`.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
    """
    listed = _as_list("plot_risk", losses)
    X = np.asarray(X, dtype=np.float64)
    if X.ndim != 2:
        raise DataError(f"plot_risk: X has shape {X.shape}; it must be (n, d).")
    weights = vector("plot_risk", "weights", weights, X.shape[1])
    check_count("plot_risk", "index", index, 0)
    if index >= weights.size:
        raise ParameterError(
            f"plot_risk(index={index}): there are {weights.size} weights, the last is {weights.size - 1}."
        )
    low, high = vector("plot_risk", "span", span, 2)
    ax = drawing_axes(ax)
    grid = np.linspace(low, high, POINTS)
    base = X @ weights - X[:, index] * weights[index]
    for loss in listed:
        risk = [empirical_risk(loss, target, base + X[:, index] * w, reduction="sum") for w in grid]
        ax.plot(grid, risk, label=loss.name, drawstyle="default" if loss.trainable else "steps-mid")
    ax.set_xlabel(f"weight {index}")
    ax.set_ylabel("summed loss")
    draw_legend(ax)
    return ax
