"""Forty tables that cannot be studied: one sentence each, exit status 2, nothing half written."""

import bz2
import gzip
import io
import json
import os
import zipfile

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from typer.testing import CliRunner

from novum.cli import application

GOOD = b"bought,b\n" + b"yes,1\nno,2\n" * 30


def parquet(frame):
    buffer = io.BytesIO()
    frame.to_parquet(buffer)
    return buffer.getvalue()


def zipped(names):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in names:
            archive.writestr(name, b"<x/>")
    return buffer.getvalue()


def rows(head, *cells):
    return "\n".join([head, *cells]).encode() + b"\n"


FRAME = pd.DataFrame({"bought": ["yes", "no"] * 20, "b": np.arange(40) % 7})
BROKEN = {
    "no bytes": (b"", "is empty"),
    "empty lines": (b"\n\n \n\n", "nothing but empty lines"),
    "a mark of UTF-8 alone": (b"\xef\xbb\xbf", "nothing but empty lines"),
    "a header alone": (b"bought,b\n", "has a header and no rows"),
    "a header without line end": (b"bought,b", "has a header and no rows"),
    "no header": (b"1,2\n3,4\n" * 20, "its first line holds numbers"),
    "a short row": (b"bought,b\nyes,1\nno\n", "row 3 (the header is row 1) has 1 cell where the header has 2"),
    "a long row": (b"bought,b\nyes,1,3\nno,2\n", "has 3 cells where the header has 2"),
    "a short row after an empty line": (b"\nbought,b\nyes,1\nno\n", "row 4 (the header is row 2)"),
    "two names alike": (b"bought,bought\n1,2\n", "'bought' occurs more than once"),
    "a quote never closed in the header": (b'bought,"b\nyes,1\nno,2\n', "never closed"),
    "a quote never closed": (b'bought,b\n"yes,1\n' + b"no,2\n" * 30, "table.csv"),
    "bytes": (b"\x00\x01binary", "binary file"),
    "bytes below": (GOOD + b"\x00\x00\x00" * 5, "binary file"),
    "a page of the web": (b"<!DOCTYPE html><html><body>404</body></html>", "a page of the web"),
    "XML": (b"<?xml version='1.0'?><a/>", "a page of the web or XML"),
    "prose": (b"This is a letter. " * 40, "its first line is a text"),
    "a zip archive": (zipped(["table.csv"]), "is a zip archive"),
    "half a zip archive": (zipped(["table.csv"])[:40], "damaged zip archive"),
    "a workbook without sheets": (zipped(["xl/workbook.xml"]), "workbook"),
    "an old workbook": (b"\xd0\xcf\x11\xe0" + b"x" * 100, "an old Excel workbook"),
    "a PDF": (b"%PDF-1.7 ...", "a PDF document"),
    "a picture": (b"\x89PNG\r\n\x1a\n123", "a picture"),
    "a database": (b"SQLite format 3\x00" + b"\x00" * 100, "a database"),
    "HDF5": (b"\x89HDF\r\n\x1a\n" + b"\x00" * 100, "an HDF5 file"),
    "an array": (b"\x93NUMPY\x01\x00" + b"\x00" * 100, "an array of NumPy"),
    "half a gzip file": (gzip.compress(GOOD * 50)[:60], "cannot be unpacked"),
    "half a bzip2 file": (bz2.compress(os.urandom(9000))[:60], "table.csv"),
    "nothing in a gzip file": (gzip.compress(b""), "is empty"),
    "half a Parquet file": (parquet(FRAME)[:200], "cannot be read as Parquet"),
    "half a Feather file": (b"ARROW1\x00\x00nonsense", "cannot be read as Feather"),
    "a Parquet file of lists": (
        parquet(pd.DataFrame({"bought": [[1]] * 40, "b": np.arange(40)})),
        "must hold classes or numbers",
    ),
    "half a JSON list": (json.dumps([{"bought": 1}] * 30).encode()[:-2], "not readable JSON"),
    "JSON of no rows": (b"[]", "an empty list"),
    "JSON of numbers": (b"[1, 2, 3]", "no list of objects"),
    "JSON lines with a broken one": (b'{"bought": 1}\n{"bought": \n', "not readable JSON"),
    "UTF-16 cut in half": ("bought,b\nyes,1\n".encode("utf-16")[:-1], "is not utf-16 text"),
    "one class": (b"bought,b\n" + b"yes,1\n" * 30, "the same value, 'yes', in every row"),
    "five rows": (b"bought,b\nyes,1\nno,2\nyes,3\nno,4\nyes,5\n", "has 5 rows with a target"),
    "no target in any row": (b"bought,b\n" + b",1\n" * 30, "missing in every row"),
    "another target": (b"bougth,b\n" + b"yes,1\nno,2\n" * 30, "did you mean 'bougth'?"),
    "nothing but the target": (b"bought\n" + b"yes\nno\n" * 30, "no column is left to predict 'bought' from"),
    "nothing to learn from": (b"bought,b\n" + b"yes,\nno,\n" * 30, "no column is left to predict 'bought' from"),
    "every row its own class": (
        rows("bought,b", *(f"name{i},{i % 3}" for i in range(40))),
        "of at least 4 rows; a study",
    ),
    "dates to predict": (
        rows("bought,b", *(f"2020-01-{i % 28 + 1:02},{i % 3}" for i in range(40))),
        "must hold classes or",
    ),
    "an infinite number": (parquet(FRAME.assign(b=np.inf)), "'b' is infinite in row 1"),
}
QUICK = ["--folds", "3", "--repeats", "1", "--n-jobs", "1", "--models", "GaussianNB", "--no-tune"]


