"""What was found about groups as blocks of the report: a table of the groups and one of their gaps, for every column."""

from typing import Any

from novum.report.numbers import counted, decimal, num, number, percent
from novum.study.insight.fairness import FEW_ROWS, LEAST_ROWS, LEVEL, Fairness
from novum.study.report.blocks import Block, Cell
from novum.study.scoring.measures import probability

__all__ = ["fair_blocks"]


def fair_blocks(result: Any) -> list[Block]:
    """Return the blocks of all columns whose groups were compared."""
    found = []
    for place, one in enumerate(result.fairness):
        found += [group_block(one, place, result), gap_block(one, place)]
    return found


def group_block(one: Fairness, place: int, result: Any) -> Block:
    """Return the groups of a column with measure and calibration."""
    text, two = one.measure.text, len(result.task.labels) == 2
    probabilities = any(score.error == score.error for score in one.scores)
    values = not result.task.labels or (two and probabilities)
    shown = percent if two else number
    what = result.task.labels[1 if result.positive is None else result.positive] if two else result.task.target
    heads = ["group", "rows", one.measure.title, "95 % interval"]
    heads += (
        [f"mean probability of {what}" if two else f"mean prediction of {what}", "was so" if two else "mean"]
        if values
        else []
    )
    heads += ["calibration error", "p (Holm)"] if probabilities else []
    rows = []
    for score in one.scores:
        ends = f"{text(score.interval.lower)} to {text(score.interval.upper)}"
        cells = [
            Cell(score.group),
            Cell(f"{score.rows:,}", score.rows),
            Cell(text(score.score), score.score) if score.score == score.score else Cell("not defined"),
            Cell(ends, score.interval.lower) if score.interval.lower == score.interval.lower else Cell("-"),
        ]
        cells += [Cell(shown(score.said), score.said), Cell(shown(score.truth), score.truth)] if values else []
        if probabilities:
            cells += [Cell(decimal(score.error), score.error), Cell(probability(score.error_p), score.error_p)]
        rows.append(cells)
    used = (
        "The model learns from it."
        if one.used
        else "The model does not learn from it; other columns may still tell it."
    )
    said = one.sentence().removeprefix(f"{one.column}: ")
    words = [f"{used} {said[:1].upper()}{said[1:]}."]
    if one.small:
        words.append(
            f"Too few rows to say anything (fewer than {LEAST_ROWS}): "
            + ", ".join(f"{name} ({counted(count, 'row')})" for name, count in one.small)
            + ". They count among the others."
        )
    if one.few:
        words.append(
            f"Few rows, so much may be hidden (fewer than {FEW_ROWS}): "
            + ", ".join(f"{name} ({counted(count, 'row')})" for name, count in one.few)
            + "."
        )
    off = [score.group for score in one.scores if score.error_p <= LEVEL]
    if off:
        words.append(f"Probabilities are off by more than chance explains in: {', '.join(off)}.")
    rest = "each predicted by a model that had not seen it" if result.findings.folds else "those put away"
    return Block(
        f"fair-{place + 1}",
        f"By group: {one.column}",
        words,
        caption=f"{one.measure.title} by {one.column}, of {counted(one.rows, 'row')}, {rest}",
        heads=heads,
        rows=rows,
    )


def gap_block(one: Fairness, place: int) -> Block:
    """Return the gaps of a column."""
    shown = percent if one.shares else number

    def signed(value: float) -> str:
        return f"{num(100 * value):+.1f}" if one.shares else f"{num(value):+.4g}"

    rows = [
        [
            Cell(gap.group),
            Cell(gap.what),
            Cell(shown(gap.value), gap.value),
            Cell(shown(gap.elsewhere), gap.elsewhere),
            Cell(signed(gap.difference), gap.difference),
            Cell(f"{signed(gap.interval.lower)} to {signed(gap.interval.upper)}", gap.interval.lower),
            Cell(probability(gap.p_value), gap.p_value),
        ]
        for gap in one.gaps
    ]
    difference = "gap (points)" if one.shares else "gap"
    return Block(
        f"gaps-{place + 1}",
        "",
        [],
        caption=f"Each group of {one.column} against all other rows; p-values adjusted for {counted(one.tests, 'test')}",
        heads=["group", "what", "here", "elsewhere", difference, "95 % interval", "p (Holm)"],
        rows=rows,
        folded=len(rows) > 12,
    )
