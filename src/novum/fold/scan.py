"""`novum.scan`: data in files, described once, read whenever a learner passes over them."""

from difflib import get_close_matches
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from novum.exceptions import DataError, ParameterError, ParameterTypeError
from novum.fold.homes.files import Scan
from novum.fold.readers.paths import expand, format_of, is_path, open_files
from novum.fold.readers.table import NUMBER, OTHER, DataFile

__all__ = ["scan"]


def scan(
    path: str | PathLike | list,
    columns: list | None = None,
    target: Any = None,
    weight: str | int | PathLike[str] | None = None,
    *,
    batch_rows: int | None = None,
    delimiter: str | None = None,
) -> Scan:
    """Return data in files as something every learner that takes a scan can be fitted on, in constant memory.

    Parameters
    ----------
    path : path, pattern, or list of them
        Files of one format and one schema: Parquet (`.parquet`, `.pq`), Arrow IPC or Feather (`.arrow`, `.feather`, `.ipc`), CSV
        and other text (`.csv`, `.tsv`, `.txt`, `.dat`, also `.gz` and `.bz2`), JSON lines (`.jsonl`, `.ndjson`, likewise), Excel
        (`.xlsx`, the first sheet, by openpyxl), NumPy (`.npy`, two-dimensional). A pattern such as "part-*.parquet" stands for the
        files that match, in sorted order. Cells are read as a study reads them. A column stays one column: a date is the number of
        days since 1970 began, a time of day or a duration a number of hours; codes such as 01234 are text.
    columns : list, default=None
        Features, by name (by number for `.npy`). None takes all columns but the target and the weight.
    target : column, list of columns, or path of a `.npy`, default=None
        What to predict. A list makes several targets. For `.npy` also an array of its own beside the features.
    weight : column or path of a `.npy`, default=None
        Weights of the rows, finite and >= 0.
    batch_rows : int, default=None
        Rows per batch. None chooses by the number of columns alone: about 2^18 values (2 MiB), for more than 360 columns 2
        rows per column up to 2^22 values. Row groups, record batches and file boundaries play no part.
    delimiter : str, default=None
        Of a text: one character, or "whitespace". None finds it out; for `.tsv` it is a tab.

    Returns
    -------
    Scan
        To be given to `fit` and `predict` in place of X. `predict` then returns an iterator over batches of predictions.
        `through(fitted_transformer)` adds scaling or encoding on the way.

    Notes
    -----
    The learner passes over the files as often as it needs, and they must not change meanwhile; size, time of change and number
    of rows are compared, and a `SourceError` stops the fit if they did. What was decoded is kept for the next pass in a bounded
    share of memory and of the disk: `NOVUM_CACHE_MEMORY` and `NOVUM_CACHE_DISK` in the environment bound it in bytes. The same
    rows in the same batches give the same bits whatever the format and the number of threads.

    Examples
    --------
    >>> import os, tempfile
    >>> import numpy as np
    >>> import novum
    >>> from novum.linear_model import LinearRegression
    >>> path = os.path.join(tempfile.mkdtemp(), "rows.csv")
    >>> with open(path, "w") as file:
    ...     _ = file.write("a,b,y\\n0,1,5\\n1,0,4\\n1,1,6\\n2,1,7\\n")
    >>> data = novum.scan(path, target="y")
    >>> model = LinearRegression().fit(data)
    >>> model.coef_.round(10), model.feature_names_in_
    (array([1., 2.]), array(['a', 'b'], dtype=object))
    >>> for batch in model.predict(data):
    ...     print(batch.round(10))
    [5. 4. 6. 7.]
    """
    rows = check_batch_rows(batch_rows)
    paths = expand(path)
    form = format_of(paths)
    beside: list[dict[str, Path]] = [{} for _ in paths]
    if form == "npy":
        target, weight = put_beside(paths, beside, "target", target), put_beside(paths, beside, "weight", weight)
    files = open_files(paths, form, delimiter, beside)
    known = files[0].columns
    several = isinstance(target, (list, tuple, np.ndarray))
    targets = [] if target is None else [resolve(key, files[0], "target") for key in (target if several else [target])]
    weights = [] if weight is None else [resolve(weight, files[0], "weight")]
    if columns is None:
        apart = {*targets, *weights, "target", "weight"} if form == "npy" else {*targets, *weights}
        features = [key for key in known if key not in apart and key not in files[0].index]
    else:
        if is_path(columns) or not np.iterable(columns):
            raise ParameterTypeError(
                f"novum.scan: columns must be a list of columns, got {columns!r}. Write columns=[...]."
            )
        features = [resolve(key, files[0], "columns") for key in columns]
    check_roles(files, features, targets, weights)
    if columns is None:
        check_same_columns(files)
    shape = getattr(files[0], "beside", {}).get("target")
    beside_columns = shape.shape[1] if shape is not None and len(shape.shape) == 2 else 0
    n_targets = len(targets) if several else beside_columns
    chosen = targets if several else (targets[0] if targets else None)
    return Scan(files, features, chosen, weights[0] if weights else None, rows, n_targets)


