"""What filters, smoothers and forecasts answer."""

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import ParameterError
from novum.report.legends import draw_legend
from novum.report.numbers import num
from novum.report.result import Result
from novum.report.style import series, shade
from novum.sequence.labels import following_labels
from novum.sequence.lds.passes import Forward, Smoothed, TimedSystem, covariances
from novum.sequence.lds.plots import draw_band, draw_path, half_width

__all__ = ["FilteredStates", "Forecast", "SmoothedStates"]

Array = NDArray[Any]


def size_text(means: Array) -> str:
    """Return the numbers of rows and states in words."""
    n, s = means.shape
    return f"{n} row{'s' * (n != 1)}, {s} state{'s' * (s != 1)}"


class States(Result):
    """Means and covariances of the states of a series, and the cells they explain."""

    means: Array
    covariances: Array
    _kind = "given the rows so far"

    def __init__(self, timed: TimedSystem, values: Array, index: Any) -> None:
        self._timed, self._values, self._index = timed, values, index

    @property
    def n_steps(self) -> int:
        return len(self.means)

    @cached_property
    def standard_deviations(self) -> Array:
        """The square roots of the variances, (n, s)."""
        return np.sqrt(np.maximum(np.diagonal(self.covariances, axis1=1, axis2=2), 0))

    @cached_property
    def signal(self) -> Array:
        """C z + d at the means: what the cells are without noise, (n, p)."""
        return (self._timed.observation @ self.means[:, :, None])[:, :, 0] + self._timed.observation_offset

    @cached_property
    def signal_deviations(self) -> Array:
        """Standard deviations of the signal, (n, p)."""
        C, infinite = self._timed.observation, ~np.isfinite(self.covariances)
        variance = ((C @ np.where(infinite, 0, self.covariances)) * C).sum(axis=2)
        unknown = ((np.abs(C) @ infinite.astype(float)) * np.abs(C)).sum(axis=2) > 0
        return np.where(unknown, np.inf, np.sqrt(np.maximum(variance, 0)))

    @property
    def rows(self) -> Any:
        """The labels of the rows."""
        return np.arange(self.n_steps) if self._index is None else self._index

    def _result_columns(self) -> dict[str, Any]:
        columns: dict[str, Any] = {"row": self.rows}
        for j in range(self.means.shape[1]):
            columns |= {f"mean[{j}]": self.means[:, j], f"sd[{j}]": self.standard_deviations[:, j]}
        return columns

    def _result_scalars(self) -> dict[str, Any]:
        return {}

    def plot(
        self, ax: Any = None, *, cell: int = 0, state: int | None = None, pair: Any = None, level: float = 0.95
    ) -> Any:
        """Draw a series with its band and return the axes.

        Parameters
        ----------
        ax : matplotlib axes, optional
        cell : int, default=0
            Which cell: the signal C z + d of it, its band and the observed values.
        state : int, optional
            Draw this state instead.
        pair : two ints, optional
            Draw two states against each other, as a path with ellipses.
        level : float, default=0.95
            Share that the band, or an ellipse, holds.
        """
        from novum.report.axes import drawing_axes, space_dates

        owner = f"{type(self).__name__}.plot"
        width = half_width(owner, level)
        if pair is None and state is not None and not -self.means.shape[1] <= state < self.means.shape[1]:
            raise ParameterError(f"{owner}(state={state!r}): there are the states 0 to {self.means.shape[1] - 1}.")
        if pair is None and state is None and not -self._values.shape[1] <= cell < self._values.shape[1]:
            raise ParameterError(f"{owner}(cell={cell!r}): there are the cells 0 to {self._values.shape[1] - 1}.")
        ax = drawing_axes(ax)
        if pair is not None:
            draw_path(ax, self.means, self.covariances, pair, level, owner)
        elif state is not None:
            draw_band(
                ax, self.rows, self.means[:, state], self.standard_deviations[:, state], width, label=f"state {state}"
            )
            ax.set_ylabel(f"state {state}")
        else:
            ax.plot(self.rows, self._values[:, cell], ".", color=shade(ax, 0.4), label="observed")
            draw_band(ax, self.rows, self.signal[:, cell], self.signal_deviations[:, cell], width, label="signal")
            ax.set_ylabel(f"cell {cell}")
            draw_legend(ax)
        if pair is None:
            ax.set_xlabel("row")
            space_dates(ax, self.rows)
        ax.set_title(f"{self._kind}, {level:.0%}")
        return ax


