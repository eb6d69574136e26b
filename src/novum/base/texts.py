"""Paragraphs of docstrings that many methods share, written once.

A docstring names one by a line of its own, `[labelled rows]`; the decorator `fits` puts the paragraph in its place.
"""

import inspect

__all__ = ["complete"]

ANYWHERE = "array-like, frame, scan, Dask collection or tensor of shape (n_samples, n_features)"
SPARSE_TOO = "array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)"
WEIGHT = "sample_weight : array-like of shape (n_samples,), default=None"
LABELS = "y : array-like of shape (n_samples,)\n    Labels; None for a scan, which brings its target."
NUMBERS = "y : array-like of shape (n_samples,)\n    None for a scan, which brings its target."
IGNORED = "y : ignored"


def parameters(*entries: str) -> str:
    """Return the sections of a method that returns its estimator."""
    return "\n".join(["Parameters", "----------", *entries, "", "Returns", "-------", "self"])


PARAGRAPHS = {
    "labelled rows": parameters(f"X : {ANYWHERE}", LABELS, f"{WEIGHT}\n    Zero leaves a row out."),
    "labelled rows, sparse too": parameters(f"X : {SPARSE_TOO}", LABELS, f"{WEIGHT}\n    Zero leaves a row out."),
    "rows with a number each": parameters(f"X : {ANYWHERE}", NUMBERS, f"{WEIGHT}\n    A weight of k counts as k rows."),
    "rows with holes": parameters(
        f"X : {ANYWHERE}\n    Cells may be missing (NaN).",
        IGNORED,
        f"{WEIGHT}\n    A weight counts as repetition; zero leaves a row out.",
    ),
    "more labelled rows": parameters(
        "X, y, sample_weight\n    As in `fit`.",
        "classes : array-like of shape (n_classes,)\n    All labels that can ever occur; needed at the first call.",
    ),
}


def complete(doc: str | None) -> str | None:
    """Return a docstring with the paragraphs that it names in their places."""
    if doc is None or "[" not in doc:
        return doc
    lines = inspect.cleandoc(doc).split("\n")
    return "\n".join(PARAGRAPHS.get(line[1:-1], line) if line[:1] == "[" else line for line in lines)
