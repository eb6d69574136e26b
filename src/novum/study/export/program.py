"""The kept model of a study as a program: a script or a notebook that reads, fits, judges and predicts, by public names alone.

A program is a list of steps, each a heading, sentences that say why, and code; a script writes the sentences as comments, a
notebook as cells of text. What was drawn or searched in the study stands in it as a value: the settings that were found, the
weights of the members of an ensemble, the seed by which rows are put away. So it fits what the study fitted, on the same rows and
one thread, to the same numbers.
"""

import inspect
import textwrap
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from novum import __version__
from novum.exceptions import DataError, ParameterError
from novum.report.numbers import counted
from novum.runtime.writing import replace_file
from novum.study.data.large import MOST_CELLS
from novum.study.export.combined_code import combined_constants, combined_words
from novum.study.export.expressions import Writer, joined, quoted
from novum.study.export.measures import written_measure
from novum.study.export.model_code import fit_code, folds_of, functions_for, members_of, part_code, renamed
from novum.study.export.notebook import notebook_text

__all__ = ["Step", "program_steps", "script_text", "write_program"]

ELSEWHERE = (  # options of a study that its rows and columns do not depend on
    *("task", "target", "scoring", "models", "prefer", "tune", "ensemble", "costs", "positive", "folds", "repeats"),
    *("time_limit", "n_jobs", "cluster", "fair", "increasing", "decreasing", "interactions"),
)
ALWAYS = ("random_state", "hold_out")
WIDTH = 118  # of a comment
MODEL_NAMES = (("new_model", "new_final_model"), ("MAKERS", "FINAL_MAKERS"))


class Step(NamedTuple):
    """A part of a program."""

    title: str
    words: list[str]  # paragraphs
    code: str


def write_program(result: Any, path: Path, table: str | None, reading: dict[str, Any]) -> Path:
    """Write the program of a study's model."""
    ending = path.suffix.lower()
    if ending not in (".py", ".ipynb"):
        raise ParameterError.of("StudyResult.export", "the name must end in .py or .ipynb.", path=str(path))
    notebook = ending == ".ipynb"
    steps = program_steps(result, table, reading, notebook)
    replace_file(path, (notebook_text(steps) if notebook else script_text(steps)).encode())
    return path


def script_text(steps: list[Step]) -> str:
    """Return a program as a script."""
    first, *rest = steps
    words = "\n\n".join(textwrap.fill(one, WIDTH) for one in [first.title, *first.words])
    quotes = '"' * 3
    parts = [f"{quotes}{plain_words(words)}\n{quotes}\n\n{first.code}"]
    for step in rest:
        said = [step.title, *step.words]
        comment = "\n#\n".join(textwrap.fill(one, WIDTH, initial_indent="# ", subsequent_indent="# ") for one in said)
        gap = "\n\n\n" if step.code.startswith("def ") else "\n\n"
        parts.append(f"{comment}{gap}{step.code}")
    return "\n\n\n".join(part.rstrip() for part in parts) + "\n"


def plain_words(words: str) -> str:
    """Return words that can stand in a docstring."""
    return words.replace("\\", "\\\\").replace('"', "'")


def program_steps(result: Any, table: str | None, reading: dict[str, Any], notebook: bool) -> list[Step]:
    """Return the program that makes the kept model of a study again, or raise where it cannot be written."""
    if result.model is None or result.formalisation is None or result.hold_out is None:
        raise DataError("export: the study kept no model, so there is nothing to write.")
    writer = Writer()
    name = Path(result.name).name
    model = model_step(result, writer)
    judged = judged_step(result, writer)
    score = result.scoring.text(result.hold_out.score)
    first = Step(
        f"Predict {result.task.target} from {name}: the model that novum study kept, as a program.",
        [
            f"{result.kept.name}: {result.reason}.",
            f"It prints the score on the {counted(result.n_held, 'row')} put away, which is that of the report:"
            f" {result.scoring.title} {score}. Written by novum {__version__}; other versions may differ in the last digits.",
        ],
        "",
    )
    steps = [
        table_step(result, table, reading, notebook),
        rows_step(result, writer),
        model,
        judged,
        final_step(result, model, writer),
        use_step(result),
    ]
    source = ["import sys\n"] if not notebook else []
    novum = ["from novum.study import Study, read_table"]
    imports = writer.lines()
    ours = [line for line in imports if line.startswith("from novum")] + novum
    others = [line for line in imports if not line.startswith("from novum")]
    code = "\n".join([*source, *sorted(others, key=import_order), "\n" * bool(others) + "\n".join(sorted(ours))])
    return [first._replace(code=code), *steps]


