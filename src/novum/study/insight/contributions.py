"""Single predictions explained: what every column adds, as Shapley values that add up to the prediction less the mean one.

The rows to compare with are those that the model file keeps; `novum.study.insight.shapley` has the formulas.
"""

from typing import Any, NamedTuple

import numpy as np

from novum.exceptions import DataError, ParameterError
from novum.report.numbers import counted, decimal, num, number, percent
from novum.report.result import result
from novum.report.tables import text_table
from novum.study.data.schema import Schema, prepare, schema_of
from novum.study.data.table import BOOL, DATE, TEXT, Column
from novum.study.data.task import CLASSIFICATION
from novum.study.insight.findings import players_in
from novum.study.insight.model_function import frame_columns, model_function_of
from novum.study.insight.shapley import shapley_values
from novum.study.memory.kept import background_frame, memory_of
from novum.study.predictions import Reach, checked_rows, reach_of

__all__ = ["Contributions", "contributions_text", "explain_table"]

LONGEST_CELL = 32
SHOWN = 12  # columns of a row in the text; the rest is summed up
ORDERS = 4
USUAL_LEVEL = 0.9


@result
class Contributions(NamedTuple):
    """Predictions of rows and what every column adds to them."""

    columns: list[str]
    cells: list[list[str]]  # of every row, as text
    predicted: list[Any]
    output: list[str]  # of every row: the class whose probability is explained, or the target
    classes: bool  # whether it is a probability
    said: np.ndarray  # (rows,): the number or probability explained
    base: np.ndarray  # (rows,): the mean of the same over the background
    values: np.ndarray  # (rows, columns): they add up to said - base
    errors: np.ndarray  # their standard errors; 0 where exact
    reach: Reach | None  # None where the model file does not allow it
    notes: list[str]

    def __repr__(self) -> str:
        return "\n".join(contributions_text(self))

    def _result_caption(self) -> str:
        return "What every column adds to the mean prediction"

    def _result_columns(self) -> dict[str, Any]:
        added = {name: self.values[:, j].tolist() for j, name in enumerate(self.columns)}
        columns = {"predicted": [plain(value) for value in self.predicted], "explains": self.output}
        return {**columns, "value": self.said.tolist(), "base": self.base.tolist(), **added}

    def _result_picture(self, ax: Any) -> None:
        order = np.argsort(np.abs(self.values[0]), kind="stable")[-SHOWN:]
        ax.barh([f"{self.columns[j]} = {self.cells[0][j]}" for j in order], self.values[0][order])
        ax.axvline(0.0, color="0.6", linewidth=0.8)
        about = f"the probability of {self.output[0]}" if self.classes else self.output[0]
        ax.set(
            xlabel=f"adds to {about}", title=f"Row 1: {num(self.said[0]):.4g}, mean prediction {num(self.base[0]):.4g}"
        )

    def records(self) -> list[dict[str, Any]]:
        """Return the rows as plain values."""
        found = []
        for i in range(len(self.said)):
            found.append(
                {
                    "row": i + 1,
                    "predicted": plain(self.predicted[i]),
                    "explains": self.output[i],
                    "value": float(self.said[i]),
                    "base": float(self.base[i]),
                    "contributions": {n: float(v) for n, v in zip(self.columns, self.values[i])},
                    "standard_errors": {n: float(v) for n, v in zip(self.columns, self.errors[i])},
                    **reach_record(self.reach, i),
                }
            )
        return found


def plain(value: Any) -> Any:
    """Return a value as JSON has it."""
    return value.item() if isinstance(value, np.generic) else value


def reach_record(reach: Reach | None, i: int) -> dict[str, Any]:
    """Return the interval or set of a row."""
    if reach is None:
        return {}
    if reach.lower is None or reach.upper is None:
        return {"level": reach.level, "set": reach.sets[i]}
    return {"level": reach.level, "lower": float(reach.lower[i]), "upper": float(reach.upper[i])}


