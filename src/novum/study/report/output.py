"""Write what a study found, all or nothing: into a folder beside the target first, then under its name in one step."""

import csv
import io
import os
import secrets
import shutil
from pathlib import Path
from typing import Any

import numpy as np

from novum.exceptions import FileFormatError, SourceError
from novum.persistence.code import codes_of
from novum.persistence.files import load, save
from novum.runtime.message_text import in_one_line
from novum.runtime.writing import check_plain, replace_file, take_place

__all__ = ["csv_text", "write_study", "write_text"]


FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what makes a spreadsheet take a cell for a program


def inert(cell: Any) -> Any:
    """Return a cell of text that a spreadsheet will not run: a formula gets an apostrophe before it, a number stays."""
    if not isinstance(cell, str) or not cell.startswith(FORMULA):
        return cell
    try:
        float(cell)
    except ValueError:
        return f"'{cell}"
    return cell


def csv_text(frame: Any) -> str:
    """Return a pandas frame as CSV with numbers in full; text that a spreadsheet would run is made inert."""
    frame = frame.rename(columns=inert)
    for place, kind in enumerate(frame.dtypes):
        if getattr(kind, "kind", "O") not in "biufcmM":
            frame.isetitem(place, frame.iloc[:, place].astype(object).map(inert))
    return frame.to_csv(index=False, lineterminator="\n")


def rows_as_csv(head: list[str], rows: list[list[Any]]) -> str:
    """Return rows as CSV."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(map(inert, head))
    writer.writerows([inert(cell) for cell in row] for row in rows)
    return buffer.getvalue()


def write_study(result: Any, folder: Path) -> list[Path]:
    """Write report, model, its card, scores and what other programs read; return their paths. A model that cannot be saved, or that
    cannot be used once it is loaded again, is reported in `result.unsaved`."""
    from novum.study.memory.kept import background_rows
    from novum.study.report.html import report_html
    from novum.study.report.markdown import report_markdown
    from novum.study.report.model_card import model_card
    from novum.study.report.study_files import write_study_files

    target = Path(os.path.realpath(folder))
    if target.exists() and not target.is_dir():
        raise SourceError(f"{folder}: is a file; name a folder for the report.")
    draft = target.with_name(f".{target.name}.{secrets.token_hex(6)}.part")
    try:
        draft.parent.mkdir(parents=True, exist_ok=True)
        draft.mkdir()
        names = ["report.html"]
        if result.model is not None:
            result.unsaved = unusable(result, draft / "model.novum")
            names += [] if result.unsaved else ["model.novum"]
        names.append("scores.csv")
        (draft / "scores.csv").write_text(csv_text(result.to_frame()), encoding="utf-8")
        (draft / "report.html").write_text(report_html(result), encoding="utf-8")
        names.append("report.md")
        (draft / "report.md").write_text(report_markdown(result), encoding="utf-8")
        if "model.novum" in names:
            names.append("MODEL_CARD.md")
            card = model_card(result, (draft / "model.novum").stat().st_size, background_rows(result.model))
            (draft / "MODEL_CARD.md").write_text(card, encoding="utf-8")
        names += write_study_files(result, draft)
        if target.exists():
            for name in names:  # all of them before the first
                check_plain(target / name)
            for name in names:
                take_place(draft / name, target / name)
        else:
            os.replace(draft, target)
    except OSError as error:
        raise SourceError(f"{folder}: cannot be written: {error.strerror or error}.") from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return [Path(folder) / name for name in names]


def unusable(result: Any, path: Path) -> str:
    """Save the model of a study; return why it cannot be used, nothing where it can.

    The file is loaded again and predicts the rows that it keeps, as `novum predict` and `novum explain` will: it must say what
    the model says.
    """
    from novum.study.data.schema import schema_of
    from novum.study.memory.kept import background_frame, memory_of

    try:
        save(result.model, path)
        loaded = load(path, module=codes_of(result.model))
        schema = schema_of(loaded)
        rows = background_frame(memory_of(loaded, schema, "the file", "explanations"), schema)
        if not np.array_equal(loaded.predict(rows), result.model.predict(rows)):
            return "loaded again, it does not predict what it did"
    except FileFormatError as error:
        return str(error).split(": ", 1)[-1]
    except Exception as error:  # whatever a model of the user's, or one of ours that is broken, raises when it predicts
        return f"loaded again, it cannot predict: {type(error).__name__}: {in_one_line(str(error))}"
    return ""


def write_text(path: Path, text: str) -> None:
    """Write a file whole or not at all; into a pipe or a device it is just written."""
    try:
        if path.exists() and (path.is_fifo() or path.is_char_device()):
            path.write_text(text, encoding="utf-8")
        else:
            replace_file(path, text.encode())
    except OSError as error:
        raise SourceError(f"{path}: cannot be written: {error.strerror or error}.") from error
