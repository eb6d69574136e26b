r"""The rows of the table nearest to a row that was made up, with their truth and what the model said of them unseen.

The distance of two rows a and b takes the numbers of the prepared columns in units of their standard deviation s_j over the study's
rows (dates as days, from their last part), and every category as equal or not:

    d(a, b)^2 = sum_j ((a_j - b_j) / s_j)^2 + sum_k 2 [a_k != b_k]                                                         (1)

which is the squared Euclidean distance of standardised numbers beside one column of 0 and 1 per level. A missing number stands at
the mean, 1 away from every known one besides (a level of its own); text in words has no part in it.
"""

from typing import Any

import numpy as np

from novum.lab.analyst.folder import Study
from novum.lab.analyst.table_rows import cells_of, data_rows
from novum.study.comparison.pipelines import WORDS

__all__ = ["MOST_COLUMNS", "NEAREST", "nearest_rows", "squared_distances"]

NEAREST = 5
MOST_COLUMNS = 40  # of a row that is listed
LEVELS = 2.0  # squared distance of two levels


def squared_distances(rows: Any, row: Any, schema: Any) -> np.ndarray:
    """Return (1) of all prepared rows to one."""
    dates = {name for name, role in zip(schema.names, schema.roles) if role == "date"}
    total = np.zeros(len(rows))
    for name in rows.columns:
        if name.endswith(WORDS):
            continue
        column, here = rows[name].to_numpy(), row[name].to_numpy()[0]
        if column.dtype.kind == "O":
            missing = np.array([one != one for one in column], dtype=bool)
            equal = missing if here != here else (column == here) & ~missing
            total += LEVELS * ~equal
        elif not any(name.startswith(f"{date} (") and not name.endswith("(day)") for date in dates):
            known = np.isfinite(column)
            center, scale = (column[known].mean(), column[known].std()) if known.any() else (0.0, 0.0)
            value = here if np.isfinite(here) else center
            gaps = np.where(known, column, center) - value
            total += (gaps / scale) ** 2 if scale else 0.0
            total += LEVELS * (known != bool(np.isfinite(here)))
    return total


def nearest_rows(study: Study, row: Any) -> list[list[Any]]:
    """Return the nearest rows of the table: number, distance, truth, what the kept model said unseen, and their cells.

    `row` is a frame of one row, prepared as the model takes it.
    """
    made = data_rows(study)
    d2 = squared_distances(made.frame, row, made.schema)
    listed = []
    for place in np.argsort(d2, kind="stable")[:NEAREST]:
        number = int(made.numbers[place])
        cells = cells_of(made, int(place), made.schema.names[:MOST_COLUMNS])
        listed.append([number, float(np.sqrt(d2[place])), *said_of(study, made, int(place)), *cells.values()])
    return listed


def said_of(study: Study, made: Any, place: int) -> tuple[Any, Any]:
    """Return the truth of a row and what the kept model said of it while it had not seen it, None where it was not asked."""
    truth = made.task.y[place]
    truth = str(truth) if study.labels else float(truth)
    kept = study.document["kept"]
    said = None if kept is None else study.said_by(study.leaders.index(kept["name"]))
    if said is None:
        return truth, None
    at = np.flatnonzero(study.unseen["row"] == made.numbers[place])
    found = said[at[0]] if len(at) else None
    return truth, None if found is None or found != found else found if study.labels else float(found)
