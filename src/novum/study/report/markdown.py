"""The report as Markdown: the sentences and tables of the HTML report, without its pictures, for a wiki or a mail."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from novum import __version__
from novum.study.report.blocks import Block
from novum.study.report.html import comparison, data_card, finding_blocks, measures, method, usage

__all__ = ["escaped", "report_markdown", "table_lines"]

MOST_ROWS = 40  # of a table; the HTML report and scores.csv have all
SPECIAL = "\\`*_{}[]<>#|"


def escaped(text: str) -> str:
    """Return a text that Markdown shows as it stands, in one line."""
    plain = " ".join(str(text).split())
    return "".join(f"\\{mark}" if mark in SPECIAL else mark for mark in plain)


def table_lines(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return a table."""
    lines = ["| " + " | ".join(map(escaped, heads)) + " |", "|" + " --- |" * len(heads)]
    lines += ["| " + " | ".join(map(escaped, row)) + " |" for row in rows[:MOST_ROWS]]
    more = [f"({len(rows) - MOST_ROWS} more rows in report.html)"] if len(rows) > MOST_ROWS else []
    return [*lines, "", *more, *([""] if more else [])]


def block_lines(block: Block) -> list[str]:
    """Return a block of the report."""
    lines = [f"### {escaped(block.title)}", ""] if block.title else []
    for words in block.words:
        lines += [escaped(words), ""]
    if block.text:
        lines += ["```text", block.text.replace("```", "'''"), "```", ""]
    if block.rows:
        lines += table_lines(block.heads, [[cell.text for cell in row] for row in block.rows])
    return lines


def report_markdown(result: Any) -> str:
    """Return the report of a study as Markdown."""
    name = Path(result.name).name
    lines = [f"# Predicting {escaped(result.task.target)} from {escaped(name)}", ""]
    lines += [
        f"Written by novum {__version__}, {datetime.now():%Y-%m-%d %H:%M}. report.html beside this file has the pictures.",
        "",
    ]
    if result.complete:
        lines += [
            f"**{escaped(result.kept.name)}** is kept: {escaped(result.reason)}. On unseen rows: {escaped(result.judged())}.",
            "",
        ]
    else:
        lines += ["Stopped before a model was kept; below is the part of the comparison that was finished.", ""]
    worth = [*result.formalised()[2:], *(result.trained()[1:]), *(result.findings.notes if result.findings else [])]
    if worth:
        lines += ["## Worth a look", "", *(f"- {escaped(note)}" for note in worth), ""]
    if result.leaders:
        heads = [
            "model",
            result.scoring.title,
            "95 % interval",
            "worse?",
            "p (Holm)",
            "difference to the best",
            "fit",
            "size",
            "by",
        ]
        rows = [[cell.text for cell in cells] for _, cells in comparison(result)["rows"]]
        lines += ["## Comparison", "", *table_lines(heads, rows)]
    if result.complete:
        lines += judged_lines(result)
    heads = ["column", "kind", "missing", "different", "values", "role"]
    lines += ["## Data", "", *(f"{escaped(line)}.\n" for line in result.formalised()[:2])]
    lines += table_lines(heads, [[cell.text for cell in row] for row in data_card(result)["rows"]])
    lines += ["## Method", "", *table_lines(["setting", "value"], method(result))]
    return "\n".join(lines).rstrip() + "\n"


def judged_lines(result: Any) -> list[str]:
    """Return what is said of the kept model."""
    blocks = finding_blocks(result)
    lines = ["## On unseen rows", ""]
    lines += table_lines(
        ["measure", "score", "95 % interval"], [[cell.text for cell in row] for row in measures(result)]
    )
    lines += [escaped(result.doubted()), ""] if result.doubted() else []
    for section, title in (("sure", "How sure it is"), ("fails", "Where it fails"), ("fair", "For groups")):
        said = [line for block in blocks.get(section, []) for line in block_lines(block)]
        lines += [f"## {title}", "", *said] if said or section != "fair" else []
    lines += [
        "## What it uses",
        "",
        f"How much worse {escaped(result.scoring.title)} gets when a column is shuffled:",
        "",
    ]
    shuffled = [[cell.text for cell in row] for row in usage(result)["rows"]]
    lines += table_lines(["column", "loss", "95 % interval", "deviation over shuffles"], shuffled)
    lines += [line for block in blocks.get("uses", []) for line in block_lines(block)]
    lines += ["## Would more data help?", ""]
    lines += [line for block in blocks.get("more", []) for line in block_lines(block)]
    return lines
