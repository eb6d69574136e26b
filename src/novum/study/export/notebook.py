"""A program as a notebook: nbformat 4.5 as its schema has it, written as JSON, cells of text between cells of code."""

import hashlib
import json
from typing import Any

__all__ = ["notebook_text"]


def cell(kind: str, text: str, place: int) -> dict[str, Any]:
    """Return a cell; its id follows from its place and text, so that equal programs are equal files."""
    lines = text.splitlines(keepends=True)
    name = hashlib.sha256(f"{place} {text}".encode()).hexdigest()[:12]
    made = {"cell_type": kind, "id": name, "metadata": {}, "source": lines}
    return made if kind == "markdown" else {**made, "execution_count": None, "outputs": []}


def notebook_text(steps: list[Any]) -> str:
    """Return a notebook of steps with `title`, `words` and `code`."""
    cells: list[dict[str, Any]] = []
    for number, step in enumerate(steps):
        head = f"{'#' if number == 0 else '##'} {step.title}"
        cells.append(cell("markdown", "\n\n".join([head, *step.words]), len(cells)))
        cells.append(cell("code", step.code.strip(), len(cells)))
    metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    document = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"
