r"""Has a column moved since training? Reported at prediction, from a summary of every column that the model file keeps.

    numbers, dates   values v_1 < ... < v_k of the training column and its share F(v_i) up to each; with the share G(v_i) of
                     the new rows, D = max_i |G(v_i) - F(v_i)| is at most the distance of Kolmogorov and Smirnov, so that its
                     p-value is safe; one row in so many training rows is taken off it, since F is an estimate too        (1)
    categories       the chi-squared test of the counts, rare levels together; Fisher's exact test for few rows         (2)
    missing cells    Fisher's exact test of their shares                                                                (3)

All p-values of a table are adjusted by Holm. A column is named where the adjusted p is at most 1 % and the move is large enough
to matter: D, or the largest change of a share, of a tenth. So at most one table in a hundred that has not moved is warned
about. The population stability index of the sentence is sum (a_i - e_i) ln(a_i / e_i) over ten bins or the levels, with half a
row added to every bin; above .25 it is usually called a large move.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy.stats import chi2_contingency, fisher_exact, kstwo

from novum.evaluation import holm
from novum.report.numbers import counted, num, number, percent
from novum.study.data.schema import Schema
from novum.study.data.table import DATE, Column, Table
from novum.study.scoring.measures import probability

__all__ = ["drift_notes", "reference_of"]

MOST_POINTS, LEAST_POINTS, MOST_CELLS = 256, 24, 60_000  # values kept of a column, and of all
MOST_LEVELS = 100  # counts kept of a category; the others are counted together
LEVEL = 0.01
LEAST_MOVE = 0.1
EXPECTED = 5  # rows in a cell of the chi-squared test
BINS = 10


class Move(NamedTuple):
    """What one test of one column found."""

    column: str
    p_value: float
    size: float
    words: str


def as_numbers(column: Column) -> np.ndarray:
    """Return numbers, dates as days."""
    if column.kind == DATE:
        return np.where(column.missing, np.nan, column.values.astype("datetime64[s]").astype(np.int64) / 86_400.0)
    return np.asarray(column.values, dtype=np.float64)


def reference_of(table: Table, schema: Schema) -> dict[str, dict[str, Any]]:
    """Return what is kept of every column that takes part, as plain values."""
    points = int(np.clip(MOST_CELLS // max(1, len(schema.names)), LEAST_POINTS, MOST_POINTS))
    kept: dict[str, dict[str, Any]] = {}
    for name, role in zip(schema.names, schema.roles):
        column = table.columns[name]
        missing = int(column.missing.sum())
        entry: dict[str, Any] = {"rows": table.n_rows, "missing": missing}
        if role in ("number", "date"):
            known = np.sort(as_numbers(column)[~column.missing])
            if len(known):
                chosen = np.unique(known[np.round(np.linspace(0, len(known) - 1, points)).astype(int)])
                entry["values"] = chosen
                entry["shares"] = np.round(np.searchsorted(known, chosen, side="right") / len(known), 6)
        elif role == "category":
            levels, counts = np.unique(column.values[~column.missing].astype(str), return_counts=True)
            order = np.argsort(-counts, kind="stable")[:MOST_LEVELS]
            entry["levels"] = [str(level) for level in levels[order]]
            entry["counts"] = [int(count) for count in counts[order]]
        kept[name] = entry
    return kept


def drift_notes(table: Table, schema: Schema, reference: dict[str, dict[str, Any]]) -> list[str]:
    """Return a sentence for every column that has moved, most surely moved first; none where nothing has."""
    moves: list[Move] = []
    for name, role in zip(schema.names, schema.roles):
        entry = reference.get(name)
        if entry is None or table.n_rows == 0:
            continue
        column = table.columns[name]
        moves += missing_move(column, entry)
        if role == "category" and entry.get("levels"):
            moves += level_move(column, entry)
        elif role in ("number", "date") and len(entry.get("values", ())):
            moves += value_move(column, entry, role)
    if not moves:
        return []
    adjusted = holm([move.p_value for move in moves])
    order = np.argsort(adjusted, kind="stable")
    return [
        f"{moves[i].column} has moved since training (p {probability(adjusted[i])}, adjusted for {counted(len(moves), 'test')}):"
        f" {moves[i].words}"
        for i in order
        if adjusted[i] <= LEVEL and moves[i].size >= LEAST_MOVE
    ]


def value_move(column: Column, entry: dict[str, Any], role: str) -> list[Move]:
    """Return (1) for a column of numbers or dates."""
    now = np.sort(as_numbers(column)[~column.missing])
    if not len(now):
        return []
    values, then = np.asarray(entry["values"]), np.asarray(entry["shares"])
    share = np.searchsorted(now, values, side="right") / len(now)
    distance = float(np.abs(share - then).max())
    known = entry["rows"] - entry["missing"]
    least = max(0.0, distance - 1 / (known + 1))
    p = float(kstwo.sf(least, max(1, round(len(now) * known / (len(now) + known)))))
    edges = np.unique(np.searchsorted(then, np.arange(1, BINS) / BINS))
    edges = edges[edges < len(values) - 1]
    before = np.diff(np.concatenate([[0.0], then[edges], [1.0]]))
    after = np.diff(np.concatenate([[0.0], share[edges], [1.0]]))
    middle = float(values[min(int(np.searchsorted(then, 0.5)), len(values) - 1)])
    words = (
        f"median {value_text(middle, role)} then, {value_text(float(np.median(now)), role)} in these rows"
        f" (KS {num(distance):.2f}, PSI {num(stability_index(before, after, known, len(now))):.2f})"
    )
    return [Move(column.name, p, distance, words)]


def value_text(value: float, role: str) -> str:
    """Return a number or a date for a sentence."""
    return str(np.datetime64(int(value), "D")) if role == "date" else number(value)


def level_move(column: Column, entry: dict[str, Any]) -> list[Move]:
    """Return (2) for a column of categories."""
    levels, counts = entry["levels"], np.asarray(entry["counts"], dtype=np.float64)
    known = column.values[~column.missing].astype(str)
    if not len(known):
        return []
    place = {level: k for k, level in enumerate(levels)}
    now = np.bincount([place.get(value, len(levels)) for value in known], minlength=len(levels) + 1).astype(float)
    then = np.append(counts, max(0, entry["rows"] - entry["missing"] - int(counts.sum())))
    table = np.array([then, now])
    p, merged = homogeneity(table)
    before, after = then / then.sum(), now / now.sum()
    k = int(np.argmax(np.abs(after - before)))
    label = repr(levels[k]) if k < len(levels) else "rare or new values"
    words = (
        f"{label} in {percent(before[k], 0)} of the rows then, {percent(after[k], 0)} of these"
        f" (PSI {num(stability_index(before, after, then.sum(), now.sum())):.2f})"
    )
    return [Move(column.name, p, float(np.abs(after - before).max()), words)] if merged > 1 else []


def homogeneity(table: np.ndarray) -> tuple[float, int]:
    """Return the p-value that two rows of counts have the same shares, and the number of groups compared.

    Levels that expect too few rows are put together, the rarest first; where all but one would be, it is Fisher's test of the most
    frequent against the others.
    """
    table = table[:, table.sum(axis=0) > 0]
    if table.shape[1] < 2:
        return 1.0, table.shape[1]
    table = table[:, np.argsort(-table.sum(axis=0), kind="stable")]
    expected = table.sum(axis=0) * table.sum(axis=1).min() / table.sum()
    enough = int((expected >= EXPECTED).sum())
    if enough < table.shape[1]:
        rest = table[:, enough:].sum(axis=1)
        if rest.sum() * table.sum(axis=1).min() / table.sum() < EXPECTED and enough > 0:
            rest = rest + table[:, enough - 1]
            enough -= 1
        table = np.column_stack([table[:, :enough], rest])
    if table.shape[1] >= 2 and (table.sum(axis=0) * table.sum(axis=1).min() / table.sum() >= EXPECTED).all():
        return float(chi2_contingency(table, correction=table.shape[1] == 2).pvalue), table.shape[1]
    if table.shape[1] < 2:
        return 1.0, 1
    pair = np.column_stack([table[:, 0], table[:, 1:].sum(axis=1)])
    return float(fisher_exact(pair).pvalue), 2


def missing_move(column: Column, entry: dict[str, Any]) -> list[Move]:
    """Return (3) for a column, nothing where no cell is missing then or now."""
    now, rows = int(column.missing.sum()), len(column.missing)
    if now == 0 and entry["missing"] == 0:
        return []
    then = entry["missing"], entry["rows"] - entry["missing"]
    p = float(fisher_exact([[now, rows - now], list(then)]).pvalue)
    shares = now / rows, entry["missing"] / max(1, entry["rows"])
    words = f"missing in {percent(shares[1], 0)} of the rows then, in {percent(shares[0], 0)} of these"
    return [Move(column.name, p, abs(shares[0] - shares[1]), words)]


def stability_index(before: np.ndarray, after: np.ndarray, n_before: float, n_after: float) -> float:
    """Return the population stability index, with half a row added to every bin."""
    k = len(before)
    e = (before * n_before + 0.5) / (n_before + 0.5 * k)
    a = (after * n_after + 0.5) / (n_after + 0.5 * k)
    return float(((a - e) * np.log(a / e)).sum())
