"""The model card: one page for whoever gets the model file, with what it is for, how good it is, where it fails, how to load it.

After Mitchell et al. (2019), "Model Cards for Model Reporting": whatever a study knows is filled in; for what only its
owner can know it has a sentence that says what to add.
"""

from datetime import date
from pathlib import Path
from typing import Any

from novum import __version__
from novum.persistence.versions import installed_version
from novum.report.numbers import counted, decimal, percent
from novum.study.report.html import PACKAGES, measures
from novum.study.report.markdown import escaped, table_lines
from novum.study.result import bytes_text

__all__ = ["model_card"]

MOST_COLUMNS = 40


def model_card(result: Any, size: int, background: int) -> str:
    """Return the card of the kept model.

    Parameters
    ----------
    size : int
        Bytes of the model file.
    background : int
        Rows of the table that the file keeps.
    """
    name, target = Path(result.name).name, escaped(result.task.target)
    found = result.findings
    lines = [f"# Model card: {target}", ""]
    lines += [
        f"{escaped(result.kept.name)}, which predicts {target} from {counted(len(result.schema.names), 'column')} of"
        f" {escaped(name)}. Kept by novum {__version__} on {date.today():%Y-%m-%d}: {escaped(result.reason)}.",
        "",
        "## Data and task",
        "",
        f"- {escaped(result.formalised()[0])}.",
        f"- Judged on {counted(result.n_held, 'row')} that no step had seen; the saved model was"
        f" {result.saved_from()}.",
        *(f"- {escaped(note)}." for note in result.card.notes),
        *(
            f"- Look at {escaped(column)}: alone it predicts {percent(score)}; is it known beforehand?"
            for column, score in result.leaks
        ),
        "",
        *table_lines(
            ["column", "kind", "values"],
            [[c.name, c.role, c.summary] for c in result.card.features[:MOST_COLUMNS]],
        ),
        "## Measures on unseen rows",
        "",
        *table_lines(["measure", "score", "95 % interval"], [[cell.text for cell in row] for row in measures(result)]),
    ]
    lines += sure_lines(result, found)
    lines += [
        "## Intended use",
        "",
        f"To predict {target} for rows that come about like those of {escaped(name)}, with the same columns, known at the same"
        " time.",
        "Its owner adds: who uses it for what decision, what a wrong prediction does to whom, and whom to contact.",
        "",
        "## Limits",
        "",
        *limit_lines(result, found),
        "",
        "## What the file holds",
        "",
        f"model.novum ({bytes_text(size)}) holds the fitted model, the columns with their categories, summaries of their values,"
        f" the errors of {counted(len(found.scores), 'row')}, and **{counted(background, 'row')} of the table "
        "as they are**, against which"
        " predictions are explained. Whoever gets the file can read them. Where they may not be shared, keep the file as you"
        " keep the table, or strip them before you pass it on:",
        "",
        "```python",
        "import novum",
        "from novum.study.memory.kept import forget",
        'novum.save(forget(novum.load("model.novum")), "model-without-rows.novum")  # predicts; explains and warns no more',
        "```",
        "",
        "## How to use it",
        "",
        "```sh",
        "novum predict model.novum new.csv --interval -o predictions.csv",
        "novum explain model.novum new.csv",
        "novum serve model.novum",
        "```",
        "",
        "```python",
        "import novum",
        "from novum.study import predict_table",
        'predict_table(novum.load("model.novum"), frame).values',
        "```",
        "",
        "## Versions",
        "",
        f"novum {__version__}, "
        + ", ".join(f"{package} {installed_version(package)}" for package in PACKAGES)
        + f"; seed {result.random_state}; settings: {escaped(result.settings())}.",
    ]
    return "\n".join(lines).rstrip() + "\n"


def sure_lines(result: Any, found: Any) -> list[str]:
    """Return calibration, coverage and the learning curve in sentences."""
    said = []
    if found.calibration is not None:
        error, expected = found.calibration.curve.expected_error, found.calibration.by_chance
        said.append(f"Expected calibration error {decimal(error)}, by chance alone up to {decimal(expected)}.")
    at = next((one for one in found.coverages if one.level == 0.9), None)
    if at is not None:
        kind = "Sets of classes" if result.task.labels else "Intervals"
        said.append(
            f"{kind} stated to hold the truth in 90 % of the rows held it in {percent(at.measured)} (95 % interval"
            f" {percent(at.interval.lower)} to {percent(at.interval.upper)})."
        )
    if found.thresholds is not None:
        said.append(found.thresholds.sentence)
    if found.curve is not None:
        said.append(found.curve.verdict)
    return [*(f"- {escaped(one)}" for one in said), *([""] if said else [])]


def limit_lines(result: Any, found: Any) -> list[str]:
    """Return where the model is not to be trusted."""
    low, high = result.hold_out.interval
    text = result.scoring.text
    lines = [
        f"- On new rows {escaped(result.scoring.title)} may well be anywhere from {text(low)} to {text(high)}, if they come about"
        " like these; if they do not, nothing is known. novum predict names columns that have moved.",
        "- It shows what goes with the target, not what causes it.",
    ]
    unit = found.slices.unit
    show = percent if result.task.labels else result.scoring.text
    lines += [
        f"- Worse where {escaped(one.words)} ({counted(one.rows, 'row')}): {unit} {show(one.loss)}, elsewhere "
        f"{show(one.elsewhere)}."
        for one in found.slices.found
    ]
    if not found.slices.found:
        lines.append(f"- {escaped(found.slices.sentence())}")
    lines += [f"- By group, {escaped(one.sentence())}." for one in result.fairness]
    lines.append("- Categories that it never saw are refused, unless they are allowed by --unseen.")
    return lines