def explain_table(
    model: Any,
    frame: Any,
    *,
    about: str | None = None,
    level: float | None = None,
    unseen: bool = False,
    seed: int = 0,
    name: str = "the model",
) -> Contributions:
    """Return the contributions of the columns to the predictions of some rows.

    Parameters
    ----------
    model : estimator
        As `novum.load` gives it.
    frame : pandas, polars or pyarrow frame, or Table
    about : str or None, default=None
        The class whose probability is explained; None: that which is predicted, row by row.
    level : float or None, default=None
        Of the interval or set beside every prediction; None: 0.9, and none beside it where the model file does not allow that.
    unseen : bool, default=False
        Take categories that the model never saw, instead of raising.
    """
    schema = schema_of(model, name)
    memory = memory_of(model, schema, name, "explanations")
    classes = getattr(model, "classes_", None) if schema.task == CLASSIFICATION else None
    labels = [] if classes is None else [str(label) for label in classes]
    if about is not None and about not in labels:
        known = f"its classes are {', '.join(labels[:8])}" if labels else "it predicts numbers; leave out --class"
        raise ParameterError(f"--class {about}: {name} does not know it; {known}.")
    table, notes = checked_rows(frame, schema, unseen)
    if table.n_rows == 0:
        raise DataError(f"{table.name}: has no rows to explain.")
    prepared, behind = prepare(table, schema), background_frame(memory, schema)
    machine = model_function_of(model)._replace(classes=classes)
    groups = frame_columns(schema)
    order = [*memory.players, *(column for column in groups if column not in memory.players)]
    players = players_in(order, groups)
    found = shapley_values(
        machine,
        machine.matrices(prepared),
        machine.matrices(behind),
        machine.places(behind, players),
        orders=ORDERS,
        seed=seed,
    )
    predicted = model.predict(prepared)
    n = len(predicted)
    place = np.zeros(n, dtype=int)
    if classes is not None:
        place = np.searchsorted(classes, predicted) if about is None else np.full(n, labels.index(about))
    rows = np.arange(n)
    return Contributions(
        columns=list(players),
        cells=[[cell_text(table.columns[c], i) if c in table.columns else "" for c in players] for i in range(n)],
        predicted=list(predicted),
        output=[labels[k] for k in place] if labels else [schema.target] * n,
        classes=bool(labels),
        said=found.said[rows, place],
        base=found.base[place],
        values=found.values[rows, :, place],
        errors=found.errors[rows, :, place],
        reach=reach_beside(model, schema, prepared, predicted, level, name),
        notes=notes,
    )


def reach_beside(
    model: Any, schema: Schema, prepared: Any, predicted: Any, level: float | None, name: str
) -> Reach | None:
    """Return the intervals or sets; None where no level was requested and the usual one cannot be had."""
    try:
        return reach_of(model, schema, prepared, predicted, USUAL_LEVEL if level is None else level, name)
    except (DataError, ParameterError):
        if level is not None:
            raise
        return None


def cell_text(column: Column, i: int) -> str:
    """Return a cell as it is printed."""
    value = column.values[i]
    if column.kind == TEXT:
        text = "missing" if value is None else " ".join(str(value).split())
    elif column.kind == DATE:
        text = "missing" if np.isnat(value) else str(value.astype("datetime64[D]"))
    elif np.isnan(value):
        text = "missing"
    elif column.kind == BOOL:
        text = "true" if value else "false"
    else:
        text = f"{num(value):.6g}"
    return text if len(text) <= LONGEST_CELL else text[: LONGEST_CELL - 1] + "…"


def contributions_text(found: Contributions) -> list[str]:
    """Return rows and contributions as lines of text, the largest first."""
    share = found.classes
    text = decimal if share else number
    lines: list[str] = []
    for i in range(len(found.said)):
        order = np.argsort(-np.abs(found.values[i]), kind="stable")
        predicted = found.predicted[i] if share else number(float(found.predicted[i]))
        about = f", probability of {found.output[i]} {decimal(found.said[i])}" if share else ""
        lines.append(f"row {i + 1}: predicted {predicted}{about}{reach_words(found.reach, i)}")
        rows = [["", "value", "adds"], ["mean prediction", "", text(found.base[i])]]
        rows += [[found.columns[j], found.cells[i][j], signed(found.values[i, j], text)] for j in order[:SHOWN]]
        if len(order) > SHOWN:
            rest = float(found.values[i][order[SHOWN:]].sum())
            rows.append([counted(len(order) - SHOWN, "other"), "", signed(rest, text)])
        rows.append(["together", "", text(found.said[i])])
        lines += [*text_table(rows), ""]
    if (found.errors > 0).any():
        lines.append(
            f"contributions are sampled; the largest standard error is {num(found.errors.max()):.2g}, their sum is exact"
        )
    return lines[:-1] if lines and lines[-1] == "" else lines


def signed(value: float, text: Any) -> str:
    """Return a contribution with its sign."""
    return f"{'-' if value < 0 else '+'}{text(abs(value))}"


def reach_words(reach: Reach | None, i: int) -> str:
    """Return the interval or set of a row in words."""
    if reach is None:
        return ""
    if reach.lower is None or reach.upper is None:
        return f"; set at {percent(reach.level, 0)}: {', '.join(reach.sets[i])}"
    return f"; interval at {percent(reach.level, 0)}: {number(reach.lower[i])} to {number(reach.upper[i])}"
