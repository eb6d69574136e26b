r"""Rows of the table beside what the kept model said of them while it had not seen them, the worst first.

The loss of a row is 1 - p_y(x) where the model gives probabilities, 1 or 0 for a wrong or right class where it gives none, and
|y - f(x)| of numbers.
"""

from typing import Any

import numpy as np

from novum.lab.analyst.folder import Study
from novum.lab.analyst.page import Shown
from novum.lab.analyst.table_rows import cells_of, data_rows, in_slice, slice_control
from novum.lab.controls import LARGEST_SEED, Choice, Control, Number
from novum.lab.views import number, table

__all__ = ["NO_ROW", "closed", "controls", "losses_of", "row_control", "shown"]

MOST_ROWS, MOST_COLUMNS = 100, 40
NO_ROW = -1
LONGEST = 80  # characters of a cell


def closed(study: Study) -> str:
    if study.data is None:
        return "no_data"
    return "" if losses_of(study) is not None else "no_unseen"


def row_control() -> Control:
    """Return the control that chooses a row of the table; none by itself."""
    return Number(NO_ROW, LARGEST_SEED, NO_ROW, integer=True)


def controls(study: Study, state: dict[str, Any]) -> dict[str, Control]:
    return {"order": Choice(("worst", "table"), "worst"), **slice_control(study), "row": row_control()}


def losses_of(study: Study) -> np.ndarray | None:
    """Return the loss of every row of unseen.parquet, NaN where the kept model was not asked; None where it never was."""
    kept = study.document["kept"]
    if kept is None or not study.unseen:
        return None
    place = study.leaders.index(kept["name"])
    said, y = study.said_by(place), study.unseen["y"]
    if said is None:
        return None
    if not study.labels:
        return np.abs(y - said)
    known = np.array([one is not None for one in said], dtype=bool)
    loss = np.where(known, (said != y).astype(np.float64), np.nan)
    for label in study.labels:
        p = study.probabilities(place, label)
        if p is not None:
            loss = np.where(y == label, 1 - p, loss)
    return loss


def shown(study: Study, state: dict[str, Any]) -> Shown:
    losses, made = losses_of(study), data_rows(study)
    assert losses is not None
    place = study.leaders.index(study.document["kept"]["name"])
    rows, said, y = study.unseen["row"], study.said_by(place), study.unseen["y"]
    assert said is not None
    chosen = np.isfinite(losses)
    if state.get("slice"):
        chosen &= np.isin(rows, in_slice(study, state["slice"]))
    places = np.flatnonzero(chosen)
    order = np.argsort(-losses[places], kind="stable") if state["order"] == "worst" else np.argsort(rows[places])
    listed = places[order][:MOST_ROWS]
    names = made.schema.names[:MOST_COLUMNS]
    where = {int(number): k for k, number in enumerate(made.numbers)}
    cells = [cells_of(made, where[int(rows[k])], names) for k in listed]
    arrays = {
        "columns": [*(f"label.{one}" for one in ("row", "truth", "said", "loss")), *names],
        "rows": [
            [int(rows[k]), y[k], said[k], losses[k], *(short(one[name]) for name in names)]
            for k, one in zip(listed, cells)
        ],
        "numbers": [int(rows[k]) for k in listed],
        "chosen": [at for at, k in enumerate(listed) if int(rows[k]) == state["row"]],
    }
    views = [
        table(columns="columns", rows="rows", marked="chosen", pick="row", picked="numbers"),
        number("rows"),
        number("loss"),
    ]
    values = {"rows": len(places), "loss": losses[places].mean() if len(places) else None}
    return Shown(values, arrays, views, ("rows", {"listed": len(listed), "rows": len(places)}))


def short(cell: Any) -> Any:
    """Return a cell as a table shows it."""
    return cell[:LONGEST] if isinstance(cell, str) else cell
