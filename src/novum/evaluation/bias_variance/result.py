"""Bias, variance and noise as results, and their pictures: fits and their average, curves over complexity, targets."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.report.axes import drawing_axes, drawing_panels
from novum.report.legends import draw_legend
from novum.report.numbers import num
from novum.report.result import Result
from novum.report.style import DIVERGING, SMALL, ink, series
from novum.report.tables import html_text

__all__ = ["PLACES", "BiasVariance", "BiasVarianceCurve"]

PLACES = {"bias": 0, "variance": 3, "total": 2, "noise": 7}  # of their colors


@dataclass(frozen=True, repr=False)
class BiasVariance(Result):
    """Parts of an expected loss.

    Attributes
    ----------
    bias_by_point, variance_by_point : ndarray of shape (n_points,)
        Squared bias, or whether the main prediction is wrong; variance.
    signed_by_point : ndarray of shape (n_points,)
        What variance adds to the loss: itself for squared loss, negative for 0-1 loss where the main prediction is wrong.
    noise : float
    predictions : ndarray of shape (n_repeats, n_points)
    truth : ndarray of shape (n_points,)
    loss, method : str
    """

    bias_by_point: NDArray
    variance_by_point: NDArray
    signed_by_point: NDArray
    noise: float
    predictions: NDArray = field(repr=False)
    truth: NDArray = field(repr=False)
    points: Any = field(repr=False)
    loss: str
    method: str

    @property
    def bias(self) -> float:
        """Mean squared bias, or mean 0-1 bias."""
        return float(self.bias_by_point.mean())

    @property
    def variance(self) -> float:
        """Mean variance."""
        return float(self.variance_by_point.mean())

    @property
    def net_variance(self) -> float:
        """What variance adds to the expected loss; the variance itself for squared loss."""
        return float(self.signed_by_point.mean())

    @property
    def total(self) -> float:
        """Expected loss: bias, net variance and noise; with noisy labels of two classes a right prediction errs with the label."""
        free = self.bias + self.net_variance
        return free + self.noise if self.loss == "squared" else free + self.noise * (1 - 2 * free)

    def plot(self, ax: Any = None, n_fits: int = 20) -> Any:
        """Draw single fits and their average against the truth, over the only feature; by point where there are several."""
        ax = drawing_axes(ax)
        rows = np.asarray(self.points)
        x = rows[:, 0] if rows.ndim == 2 and rows.shape[1] == 1 else np.arange(len(self.truth))
        order = np.argsort(x, kind="stable")
        single = rows.ndim == 2 and rows.shape[1] == 1
        label = "x" if single else "point"
        if self.loss != "squared" or self.method == "out of bag":
            kept = order[: len(self.variance_by_point)]
            ax.scatter(
                np.arange(len(kept)), self.variance_by_point[kept], c=self.bias_by_point[kept], cmap=DIVERGING, s=12
            )
            ax.set(xlabel="point, color is bias", ylabel="variance", title=self._title())
            return ax
        for fit in self.predictions[:n_fits]:
            ax.plot(x[order], fit[order], color=series(ax, PLACES["variance"]), lw=0.6, alpha=0.5)
        ax.plot(x[order], self.predictions.mean(0)[order], color=series(ax, PLACES["bias"]), lw=2, label="average fit")
        ax.plot(x[order], self.truth[order], color=series(ax, PLACES["total"]), lw=2, ls="--", label="truth")
        ax.set(xlabel=label, ylabel="prediction", title=self._title())
        draw_legend(ax)
        return ax

    def _title(self) -> str:
        return f"bias {num(self.bias):.3g}, variance {num(self.variance):.3g}"

    def __repr__(self) -> str:
        square = "^2" if self.loss == "squared" else ""
        unknown = self.noise == 0 and self.method in ("bootstrap", "out of bag")  # judged by noisy targets
        noise = "noise not known (it is in the bias)" if unknown else f"noise {num(self.noise):.6g}"
        return (
            f"{self.loss} loss over training sets ({self.method}): bias{square} {num(self.bias):.6g}, variance "
            f"{num(self.variance):.6g},"
            f" {noise}, expected loss {num(self.total):.6g}"
        )

    def _repr_html_(self) -> str:
        return html_text(repr(self))


@dataclass(frozen=True, repr=False)
class BiasVarianceCurve(Result):
    """Parts of the expected loss over a parameter.

    Attributes
    ----------
    parameter : str
    values : list
    parts : list of BiasVariance
    """

    parameter: str
    values: list
    parts: list[BiasVariance] = field(repr=False)

    @property
    def best(self) -> Any:
        """The value of the smallest expected loss."""
        return self.values[int(np.argmin([part.total for part in self.parts]))]

    def to_frame(self) -> Any:
        """Return bias, variance, noise and expected loss by value."""
        import pandas as pd

        names = ("bias", "variance", "net_variance", "noise", "total")
        rows = [{name: getattr(part, name) for name in names} for part in self.parts]
        return pd.DataFrame(rows, index=pd.Index(self.values, name=self.parameter))

    def plot(self, ax: Any = None, *, log: bool | None = None, test_error: Any = None) -> Any:
        """Draw the parts, their sum, and a test error where one is given, over the parameter.

        Parameters
        ----------
        log : bool, default=None
            The natural logarithm of the parameter as the axis; None: where the values span two powers of ten.
        test_error : array-like, default=None
        """
        ax = drawing_axes(ax)
        values = np.asarray(self.values)
        numbers = values.dtype.kind in "iuf"
        if log is None:
            log = bool(numbers and (values > 0).all() and values.max() >= 100 * values.min())
        x = np.log(values.astype(float)) if log else values.astype(float) if numbers else np.arange(len(values))
        square = "bias squared" if self.parts[0].loss == "squared" else "bias"
        for name, label in (("bias", square), ("net_variance", "variance"), ("total", "expected loss")):
            key = "variance" if name == "net_variance" else name
            ax.plot(
                x, [getattr(part, name) for part in self.parts], color=series(ax, PLACES[key]), marker=".", label=label
            )
        ax.axhline(self.parts[0].noise, color=series(ax, PLACES["noise"]), ls=":", label="noise")
        if test_error is not None:
            ax.plot(x, np.asarray(test_error), color=ink(ax), ls="--", label="test error")
        ax.axvline(x[self.values.index(self.best)], color=series(ax, PLACES["total"]), lw=0.8, ls="--")
        if not numbers:
            ax.set_xticks(x, [str(value) for value in self.values])
        ax.set(xlabel=f"ln {self.parameter}" if log else self.parameter, ylabel=f"{self.parts[0].loss} loss")
        draw_legend(ax)
        return ax

    def plot_fits(self, values: Any = None, ax: Any = None) -> list[Any]:
        """Draw single fits and their average for some values, a panel each; the ends and the best by default."""
        shown = [self.values[0], self.best, self.values[-1]] if values is None else list(values)
        panels = drawing_panels(len(shown)) if ax is None else list(ax)
        for ax, value in zip(panels, shown):
            part = self.parts[self.values.index(value)]
            part.plot(ax)
            shown_value = f"{num(value):.3g}" if isinstance(value, float) else value
            ax.set_title(f"{self.parameter} {shown_value}\n{part._title()}", fontsize=SMALL)
        return panels

    def __repr__(self) -> str:
        lines = [
            f"  {value!s:>12}  bias {num(p.bias):.5f}  variance {num(p.variance):.5f}  total {num(p.total):.5f}"
            for value, p in zip(self.values, self.parts)
        ]
        return "\n".join([f"bias and variance over {self.parameter}; smallest expected loss at {self.best}", *lines])

    def _repr_html_(self) -> str:
        return html_text(repr(self))
