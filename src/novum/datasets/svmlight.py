r"""Data files of LIBSVM and SVMlight: a row per line, `target [qid:number] column:value column:value ... # comment`."""

import bz2
import gzip
import re
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_svmlight_file
from sklearn.utils import Bunch

from novum.exceptions import DataError, ParameterError, SourceError

__all__ = ["load_svmlight"]

MOST_COLUMNS = 2**31 - 1  # of a compressed matrix with 32-bit indices
NUMBER = rb"[+-]?(\d+\.?\d*([eE][+-]?\d+)?|\.\d+([eE][+-]?\d+)?)"
LONGEST_SHOWN = 60  # characters of a line in an error


def load_svmlight(
    path: str | PathLike,
    *,
    n_features: int | None = None,
    zero_based: bool | str = "auto",
    multilabel: bool = False,
    return_X_y: bool = False,
) -> Any:
    """Return a data file of LIBSVM or SVMlight as a sparse matrix and its target.

    Parameters
    ----------
    path : path
        `.gz` and `.bz2` are unpacked on the way.
    n_features : int, default=None
        Columns; None takes those that occur. Give it where a test file may lack the last columns.
    zero_based : bool or "auto", default="auto"
        Whether columns are counted from zero; "auto" looks whether there is a zero.
    multilabel : bool, default=False
        Whether targets are several labels with commas between them.
    return_X_y : bool, default=False
        Whether to return the pair alone.

    Returns
    -------
    Bunch
        `data`, a CSR matrix, `target`, and `query_id`, None where the file has none.

    Examples
    --------
    >>> import os, tempfile
    >>> from novum.datasets import load_svmlight
    >>> path = os.path.join(tempfile.mkdtemp(), "rows.svm")
    >>> with open(path, "w") as file:
    ...     _ = file.write("+1 1:0.5 3:2 # first\\n-1 2:1\\n")
    >>> rows = load_svmlight(path)
    >>> rows.data.toarray(), rows.target
    (array([[0.5, 0. , 2. ],
           [0. , 1. , 0. ]]), array([ 1., -1.]))
    """
    where = Path(path)
    if not where.is_file():
        raise SourceError(f"load_svmlight: there is no file '{where}'.")
    if isinstance(n_features, bool) or (n_features is not None and not 1 <= n_features <= MOST_COLUMNS):
        raise ParameterError(f"load_svmlight(n_features={n_features!r}): give a positive number of columns, or None.")
    try:
        loaded: Any = load_svmlight_file(
            str(where), n_features=n_features, zero_based=zero_based, multilabel=multilabel, query_id=True
        )
    except (ValueError, IndexError, OverflowError, MemoryError, OSError, EOFError) as error:
        check_lines(where, multilabel)  # which line it was
        raise DataError(f"load_svmlight: '{where}' cannot be read: {error}") from error
    X, y, queries = loaded
    numbers = [each for labels in y for each in labels] if multilabel else y
    if not X.shape[0] or X.shape[1] > MOST_COLUMNS or not (np.isfinite(X.data).all() and np.isfinite(numbers).all()):
        check_lines(where, multilabel)
        raise DataError(f"load_svmlight: '{where}' holds numbers that are not finite, or too many columns.")
    if return_X_y:
        return X, y
    return Bunch(data=X, target=y, query_id=queries if len(queries) else None, filename=str(where))


def opened(path: Path) -> Any:
    """Return the file for reading, unpacked if it is packed."""
    if path.suffix == ".gz":
        return gzip.open(path, "rb")
    return bz2.open(path, "rb") if path.suffix == ".bz2" else path.open("rb")


def check_lines(path: Path, multilabel: bool) -> None:
    """Raise for the first line that is not of the format, by its number."""
    several = rb"(" + NUMBER + rb"(," + NUMBER + rb")*)?" if multilabel else NUMBER
    row = re.compile(rb"\s*" + several + rb"(\s+qid:\d+)?(\s+\d+:" + NUMBER + rb")*\s*$")
    rows = 0
    try:
        with opened(path) as file:
            for number, line in enumerate(file, 1):
                text = line.partition(b"#")[0]
                if not text.strip():
                    continue
                if not row.match(text):
                    raise DataError(explain(path, number, text))
                check_columns(path, number, text)
                rows += 1
    except (OSError, EOFError) as error:
        raise SourceError(f"load_svmlight: '{path}' cannot be read: {error}") from error
    if not rows:
        raise DataError(f"load_svmlight: '{path}' holds no row.")


def explain(path: Path, number: int, text: bytes) -> str:
    """Return what is wrong with a line."""
    shown = text.strip()[:LONGEST_SHOWN].decode("ascii", "replace")
    if re.search(rb"nan|inf", text, re.IGNORECASE):
        return f"load_svmlight: line {number} of '{path}' holds NaN or infinity: {shown!r}. Leave the entry out, or give a number."
    return (
        f"load_svmlight: line {number} of '{path}' is not `target column:value column:value ...` with whole columns of zero or more"
        f" and finite numbers: {shown!r}."
    )


def check_columns(path: Path, number: int, text: bytes) -> None:
    """Raise where the columns of a line do not rise, are too large, or a number overflows."""
    columns = [int(entry) for entry in re.findall(rb"(?<=\s)(\d+):", text)]
    if any(b <= a for a, b in pairwise(columns)):
        raise DataError(f"load_svmlight: the columns of line {number} of '{path}' do not rise: {columns[:8]}.")
    if columns and columns[-1] > MOST_COLUMNS:
        raise DataError(
            f"load_svmlight: line {number} of '{path}' has the column {columns[-1]}, more than {MOST_COLUMNS}."
        )
    cells = [float(cell[0]) for cell in re.findall(rb"(?:^\s*|:|,)(" + NUMBER + rb")", text)]
    if not np.isfinite(cells).all():
        raise DataError(f"load_svmlight: line {number} of '{path}' holds a number too large for a float.")