def study(path, *options):
    return CliRunner().invoke(application(), ["study", str(path), "--target", "bought", *map(str, options), *QUICK])


@pytest.mark.parametrize("case", BROKEN)
def test_one_sentence_and_nothing_written(case, tmp_path):
    content, text = BROKEN[case]
    (tmp_path / "table.csv").write_bytes(content)
    run = study(tmp_path / "table.csv", "--out", tmp_path / "out")
    assert run.exit_code == 2 and text in run.stderr, (run.output, run.exception)
    assert (
        run.stderr.startswith("novum study: ") and run.stderr.count("\n") == 1 and run.stderr.endswith((".\n", "?\n"))
    )
    assert os.listdir(tmp_path) == ["table.csv"]


@pytest.mark.parametrize(
    "options, text",
    [
        (["--sep", "::"], "must be one character"),
        (["--encoding", "klingon"], "is no encoding that Python knows"),
        (["--encoding", "ascii"], "line 2 is not ascii text"),
        (["--time-limit", "soon"], "is no time above 0; write 90, 90s, 5m or 1h"),
        (["--scoring", "rmse"], "--scoring rmse: for a classification scoring must be one of accuracy"),
        (["--prefer", "beauty"], "prefer must be one of accuracy, simple"),
        (["--positive", "maybe"], "the classes of 'bought' are no, yes"),
        (["--costs", "yes=3"], "is not of the form true:said=cost"),
        (["--costs", "yes:maybe=3"], "'maybe' is no class"),
        (["--group", "who"], "has no column 'who'"),
        (["--group", "b", "--time", "b"], "give one of the two"),
        (["--weights", "city"], "must be numbers"),
        (["--time", "city"], "time must be dates or numbers"),
        (["--models", "Magic"], "'Magic' is no classifier of novum"),
    ],
)
def test_options_that_cannot_be(options, text, tmp_path):
    lines = [f"{'yes' if i % 2 else 'no'},{i % 5},caffè{i % 3}" for i in range(40)]
    (tmp_path / "table.csv").write_bytes(rows("bought,b,city", *lines))
    chosen = [option for option in QUICK if "--models" not in options or option not in ("--models", "GaussianNB")]
    arguments = [
        "study",
        str(tmp_path / "table.csv"),
        "--target",
        "bought",
        "--out",
        str(tmp_path / "out"),
        *chosen,
        *options,
    ]
    run = CliRunner().invoke(application(), arguments)
    assert run.exit_code == 2 and text in run.stderr, run.output
    assert run.stderr.count("\n") == 1 and os.listdir(tmp_path) == ["table.csv"]


def test_standard_input(tmp_path):
    arguments = ["study", "-", "--target", "bought", "--out", str(tmp_path / "out"), *QUICK]
    run = CliRunner().invoke(application(), arguments, input=GOOD)
    assert run.exit_code == 0, run.output
    assert sorted(os.listdir(tmp_path / "out")) == [
        "MODEL_CARD.md",
        "model.novum",
        "report.html",
        "report.md",
        "scores.csv",
        "study.json",
        "unseen.parquet",
    ]
    empty = CliRunner().invoke(application(), arguments[:-1], input=b"")
    assert empty.exit_code == 2 and "standard input: is empty" in empty.stderr


def test_names_of_an_arrow_file_that_occur_twice(tmp_path):
    table = pa.table([pa.array([1, 2]), pa.array([3, 4])], names=["bought", "bought"])
    with pa.OSFile(str(tmp_path / "t.feather"), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    run = study(tmp_path / "t.feather", "--out", tmp_path / "out")
    assert run.exit_code == 2 and "occurs more than once" in run.stderr