def check_batch_rows(rows: Any) -> int | None:
    """Return the parameter batch_rows after its check."""
    if rows is None:
        return None
    if isinstance(rows, bool) or not isinstance(rows, (int, np.integer)) or rows < 1:
        raise ParameterError(f"novum.scan: batch_rows must be a positive integer or None, got {rows!r}.")
    return int(rows)


def put_beside(paths: list[Path], beside: list[dict[str, Path]], role: str, value: Any) -> Any:
    """Note the arrays that lie beside every `.npy` file, where `value` is paths; return the key of the role."""
    if value is None:
        return None
    given = value if isinstance(value, (list, tuple)) else [value]
    if not given or not all(is_path(item) for item in given):
        return value
    files = expand(value, role)
    if format_of(files) != "npy" or len(files) != len(paths):
        raise ParameterError(
            f"novum.scan: {role} must be one .npy file per file of features; there are {len(paths)},"
            f" and {value!r} names {len(files)}."
        )
    for others, file in zip(beside, files):
        others[role] = file
    return role


def resolve(key: Any, file: DataFile, role: str) -> Any:
    """Return the column that a user means, or say which there are."""
    if isinstance(key, (int, np.integer)) and not isinstance(key, bool):
        numbers = [name for name in file.columns if isinstance(name, int)]
        if numbers and -len(numbers) <= key < len(numbers):
            return int(key) % len(numbers)
    elif isinstance(key, str) and key in file.columns:
        return str(key)
    near = get_close_matches(str(key), [str(name) for name in file.columns], n=1)
    hint = f" Did you mean {near[0]!r}?" if near and isinstance(key, str) else ""
    listed = ", ".join(repr(name) for name in list(file.columns)[:12]) + (", ..." if len(file.columns) > 12 else "")
    raise ParameterError(f"novum.scan: {role}={key!r} is no column of '{file.path}', which has {listed}.{hint}")


def check_roles(files: list[DataFile], features: list, targets: list, weights: list) -> None:
    """Raise unless every column is there in every file, in one type, plays one role, and can play it."""
    used = [*features, *targets, *weights]
    twice = next((key for key in used if used.count(key) > 1), None) if len(set(used)) < len(used) else None
    if twice is not None:
        raise ParameterError(
            f"novum.scan: column {twice!r} is named twice; a column is one feature, or the target, or the weight."
        )
    if not features:
        raise DataError(f"Found array with 0 feature(s): no column of '{files[0].path}' is left as a feature.")
    first = files[0]
    for key in targets:
        if first.columns[key].kind == OTHER:
            raise DataError(
                f"novum.scan: the target {key!r} of '{first.path}' is {first.columns[key].type}: neither numbers nor text."
            )
    for key in weights:
        if first.columns[key].kind != NUMBER:
            raise DataError(
                f"novum.scan: the weight {key!r} of '{first.path}' is {first.columns[key].type}, not a number."
            )
        beside = getattr(first, "beside", {}).get(key)
        if beside is not None and len(beside.shape) != 1:
            raise DataError(
                f"novum.scan: the weights in '{beside.path}' have shape {beside.shape}; one number per row is needed."
            )
    for file in files[1:]:
        for key in used:
            if key not in file.columns:
                raise DataError(f"novum.scan: '{file.path}' has no column {key!r}, which '{first.path}' has.")
            if file.columns[key] != first.columns[key]:
                raise DataError(
                    f"novum.scan: column {key!r} is {file.columns[key].type} in '{file.path}' and {first.columns[key].type} in"
                    f" '{first.path}'. All files must have the same schema."
                )


def check_same_columns(files: list[DataFile]) -> None:
    """Raise if a file has a column that the first one has not: nobody said whether it is a feature."""
    for file in files[1:]:
        extra = next((key for key in file.columns if key not in files[0].columns), None)
        if extra is not None:
            raise DataError(
                f"novum.scan: '{file.path}' has the column {extra!r}, '{files[0].path}' has not. All files must have the same"
                f" schema; or name the features in columns=[...]."
            )
