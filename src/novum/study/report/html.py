"""The report: one HTML file that needs nothing else, made from the template beside this file.

What is computed here is only how things look: every number and sentence comes from the result of the study.
"""

from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np

from novum import __version__
from novum.persistence.versions import installed_version
from novum.report.numbers import counted, num
from novum.study.plots import svg
from novum.study.report.blocks import Block, Cell, download
from novum.study.report.fair_blocks import fair_blocks
from novum.study.report.insight_blocks import (
    ends_of,
    failing_blocks,
    growing_blocks,
    sure_blocks,
    using_blocks,
)
from novum.study.report.output import csv_text, rows_as_csv
from novum.study.result import bytes_text
from novum.study.scoring.measures import MEASURES, probability

__all__ = ["report_html"]

TEMPLATE = "report.html.j2"
MOST_BARS = 20  # rows of a bar chart; the table has all
PACKAGES = ("numpy", "scipy", "scikit-learn", "pandas")


def report_html(result: Any) -> str:
    """Return the report of a study."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    loader = FileSystemLoader(Path(__file__).parent / "templates")
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    page = environment.get_template(TEMPLATE).render(
        r=result,
        name=Path(result.name).name,
        made=datetime.now().strftime("%Y-%m-%d %H:%M"),
        version=__version__,
        versions={package: installed_version(package) for package in PACKAGES},
        comparison=comparison(result),
        judgement=judgement(result),
        usage=usage(result),
        data=data_card(result),
        method=method(result),
        blocks=finding_blocks(result),
    )
    return page


def finding_blocks(result: Any) -> dict[str, list[Block]]:
    """Return what was found about the kept model, by section."""
    if result.findings is None or not result.complete:
        return {}
    return {
        "sure": sure_blocks(result),
        "fails": failing_blocks(result),
        "fair": fair_blocks(result),
        "uses": using_blocks(result),
        "more": growing_blocks(result),
    }


def comparison(result: Any) -> dict[str, Any]:
    """Return the leaderboard as picture and table."""
    text = result.scoring.text
    rows, marks = [], []
    for leader in result.leaders:
        kept = result.kept is not None and leader.name == result.kept.name
        ends = f"{text(leader.interval.lower)} to {text(leader.interval.upper)}"
        p = "" if leader.best else probability(leader.p_value)
        verdict = "best mean" if leader.best else f"worse than the best? {leader.verdict}, p {p}"
        tip = f"{leader.name}: {text(leader.mean)} ({ends}); {verdict}"
        marks.append((leader.name, leader.mean, leader.interval.lower, leader.interval.upper, tip, kept))
        gap = leader.difference_interval
        rows.append(
            (
                kept,
                [
                    Cell(leader.name + (", tuned" if leader.tuned else "")),
                    Cell(text(leader.mean), leader.mean),
                    Cell(ends, leader.interval.lower),
                    Cell("best mean" if leader.best else leader.verdict),
                    Cell(p, 2.0 if leader.best else leader.p_value),  # sorted from least to most like the best
                    Cell(
                        ""
                        if leader.best
                        else f"{num(leader.difference):+.3f} ({num(gap.lower):+.3f} to {num(gap.upper):+.3f})",
                        leader.difference,
                    ),
                    Cell(f"{num(leader.seconds):.2g} s", leader.seconds),
                    Cell(bytes_text(leader.size), leader.size),
                    Cell(leader.by),
                ],
            )
        )
    title = f"{result.scoring.title} of every model with its 95 % interval"
    picture = (
        svg.intervals(marks, title, f"{result.scoring.title} (mean of {counted(folds_of(result), 'fold')})")
        if marks
        else ""
    )
    return {"picture": picture, "rows": rows, "csv": download(csv_text(result.to_frame()))}


def folds_of(result: Any) -> int:
    return len(result.scores.folds) if result.scores else 0


def judgement(result: Any) -> dict[str, Any]:
    """Return the pictures and tables of the hold-out rows."""
    found = result.explanation
    if found is None:
        return {}
    out: dict[str, Any] = {"pictures": [], "confusion": None, "measures": measures(result)}
    labels = [str(label) for label in result.task.labels]
    if found.confusion is not None:
        counts = found.confusion
        share = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
        out["confusion"] = [
            (
                labels[i],
                [(int(counts[i, j]), round(float(share[i, j]), 3), i == j) for j in range(len(labels))],
                f"{share[i, i]:.1%}",
                ends_of(share[i, i], counts[i].sum()) if counts[i].sum() else "-",
            )
            for i in range(len(labels))
        ]
        out["labels"] = labels
        head = ["true", "predicted", "rows"]
        out["csv"] = download(
            rows_as_csv(head, [[a, b, int(counts[i, j])] for i, a in enumerate(labels) for j, b in enumerate(labels)])
        )
    if found.roc is not None:
        roc, auc = found.roc, MEASURES["auc"]
        area, (low, high) = result.hold_out.every["auc"]  # the same as in the table of measures
        words = f"area {auc.text(area)}, 95 % interval {auc.text(low)} to {auc.text(high)}"
        picture = svg.curve(
            roc.false_rate,
            roc.true_rate,
            f"ROC curve on the hold-out rows, {words}",
            ("false alarms", f"found {roc.positive}"),
        )
        out["pictures"].append((f"ROC curve for {roc.positive}: {words}", picture))
    if found.observed is not None:
        y, f = found.observed, found.predicted
        target = result.task.target
        out["pictures"].append(
            (
                f"Predicted against true {target}; on the line they are equal",
                svg.scatter(f, y, f"Predicted against true {target}", ("predicted", "true"), "equal"),
            )
        )
        out["pictures"].append(
            (
                "Residuals (true minus predicted) against the prediction; a bend or a funnel means something is missing",
                svg.scatter(f, y - f, f"Residuals of {target}", ("predicted", "residual"), "zero"),
            )
        )
        out["csv"] = download(rows_as_csv(["true", "predicted"], np.column_stack([y, f]).tolist()))
    return out


def measures(result: Any) -> list[list[Cell]]:
    """Return all measures on the hold-out rows with their intervals."""
    rows = []
    for name, (value, interval) in result.hold_out.every.items():
        measure = MEASURES.get(name, result.scoring)
        ends = f"{measure.text(interval.lower)} to {measure.text(interval.upper)}"
        rows.append([Cell(measure.title), Cell(measure.text(value), value), Cell(ends, interval.lower)])
    return rows


def usage(result: Any) -> dict[str, Any]:
    """Return importances and weights as pictures and tables."""
    found = result.explanation
    if found is None:
        return {}
    title = result.scoring.title
    loss = [
        (i.column, i.mean, half_width(i), f"{i.column}: {num(i.mean):.4g}{ends_text(i, ' (95 % interval ', ')')}")
        for i in found.importances
    ]
    rows = [
        [
            Cell(i.column),
            Cell(f"{num(i.mean):.4g}", i.mean),
            Cell(ends_text(i), i.interval.lower if np.isfinite(i.interval.lower) else ""),
            Cell(f"{num(i.deviation):.2g}", i.deviation),
        ]
        for i in found.importances
    ]
    out: dict[str, Any] = {
        "picture": svg.bars(
            loss[:MOST_BARS],
            f"How much worse {title} gets when a column is shuffled",
            f"{title} lost by shuffling" if result.scoring.higher_is_better else f"{title} added by shuffling",
        ),
        "rows": rows,
        "shown": min(len(rows), MOST_BARS),
        "skipped": found.skipped,
        "csv": download(
            rows_as_csv(
                ["column", "loss", "lower", "upper", "deviation"],
                [[i.column, i.mean, *i.interval, i.deviation] for i in found.importances],
            )
        ),
        "weights": None,
    }
    if found.coefficients:
        weights = [(name, value, 0.0, f"{name}: {num(value):.4g}") for name, value in found.coefficients]
        positive = result.task.labels[1] if result.task.labels else result.task.target
        out["weights"] = {
            "picture": svg.bars(weights[:MOST_BARS], "Weights of the model", "weight per standard deviation"),
            "rows": [[Cell(name), Cell(f"{num(value):.4g}", value)] for name, value in found.coefficients],
            "positive": positive,
            "csv": download(rows_as_csv(["column", "weight"], [list(pair) for pair in found.coefficients])),
        }
    return out


def half_width(importance: Any) -> float:
    """Return half of the interval of an importance; its deviation where it has none."""
    low, high = importance.interval
    return (high - low) / 2 if np.isfinite(high - low) else importance.deviation


def ends_text(importance: Any, before: str = "", after: str = "") -> str:
    """Return the interval of an importance in words, "" where it has none."""
    low, high = importance.interval
    return f"{before}{num(low):.3g} to {num(high):.3g}{after}" if np.isfinite(high - low) else ""


def data_card(result: Any) -> dict[str, Any]:
    """Return the data card as a table, and the classes as a picture."""
    head = ["column", "kind", "type", "missing", "different", "values", "role", "reason"]
    columns = result.card.columns
    rows = [
        [
            Cell(c.name),
            Cell(c.kind),
            Cell(f"{c.missing:,}" if c.missing else "none", c.missing),
            Cell(f"{c.different:,}", c.different),
            Cell(c.summary),
            Cell(c.role + (f" ({c.reason})" if c.reason else "")),
        ]
        for c in columns
    ]
    plain = [[c.name, c.kind, c.type, c.missing, c.different, c.summary, c.role, c.reason] for c in columns]
    balance = ""
    if result.task.labels:
        total = sum(result.task.counts)
        marks = [
            (label, float(count), 0.0, f"{label}: {counted(count, 'row')}, {count / total:.1%}")
            for label, count in sorted(zip(result.task.labels, result.task.counts), key=lambda pair: -pair[1])
        ]
        balance = svg.bars(marks[:MOST_BARS], f"Rows of every class of {result.task.target}", "rows")
    return {"rows": rows, "balance": balance, "csv": download(rows_as_csv(head, plain))}


def method(result: Any) -> list[tuple[str, str]]:
    """Return the settings that make the study repeatable."""
    scores = result.scores
    folds = scores.folds if scores else []
    repeats = 1 + max((fold.repeat for fold in folds), default=0)
    entries = [
        ("Task", f"{result.task.title}: {result.task.reason}"),
        ("Measure", result.scoring.title),
        ("Rows to train on", f"{result.n_train:,}"),
        ("Rows put away", f"{result.n_held:,}"),
        ("Folds", f"{len(folds) // repeats} x {repeats}, the same for all models"),
        (
            "Fits",
            f"{scores.fits} of {scores.planned} in {num(scores.elapsed):.0f} s on {scores.processes} cores"
            if scores
            else "none",
        ),
        ("Seed", str(result.random_state)),
        ("Time in all", f"{num(result.elapsed):.0f} s"),
    ]
    return entries
