"""What an iterative fit did, pass by pass: a sequence of floats that can be plotted, tabulated and saved."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import DTypeLike, NDArray

from novum.report.axes import drawing_axes
from novum.report.legends import draw_legend
from novum.report.numbers import counted, num
from novum.report.result import Result
from novum.report.tables import html_table

__all__ = ["History"]

SHOWN = 6  # values in a repr, rows in a table: the beginning and the end tell the story
WIDTH, HEIGHT, MARGIN = 240, 60, 3  # of the line in a notebook, in pixels


def shown_places(count: int) -> list[int | None]:
    """Return the indices to show of `count` values; None stands for those left out."""
    if count <= SHOWN:
        return list(range(count))
    return [*range(SHOWN // 2), None, *range(count - SHOWN // 2, count)]


def sparkline(values: NDArray) -> str:
    """Return the finite values as a line in SVG."""
    (at,) = np.isfinite(values).nonzero()
    if len(at) < 2:
        return ""
    drawn = values[at]
    extent = np.ptp(drawn) or 1.0
    x = MARGIN + (WIDTH - 2 * MARGIN) * at / max(len(values) - 1, 1)
    y = MARGIN + (HEIGHT - 2 * MARGIN) * (drawn.max() - drawn) / extent
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y))
    line = f'<polyline points="{points}" fill="none" stroke="currentColor"/>'
    return f'<svg width="{WIDTH}" height="{HEIGHT}" role="img">{line}</svg>'


class History(Sequence[float], Result):
    """The objective after every pass of a fit, and whatever else was recorded with it.

    It behaves as a sequence of floats: index it, slice it, compare it with a list, give it to NumPy. Columns other than
    the objective are reached by name, `history["step"]`.

    Parameters
    ----------
    objective : iterable of float, default=()
        The values so far.
    columns : mapping of str to iterables of float, default=None
        Further columns, as long as `objective`.
    name : str, default="objective"
        What the objective is called in tables and pictures.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.base.history import History
    >>> history = History(name="log-likelihood")
    >>> for value in (-10.0, -4.0, -3.5):
    ...     history.append(value, change=0.5)
    >>> history
    History([-10.0, -4.0, -3.5], name='log-likelihood', columns=['change'])
    >>> bool((np.diff(history) > 0).all()), history[-1], history["change"]
    (True, -3.5, [0.5, 0.5, 0.5])
    """

    def __init__(
        self,
        objective: Iterable[float] = (),
        columns: Mapping[str, Iterable[float]] | None = None,
        *,
        name: str = "objective",
    ) -> None:
        self.name = name
        self.objective = [float(value) for value in objective]
        self.columns = {key: [float(value) for value in values] for key, values in (columns or {}).items()}
        for key, values in self.columns.items():
            if len(values) != len(self.objective):
                raise ValueError(
                    f"History: column {key!r} has {counted(len(values), 'value')} for {counted(len(self.objective), 'pass')}."
                )

    def append(self, objective: float, **columns: float) -> None:
        """Record a pass. A column that is missing, now or earlier, is NaN there."""
        for key in columns.keys() - self.columns.keys():
            self.columns[key] = [float("nan")] * len(self.objective)
        self.objective.append(float(objective))
        for key, values in self.columns.items():
            values.append(float(columns.get(key, float("nan"))))

    def __len__(self) -> int:
        return len(self.objective)

    @overload
    def __getitem__(self, index: int) -> float: ...
    @overload
    def __getitem__(self, index: slice) -> "History": ...
    @overload
    def __getitem__(self, index: str) -> list[float]: ...

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, str):
            if index == self.name:
                return self.objective
            if index not in self.columns:
                raise KeyError(f"no column {index!r} in this history; there are {[self.name, *self.columns]}")
            return self.columns[index]
        if isinstance(index, slice):
            columns = {key: values[index] for key, values in self.columns.items()}
            return History(self.objective[index], columns, name=self.name)
        return self.objective[index]

    def __eq__(self, other: object) -> bool:
        if isinstance(other, History):
            return (self.name, self.objective, self.columns) == (other.name, other.objective, other.columns)
        if isinstance(other, list | tuple):
            return self.objective == list(other)
        return NotImplemented

    __hash__ = None  # type: ignore[assignment]  # it grows

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray:
        if copy is False:
            raise ValueError("History: its values are a list, so an array of them is always a copy.")
        return np.array(self.objective, dtype=np.float64 if dtype is None else dtype)

    def __repr__(self) -> str:
        shown = ", ".join("..." if k is None else repr(self.objective[k]) for k in shown_places(len(self)))
        extra = f", columns={list(self.columns)}" if self.columns else ""
        passes = f", passes={len(self)}" if len(self) > SHOWN else ""
        return f"History([{shown}], name={self.name!r}{extra}{passes})"

    def _repr_html_(self) -> str:
        names = [self.name, *self.columns]
        rows = [["pass", *names]]
        for k in shown_places(len(self)):
            cells = ["..."] * (len(names) + 1)
            if k is not None:
                cells = [str(k + 1), *(f"{num(self[name][k]):.6g}" for name in names)]
            rows.append(cells)
        return f"<div>{sparkline(np.asarray(self))}{html_table(rows)}</div>"

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with a row per pass, numbered from 1."""
        import pandas as pd

        index = pd.RangeIndex(1, len(self) + 1, name="pass")
        return pd.DataFrame({self.name: self.objective, **self.columns}, index=index)

    def plot(self, ax: Any = None, *, label: str | None = None) -> Any:
        """Draw the objective against the pass and return the axes; a new figure is made when `ax` is None.

        With a `label` there is a legend, for several histories on the same axes.
        """
        ax = drawing_axes(ax)
        ax.plot(range(1, len(self) + 1), self.objective, label=label)
        ax.set(xlabel="pass", ylabel=self.name)
        if label is not None:
            draw_legend(ax)
        return ax
