"""Entries of docstrings that many methods share, written once.

A docstring names them in a line of its own, `[rows, target, weights]` or `[rows] -> array of shape (n_samples,)`; the sections
that list them take its place in every method of an estimator. A result whose type the annotation tells is not told again.
"""

import inspect

__all__ = ["complete"]

SHAPE = "of shape (n_samples, n_features)"
ANYWHERE = "array-like, frame, scan, Dask collection or tensor"
SPARSE_TOO = "array-like, sparse matrix, frame, scan, Dask collection or tensor"

ENTRIES = {
    "rows": f"X : {ANYWHERE} {SHAPE}",
    "rows with holes": f"X : {ANYWHERE} {SHAPE}\n    Cells may be missing (NaN).",
    "rows or a sparse matrix": f"X : {SPARSE_TOO} {SHAPE}",
    "rows in memory": f"X : array-like or frame {SHAPE}",
    "rows in memory or a sparse matrix": f"X : array-like, frame or sparse matrix {SHAPE}",
    "more rows": "X, y, sample_weight\n    As in `fit`.",
    "target": "y : array-like of shape (n_samples,)\n    None for a scan, which brings its target.",
    "targets": "y : array-like of shape (n_samples,) or (n_samples, n_targets)\n    None for a scan, which brings its target.",
    "no target": "y : ignored",
    "draws": "n_samples : int, default=1\nrandom_state : int, numpy Generator, RandomState, SeedSequence or None, default=None",
    "weights": "sample_weight : array-like of shape (n_samples,), default=None\n    How often each row counts; zero leaves it out.",
    "all classes": "classes : array-like of shape (n_classes,)\n    All labels that can ever occur; needed at the first call.",
    "trust": "check_input : bool, default=True\n    False trusts X to be a float array or a CSR matrix.",
    "check_input": "check_input : bool, default=True\n    Kept for scikit-learn's sake; the checks cost little.",
}


def complete(doc: str | None) -> str | None:
    """Return a docstring with the entries that it names in a section of their own."""
    if doc is None or "[" not in doc:
        return doc
    return "\n".join(map(_section, inspect.cleandoc(doc).split("\n")))


def _section(line: str) -> str:
    names, _, result = line.partition(" -> ")
    entries = [ENTRIES.get(name) for name in names[1:-1].split(", ")]
    if line[:1] != "[" or names[-1:] != "]" or None in entries:
        return line
    returns = ["", "Returns", "-------", result] if result else []
    return "\n".join(["Parameters", "----------", *map(str, entries), *returns])