class FilteredStates(States):
    """The states given the rows so far.

    Attributes
    ----------
    means, covariances : arrays of shape (n, s) and (n, s, s)
        Of the state of every row, given it and the rows before. Infinite where a diffuse start left nothing known.
    predicted_means, predicted_covariances : arrays of the same shapes
        Given the rows before only.
    log_likelihood : float
    log_likelihoods : array of shape (n,)
        Of every row given those before.
    innovations, innovation_covariances : arrays of shape (n, p) and (n, p, p)
        Rows less their predictions, and how far from zero they may be.
    settled : int
        First row from which the gains no longer changed; n if they always did.
    """

    def __init__(self, timed: TimedSystem, forward: Forward, values: Array, index: Any) -> None:
        super().__init__(timed, values, index)
        self._forward = forward
        self.means, self.predicted_means = forward.mean, forward.predicted_mean
        self.predicted_covariances, self.covariances = covariances(forward)
        self.log_likelihoods, self.settled = forward.log_likelihood, forward.settled
        self.log_likelihood = float(forward.log_likelihood.sum())

    @cached_property
    def innovations(self) -> Array:
        return self._timed.cells - (self._timed.observation @ self.predicted_means[:, :, None])[:, :, 0]

    @cached_property
    def innovation_covariances(self) -> Array:
        C, P = self._timed.observation, self.predicted_covariances
        infinite = ~np.isfinite(P)
        plain = C @ np.where(infinite, 0, P) @ np.swapaxes(C, 1, 2) + self._timed.observation_covariance
        unknown = np.abs(C) @ infinite.astype(float) @ np.swapaxes(np.abs(C), 1, 2) > 0
        return np.where(unknown, np.inf, plain)

    @cached_property
    def standardized_innovations(self) -> Array:
        """Innovations divided by their standard deviations: independent standard normal if the system is right."""
        variance = np.diagonal(self.innovation_covariances, axis1=1, axis2=2)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(np.isfinite(variance) & (variance > 0), self.innovations / np.sqrt(variance), np.nan)

    def __repr__(self) -> str:
        return f"FilteredStates: {size_text(self.means)}, log-likelihood {num(self.log_likelihood):.6g}"


class SmoothedStates(States):
    """The states given all rows.

    Attributes
    ----------
    means, covariances : arrays of shape (n, s) and (n, s, s)
    lag_one_covariances : array of shape (n - 1, s, s)
        cov(z[t+1], z[t]) given all rows.
    filtered : FilteredStates
        The pass before.
    log_likelihood : float
    """

    _kind = "given all rows"

    def __init__(self, filtered: FilteredStates, smoothed: Smoothed) -> None:
        super().__init__(filtered._timed, filtered._values, filtered._index)
        self.filtered, self.log_likelihood = filtered, filtered.log_likelihood
        self.means, self.covariances, self.lag_one_covariances = smoothed

    def __repr__(self) -> str:
        return f"SmoothedStates: {size_text(self.means)}, log-likelihood {num(self.log_likelihood):.6g}"


class Forecast(Result):
    """Rows to come.

    Attributes
    ----------
    means, covariances : arrays of shape (steps, p) and (steps, p, p)
        Of the rows, their noise included.
    lower, upper : arrays of shape (steps, p)
        The band that holds a share `level` of each cell.
    state_means, state_covariances : arrays of shape (steps, s) and (steps, s, s)
    level : float
    """

    def __init__(
        self, means: Array, covariances: Array, state_means: Array, state_covariances: Array, level: float, past: States
    ) -> None:
        self.means, self.covariances, self.level = means, covariances, level
        self.state_means, self.state_covariances = state_means, state_covariances
        deviation = np.sqrt(np.maximum(np.diagonal(covariances, axis1=1, axis2=2), 0))
        width = half_width("Forecast", level)
        self.lower, self.upper = means - width * deviation, means + width * deviation
        self._past = past

    @property
    def rows(self) -> Any:
        """The labels of the rows to come: numbers and dates go on as the past ones came, else positions."""
        return following_labels(self._past.rows, len(self.means))

    def _result_columns(self) -> dict[str, Any]:
        columns: dict[str, Any] = {"row": self.rows}
        for j in range(self.means.shape[1]):
            columns |= {
                f"mean[{j}]": self.means[:, j],
                f"lower[{j}]": self.lower[:, j],
                f"upper[{j}]": self.upper[:, j],
            }
        return columns

    def _result_scalars(self) -> dict[str, Any]:
        return {"level": self.level}

    def plot(self, ax: Any = None, *, cell: int = 0) -> Any:
        """Draw the observed rows, the forecast and its band, and return the axes."""
        from novum.report.axes import drawing_axes, space_dates

        if not -self.means.shape[1] <= cell < self.means.shape[1]:
            raise ParameterError(f"Forecast.plot(cell={cell!r}): there are the cells 0 to {self.means.shape[1] - 1}.")
        ax = drawing_axes(ax)
        past, goes_on = self._past.rows, np.asarray(self.rows).dtype == np.asarray(self._past.rows).dtype
        ax.plot(
            past if goes_on else np.arange(len(past)),
            self._past._values[:, cell],
            ".",
            color=shade(ax, 0.4),
            label="observed",
        )
        ax.plot(self.rows, self.means[:, cell], color=series(ax, 1), label="forecast")
        ax.fill_between(
            self.rows, self.lower[:, cell], self.upper[:, cell], color=series(ax, 1), alpha=0.2, linewidth=0
        )
        draw_legend(ax)
        ax.set(xlabel="row", ylabel=f"cell {cell}", title=f"forecast, {self.level:.0%}")
        space_dates(ax, self.rows)
        return ax
