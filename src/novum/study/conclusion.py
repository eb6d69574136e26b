"""The last steps of a study: choose, fit on the training rows, judge on the rows put away, explain; then fit on every row."""

from time import perf_counter

import numpy as np

from novum.exceptions import DataError
from novum.report.numbers import counted
from novum.study.comparison.choose import choose
from novum.study.comparison.clock import LOOKING, Clock
from novum.study.comparison.fits import Rows
from novum.study.comparison.limits import ColumnLimits, broken_pairs, limits_in_words
from novum.study.data.schema import attach
from novum.study.data.table import Table
from novum.study.final import fit_again, fit_seconds, keep, model_to_save
from novum.study.hold_out import judge_held_out
from novum.study.insight.explain import MOST_SECONDS, explain, pipelines_in
from novum.study.insight.fairness import compare_groups
from novum.study.insight.findings import look_further
from novum.study.insight.model_function import model_function_of
from novum.study.listener import Listener
from novum.study.memory.kept import memory_from, remember
from novum.study.result import StudyResult

__all__ = ["conclude"]


def conclude(
    result: StudyResult,
    *,
    table: Table,
    rows: Rows,
    limits: ColumnLimits,
    train: np.ndarray,
    held: np.ndarray,
    clock: Clock,
    listener: Listener,
) -> None:
    """Keep a model, and write into the result what can be said of it."""
    judge, options, positive = rows.judge, result.options, result.positive
    ordered = options["time"] is not None
    if result.scores is None:
        raise DataError("StudyResult: nothing has been compared yet.")
    first, _ = choose(result.leaders, judge.measure, options["prefer"])
    listener.fitting(len(train), fit_seconds(result.scores, first.position, len(train)))
    kept = keep(
        result.leaders,
        result.scores,
        rows,
        train,
        prefer=options["prefer"],
        ordered=ordered,
        until=clock.until(),
        surely=clock.report_at(),
    )
    model = kept.model
    read = result.read([(part.candidate.name, one[0]) for part, one in zip(kept.parts, pipelines_in(model))])
    listener.step("keep", [f"{kept.leader.name}: {kept.reason} on {counted(len(train), 'row')}", *read])
    hold, said = judge_held_out(rows, held, model, positive=positive, by_class=options["group"] is None and not ordered)
    result.hold_out = hold
    listener.step("hold-out", [line for line in (result.judged(), result.doubted()) if line])
    listener.fitting(len(rows.y), fit_seconds(result.scores, kept.leader.position, len(rows.y)))
    final = fit_again(rows, kept, ordered=ordered, until=clock.until())
    result.of_folds, result.refitted, result.share = kept.of_folds, final is not None, kept.share
    explaining, seconds = perf_counter(), clock.to_explain(MOST_SECONDS)
    explanation = explain(
        model,
        frame=rows.frame.iloc[held],
        y=hold.y,
        said=said,
        judge=judge,
        positive=positive,
        seconds=seconds,
        advance=listener.explained,
        weight=None if rows.weight is None else rows.weight[held],
    )
    result.findings = found = look_further(
        rows,
        kept=kept,
        scores=result.scores,
        train=train,
        held=held,
        said=said,
        explanation=explanation,
        schema=result.schema,
        positive=positive,
        seconds=LOOKING * seconds - (perf_counter() - explaining),
        ordered=ordered,
        advance=listener.looked,
    )
    if limits.any:
        machine, frame = model_function_of(model)._replace(classes=judge.classes), rows.frame.iloc[held]
        about = 0 if judge.classes is None else 1 if positive is None else positive
        places = {name: [at[0] for at in machine.places(frame, {name: [name]})] for name in limits.signs}
        broken = broken_pairs(
            lambda X: machine.values(X)[:, about], machine.matrices(frame), places, limits.signs, result.random_state
        )
        result.limited = limits_in_words(limits, broken)
        listener.step("limits", result.limited)
    if options["fair"] and found.unseen is not None:
        rows_of, used = found.unseen.rows, set(result.schema.names)
        columns = [(table.columns[name].take(rows_of), name in used) for name in options["fair"]]
        result.fairness = compare_groups(columns, rows.y[rows_of], found.unseen.said, judge, positive)
        listener.step("fair", [one.sentence() for one in result.fairness])
    saved = attach(model_to_save(final if result.refitted else model, judge), result.schema)
    remember(saved, memory_from(found, table, result.schema, rows.frame, result.random_state, positive))
    result.finished(saved, kept.leader, kept.reason, hold, explanation, kept.changes, model)