def import_order(line: str) -> tuple[bool, str]:
    """Return what sorts lines as formatters do: `import` before `from`."""
    return line.startswith("from"), line


def table_step(result: Any, table: str | None, reading: dict[str, Any], notebook: bool) -> Step:
    """Return the step that reads the table."""
    from_file = table or (result.name if result.name not in ("the table", "standard input") else "")
    if notebook:
        place = quoted(from_file) if from_file else '"table.parquet"'
        code = f"TABLE = {place}"
    elif from_file:
        code = f"TABLE = sys.argv[1] if len(sys.argv) > 1 else {quoted(from_file)}"
    else:
        code = 'TABLE = sys.argv[1] if len(sys.argv) > 1 else sys.exit("name the file of the table")'
    reading = {"most_cells": MOST_CELLS if result.formalisation.table.whole is not None else None, **reading}
    more = "".join(f", {key}={value!r}" for key, value in reading.items() if value is not None)
    words = ["Cells are read as the study read them: numbers with units, dates in any style, what counts as missing."]
    if not from_file:
        words.append("The study was given a frame, so write it to a file first, as Parquet say, which keeps its types.")
    return Step("The table", words, f"{code}\ntable = read_table(TABLE{more})")


def rows_step(result: Any, writer: Writer) -> Step:
    """Return the step that makes columns and parts rows."""
    from novum.study.run import Study

    options, given = result.options, [quoted(result.task.target), f"task={quoted(result.task.kind)}"]
    defaults = inspect.signature(Study).parameters
    for key, value in options.items():
        if key not in ELSEWHERE and (key in ALWAYS or value != defaults[key].default):
            value = list(value) if isinstance(value, tuple) else value
            given.append(f"{key}={writer.text(value, key)}")
    how = "the last ones in time" if options["time"] else "drawn by the seed"
    if options["group"]:
        how = f"whole groups of {options['group']}, drawn by the seed"
    elif result.task.labels and not options["time"]:
        how += ", in equal shares of every class"
    code = f"rows = {joined('Study(', ['table', *given], ')', WIDTH - 14)}.rows()\nX, y = rows.X, rows.y"
    code += "\nweight = rows.weight" if options["weights"] else ""
    return Step(
        "Rows and columns",
        [
            f"Some of the rows ({how}) are put away and judge the model once; rows.train and rows.held say which."
            " X holds what is learned from: " + columns_text(result.schema) + "."
        ],
        code,
    )


def columns_text(schema: Any) -> str:
    """Return what the columns of the table became."""
    said = []
    for role, words in (
        ("number", "as numbers"),
        ("category", "as categories"),
        ("date", "as year, month, weekday and day count"),
        ("words", "as text"),
    ):
        names = [name for name, one in zip(schema.names, schema.roles) if one == role]
        if names:
            more = f" and {len(names) - 12} more" if len(names) > 12 else ""
            said.append(f"{', '.join(names[:12])}{more} {words}")
    return "; ".join(said)


