"""Which files a scan is about, and what reads them."""

import glob
import os
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from novum.exceptions import ParameterError, ParameterTypeError
from novum.fold.readers.table import DataFile

__all__ = ["expand", "format_of", "is_path", "open_files"]

ENDINGS = {
    "parquet": (".parquet", ".pq"),
    "arrow": (".arrow", ".feather", ".ipc"),
    "csv": (".csv", ".txt", ".dat", ".tab", ".csv.gz", ".csv.bz2", ".tsv", ".tsv.gz", ".tsv.bz2"),
    "json": tuple(f".{name}{packed}" for name in ("jsonl", "ndjson") for packed in ("", ".gz", ".bz2")),
    "excel": (".xlsx", ".xlsm"),
    "npy": (".npy",),
}
SPARSE_ENDINGS = (".svm", ".svmlight", ".libsvm")  # of files that a scan does not read, with a remedy of their own


def is_path(value: Any) -> bool:
    """Return whether a value can be a path."""
    return isinstance(value, (str, os.PathLike))


def expand(paths: Any, what: str = "path") -> list[Path]:
    """Return the files that a path, a pattern or a list of both stands for; patterns in sorted order."""
    if is_path(paths):
        paths = [paths]
    elif not isinstance(paths, Iterable):
        raise ParameterTypeError(f"novum.scan: {what} must be a path, a pattern or a list of them, got {paths!r}.")
    files: list[Path] = []
    for path in paths:
        if not is_path(path):
            raise ParameterTypeError(
                f"novum.scan: {what} must be a path, a pattern or a list of them, got {path!r} in it."
            )
        text = os.path.expanduser(os.fspath(path))
        if not isinstance(text, str):
            raise ParameterTypeError(f"novum.scan: {what} must be text, not bytes: {path!r}.")
        found = [text] if os.path.lexists(text) else sorted(glob.glob(text, recursive=True))
        if not found:
            raise ParameterError(f"novum.scan: no file matches {text!r}. Check the path, seen from {os.getcwd()!r}.")
        files += [Path(name) for name in found]
    for file in files:
        if file.is_dir():
            raise ParameterError(
                f"novum.scan: {str(file)!r} is a directory. Give its files, for example {str(file / '*.parquet')!r}."
            )
        if not file.is_file():
            raise ParameterError(f"novum.scan: {str(file)!r} is not a regular file; a scan reads it several times.")
    if not files:
        raise ParameterError(f"novum.scan: {what} names no file.")
    return files


def format_of(files: list[Path]) -> str:
    """Return the format that the endings of all files agree on."""
    formats = []
    for file in files:
        found = [name for name, endings in ENDINGS.items() if file.name.lower().endswith(endings)]
        if not found:
            known = ", ".join(ending for endings in ENDINGS.values() for ending in endings)
            remedy = (
                " A scan holds dense columns; files of LIBSVM and SVMlight are read by novum.datasets.load_svmlight, as a sparse"
                " matrix in memory."
                if file.name.lower().removesuffix(".gz").removesuffix(".bz2").endswith(SPARSE_ENDINGS)
                else ""
            )
            raise ParameterError(f"novum.scan: {str(file)!r} has none of the endings {known}.{remedy}")
        formats.append(found[0])
    for file, found_format in zip(files, formats):
        if found_format != formats[0]:
            raise ParameterError(
                f"novum.scan: all files must have one format; {str(files[0])!r} is {formats[0]}, {str(file)!r} is {found_format}."
            )
    return formats[0]


def open_files(files: list[Path], form: str, delimiter: str | None, beside: list[dict[str, Path]]) -> list[DataFile]:
    """Return a reader for every file; `beside` names the arrays that belong to each `.npy` file."""
    if form == "npy":
        from novum.fold.readers.npy import NpyFile

        return [NpyFile(file, others) for file, others in zip(files, beside)]
    if find_spec("pyarrow") is None:
        raise ImportError(f"novum.scan reads {form} files with pyarrow, which is not installed: pip install pyarrow")
    if form == "parquet":
        from novum.fold.readers.parquet import ParquetFile

        return [ParquetFile(file) for file in files]
    if form == "arrow":
        from novum.fold.readers.arrow import ArrowFile

        return [ArrowFile(file) for file in files]
    if form == "json":
        from novum.fold.readers.json_lines import JsonLinesFile

        leader = JsonLinesFile(files[0])
        return [leader, *(JsonLinesFile(file, leader) for file in files[1:])]
    if form == "excel":
        from novum.fold.readers.workbook import WorkbookFile

        book = WorkbookFile(files[0])
        return [book, *(WorkbookFile(file, book) for file in files[1:])]
    from novum.fold.readers.csv import CsvFile
    from novum.fold.readers.layout import separator_of

    if delimiter is not None and not isinstance(delimiter, str):
        raise ParameterError(f"novum.scan: delimiter must be a text, got {delimiter!r}.")
    delimiter = separator_of(delimiter, "novum.scan")
    if delimiter is None and "tsv" in files[0].name.lower().split("."):
        delimiter = "\t"
    first = CsvFile(files[0], delimiter)
    return [first, *(CsvFile(file, delimiter, first) for file in files[1:])]
