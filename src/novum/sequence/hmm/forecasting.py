r"""What comes next: distributions of future states and rows, and a filter that takes one row at a time.

p(z_{T+h} | x_1 .. x_T) = a_T A^h,   a_T the filtered distribution                             (28)
E x = sum_j p_j m_j,   Var x = sum_j p_j (v_j + m_j^2) - (E x)^2                               (29)
one row at a time:  a_t(j) = p(x_t | j) sum_i a_{t-1}(i) A_ij / p(x_t | x_1 .. x_{t-1})        (30)
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError
from novum.report.legends import draw_legend
from novum.report.numbers import counted, num
from novum.report.result import Result
from novum.sequence.hmm.bundles import Bundle
from novum.sequence.hmm.recursions import filter_states
from novum.sequence.labels import following_labels

__all__ = ["OnlineFilter", "StateForecast", "forecast_from"]


class StateForecast(Result):
    """The distribution of the steps to come.

    Attributes
    ----------
    states : array of shape (steps, n_components)
        Probability of every state.
    mean, std : array of shape (steps, n_features)
        Of the rows, by (29).
    rows : array of shape (steps,)
        Labels of the rows to come: the index or the dates of X go on; without such, steps from 1.
    """

    def __init__(
        self, states: NDArray, mean: NDArray, std: NDArray, names: list[str] | None = None, rows: NDArray | None = None
    ) -> None:
        self.states, self.mean, self.std = states, mean, std
        self.rows = np.arange(1, len(states) + 1) if rows is None else rows
        self.names = names or [f"x{j}" for j in range(mean.shape[1])]

    def __len__(self) -> int:
        return len(self.states)

    def _result_columns(self) -> dict[str, Any]:
        columns: dict[str, Any] = {"step": list(range(1, len(self) + 1))}
        if self.rows.dtype.kind not in "iu":
            columns["row"] = list(self.rows)
        for j, name in enumerate(self.names):
            columns |= {f"mean {name}": self.mean[:, j].tolist(), f"sd {name}": self.std[:, j].tolist()}
        return columns | {f"state {k}": self.states[:, k].tolist() for k in range(self.states.shape[1])}

    def _result_picture(self, ax: Any) -> None:
        steps = self.rows
        for j, name in enumerate(self.names):
            (line,) = ax.plot(steps, self.mean[:, j], marker=".", label=name)
            low, high = self.mean[:, j] - self.std[:, j], self.mean[:, j] + self.std[:, j]
            ax.fill_between(steps, low, high, color=line.get_color(), alpha=0.2)
        ax.set(xlabel="steps ahead", ylabel="mean, one standard deviation")
        if len(self.names) > 1:
            draw_legend(ax)


def forecast_from(
    filtered: NDArray, trans: NDArray, steps: int, mean: NDArray, variance: NDArray, names: Any = None, past: Any = None
) -> StateForecast:
    """Return (28) and (29) from the filtered distribution of the last row."""
    states = np.empty((steps, len(filtered)))
    for h in range(steps):
        filtered = filtered @ trans
        filtered = filtered / filtered.sum()
        states[h] = filtered
    expected = states @ mean
    second = states @ (variance + mean**2)
    rows = None if past is None else following_labels(past, steps)
    return StateForecast(states, expected, np.sqrt(np.maximum(second - expected**2, 0.0)), names, rows)


class OnlineFilter(Result):
    """The states of a sequence that is still going on, one row at a time; made by `model.online()`.

    Attributes
    ----------
    probabilities : array of shape (n_components,)
        p(z_t | x_1 .. x_t); before the first row the start.
    log_likelihood : float
        Of all rows so far.
    n_rows : int

    Examples
    --------
    >>> from novum.sequence import CategoricalHMM
    >>> model = CategoricalHMM(2)
    >>> model.startprob_, model.transmat_ = [0.6, 0.4], [[0.7, 0.3], [0.4, 0.6]]
    >>> model.emissionprob_ = [[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]]
    >>> live = model.online()
    >>> for symbol in (0, 1, 2):
    ...     distribution = live.update(symbol)
    >>> distribution.round(4), round(live.log_likelihood, 4)
    (array([0.2121, 0.7879]), -3.3165)
    """

    def __init__(self, model: Any, parameters: Any) -> None:
        self._model, self._parameters = model, parameters
        self.probabilities = np.asarray(parameters.chain.start, np.float64)
        self.log_likelihood, self.n_rows = 0.0, 0

    def update(self, row: Any) -> NDArray:
        """Return the distribution of the state after one more row, by (30); NaN is a row, or a cell, that was not observed."""
        values = self._model._read(np.reshape(np.asarray(row), (1, -1)), False)
        self._model._check_width(values.shape[1])
        chain = self._parameters.chain
        start = self.probabilities if self.n_rows == 0 else self.probabilities @ chain.trans
        bundle = Bundle(values, np.array([0, 1]), None, None, self.n_rows, {})
        densities = self._parameters.emission.densities(bundle)
        found, shares = filter_states(
            chain._replace(start=start), densities, bundle.offsets, type(self._model).__name__
        )
        self.probabilities = shares[0]
        self.log_likelihood += float(found[0])
        self.n_rows += 1
        return self.probabilities

    def forecast(self, steps: int = 1) -> StateForecast:
        """Return the distribution of the next steps."""
        if self.n_rows == 0:
            raise DataError("OnlineFilter.forecast: no row has been seen; call update first.")
        moments = self._parameters.emission.moments()
        return forecast_from(self.probabilities, self._parameters.chain.trans, steps, *moments)

    def _result_columns(self) -> dict[str, Any]:
        return {"state": list(range(len(self.probabilities))), "probability": self.probabilities.tolist()}

    def _result_picture(self, ax: Any) -> None:
        ax.bar(range(len(self.probabilities)), self.probabilities)
        ax.set(
            xlabel="state",
            ylabel=f"probability after {counted(self.n_rows, 'row')}",
            xticks=range(len(self.probabilities)),
            ylim=(0, 1),
        )

    def __repr__(self) -> str:
        states = ", ".join(f"{num(p):.3f}" for p in self.probabilities)
        return f"OnlineFilter after {counted(self.n_rows, 'row')}: states ({states}), log-likelihood {num(self.log_likelihood):.3f}"