def model_step(result: Any, writer: Writer) -> Step:
    """Return the step that writes the model out.

    Some settings are in units of the rows, such as penalties; where they are others for all rows, these have their own functions.
    """
    made = members_of(result.judged_model)
    known: dict[str, str] = {}  # names of functions, by what they make
    about, words = f"the kept model ({result.kept.name})", [result.made_of()]
    codes, makers = functions_for(made.pipelines, "new_model", about, writer, known)
    lines = [joined("MAKERS = [", makers, "]", WIDTH)] if made.several else []
    if result.refitted:
        more, final = functions_for(members_of(result.model).pipelines, "new_final_model", about, writer, known)
        codes += more
        if final != makers:
            words.append("Penalties are in units of the rows, so the model for all rows has settings of its own.")
            lines += [joined("FINAL_MAKERS = [", final, "]", WIDTH)] if made.several else []
    lines += combined_constants(made, writer)
    words += combined_words(made, bool(folds_of(result)))
    words.append(
        "Every step learns from the rows that it is given and from no others: medians, scales and categories too."
    )
    code = "\n\n\n".join([*codes, *(["\n".join(lines)] if lines else [])])
    return Step("The model, with the settings that the study found", words, code)


def judged_step(result: Any, writer: Writer) -> Step:
    """Return the step that fits on the training rows and judges."""
    classify, weighted = bool(result.task.labels), bool(result.options["weights"])
    members, folds = members_of(result.judged_model), folds_of(result)
    costs = result.costs
    measure = written_measure(result.scoring, len(result.task.labels), result.positive, weighted, costs)
    writer.imports |= set(measure.imports)
    several = members.several
    fit = fit_code(result, members, bool(folds) and several, weighted, writer)
    if costs is not None:
        writer.imports.add(("numpy", "np"))
        fit += f"\n\n\nCOSTS = np.array({np.asarray(costs).tolist()!r})  # by true and said class"
    train = fold_code(result.n_folds, folds) if folds else part_code(result, "rows.train", writer)
    lines = [
        fit,
        "\n",
        f"train, held = {train}, rows.held",
        f"judged = fitted({'MAKERS' if several else 'new_model'}, train)",
    ]
    if measure.proba or costs is not None:
        lines.append("classes, proba = judged_classes(judged), probabilities(judged, X.iloc[held])")
    elif classify and "classes" in measure.code:
        lines.append("classes = judged_classes(judged)")
    lines.append("predicted = decided(judged, X.iloc[held])")
    scored = measure.code.replace("sample_weight=weight", "sample_weight=weight[held]")
    scored = scored.replace("weights=weight", "weights=weight[held]")
    lines += [f"# {measure.why}" for _ in [0] if measure.why]
    lines.append(f"truth = y[held]\nscore = {renamed(scored)}")
    lines.append(f'print(f"{result.scoring.title} {{score:.6g}} on {{len(held):,}} rows put away")')
    words = [
        "The number to quote: the rows put away had no part in choosing or fitting the model.",
        f"The report says {result.judged()}.",
    ]
    return Step("Judged once", words, "\n".join(lines))


def fold_code(n_folds: int, folds: list[int]) -> str:
    """Return the rows of folds: of each member, or of the only one."""
    if len(folds) == 1:
        return f"rows.folds({n_folds})[{folds[0]}]"
    writer = Writer()
    return f"[rows.folds({n_folds})[number] for number in {writer.text(folds, 'folds')}]"


def final_step(result: Any, model: Step, writer: Writer) -> Step:
    """Return the step that fits the model that was saved."""
    if not result.refitted:
        words = ["There was no time to fit it on all rows, so this is the model that was saved."]
        return Step("The model to use", words, "model = judged")
    rows = part_code(result, "np.arange(len(y))", writer)
    has_own = "def new_final_model" in model.code
    writer.imports.add(("numpy", "np"))
    words = [
        "The same model on all rows, those put away among them, since more rows rarely make a model worse. None are left to judge"
        " it; quote the score above. Its predictions are those of model.novum."
    ]
    makers = MODEL_NAMES[members_of(result.model).several]
    return Step("The model to use", words, f"model = fitted({makers[has_own]}, {rows})")


def use_step(result: Any) -> Step:
    """Return the step that predicts a table."""
    code = (
        'def predict(new):\n    """Return the predictions for a table with the same columns: a frame, or the path of a file."""\n'
        "    return decided(model, rows.prepared(new))"
    )
    return Step("New rows", ['For example: predict("new.csv").'], code)
