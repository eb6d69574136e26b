"""Tables as people write them: money, per cent, dates of all countries, stray cells, encodings, formats."""

import bz2
import gzip
import lzma

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import novum
from novum.cli import application
from novum.fold.readers.cells import dates_of, form_of, numbers_of
from novum.study import Study
from novum.study.data.files import read_table

NUMBERS = [
    (["$1.2", "$3,400.5", "-$5"], [1.2, 3400.5, -5]),
    (["12%", "3 %", "4.5%"], [12, 3, 4.5]),
    (["1,234.5", "12", "1,000,000.25"], [1234.5, 12, 1000000.25]),
    (["1,5", "2,25", "3"], [1.5, 2.25, 3]),
    (["0,123", "0,456"], [0.123, 0.456]),
    (["1,234", "5,678"], [1234, 5678]),
    (["1.234,5", "12,1"], [1234.5, 12.1]),
    (["1 234,5", "2"], [1234.5, 2]),
    (["1'234.5", "2"], [1234.5, 2]),
    (["5 kg", "6.2 kg"], [5, 6.2]),
    (["(1,200)", "300"], [-1200, 300]),
    (["€ 5", "7 €", "EUR 8"], [5, 7, 8]),
    (["1e5", "2E-3", "−4"], [1e5, 2e-3, -4]),
    (["1", "2", "3", "n/d", "#DIV/0!"], [1, 2, 3, np.nan, np.nan]),
    ([*map(str, range(30)), "broken"], [*range(30), np.nan]),
    (["1\u00a0234", "12\u202f345\u202f678", "1’234"], [1234, 12345678, 1234]),
    (["1,23,456", "12,34,567.5"], [123456, 1234567.5]),
    (["12,50 €", "1.234,00 €"], [12.5, 1234]),
    (["CHF 1'234.50", "CHF12", "99 CHF"], [1234.5, 12, 99]),
    (["US$12.50", "R$3", "Rs. 4"], [12.5, 3, 4]),
    (["($12.50)", "12.-", "3.5-", "+4"], [-12.5, 12, -3.5, 4]),
    (["12 m²", "3.5 m²"], [12, 3.5]),
    (["12 km/h", "3.5 km/h"], [12, 3.5]),
    (["1.5D+03", "2d-2"], [1500, 0.02]),
    (["1.2K", "3M", "$900", "2.5k"], [1200, 3e6, 900, 2500]),
    (["<5", "7", "8", "~9"], [5, 7, 8, 9]),
    (["1.5*", "2", "3", "4[a]", "5"], [1.5, 2, 3, 4, 5]),
    (["10:30", "23:45:36", "2:15 PM"], [10.5, 23.76, 14.25]),
    (["26:30:00", "100:00", "2 days 03:00:00"], [26.5, 100, 51]),
    (["1h 30m", "45 min", "PT2H", "1 day 6 h"], [1.5, 0.75, 2, 30]),
]
DATES = [
    (["2012/01/01", "2012/02/03"], ["2012-01-01", "2012-02-03"]),
    (["31/12/2021", "01/02/2021"], ["2021-12-31", "2021-02-01"]),
    (["12/31/2021", "01/02/2021"], ["2021-12-31", "2021-01-02"]),
    (["31.12.2021", "1.2.2020"], ["2021-12-31", "2020-02-01"]),
    (["01.02.2021", "03.04.2021"], ["2021-02-01", "2021-04-03"]),
    (["Jan 1 2000", "Feb 12 2001"], ["2000-01-01", "2001-02-12"]),
    (["January 1, 2000", "Mon, March 3 2001"], ["2000-01-01", "2001-03-03"]),
    (["1 Jan 2000", "2-Feb-01"], ["2000-01-01", "2001-02-02"]),
    (["2021-01-01 12:30", "2021-01-02T13:00:01Z"], ["2021-01-01T12:30", "2021-01-02T13:00:01"]),
    (["2021-01-01 12:30 +0200", "2021-01-02 00:00 -01:00"], ["2021-01-01T10:30", "2021-01-02T01:00"]),
    (["12/31/2021 2:30 PM", "1/1/2021 12:05 AM"], ["2021-12-31T14:30", "2021-01-01T00:05"]),
    (["31/12/99", "01/02/21"], ["1999-12-31", "2021-02-01"]),
    (["2012-01", "2012-12"], ["2012-01-01", "2012-12-01"]),
    (["Fri Jan 1 2021", "Sat Feb 13 2021"], ["2021-01-01", "2021-02-13"]),
    (["Fri Jan  1 10:00:00 2021", "Sat Feb 13 11:30:05 2021"], ["2021-01-01T10:00", "2021-02-13T11:30:05"]),
    (["1 janvier 2021", "14 août 2022", "1er mars 2020"], ["2021-01-01", "2022-08-14", "2020-03-01"]),
    (["1 de enero de 2021", "3 de marzo de 2020"], ["2021-01-01", "2020-03-03"]),
    (["2021年1月3日", "2021年12月4日"], ["2021-01-03", "2021-12-04"]),
    (["2021Q1", "Q4 2020", "2021-Q2"], ["2021-01-01", "2020-10-01", "2021-04-01"]),
    (["2021-W01", "2020-W53"], ["2021-01-04", "2020-12-28"]),
    (["31/12/2021", "30/02/2021"] + ["01/01/2021"] * 20, ["2021-12-31", "NaT"] + ["2021-01-01"] * 20),
]
NEITHER = [
    ["a", "b"],
    ["1A", "2B"],
    ["12-34", "13-35"],
    ["3 cats", "4 dogs"],
    ["192.168.0.1"],
    ["May", "June"],
    ["v1"],
    ["<=50K", ">50K"],
    ["BMW 320", "BMW 325"],
    ["01234", "98765"],
    ["0x1F", "0x2A"],
    ["12 kg", "900 g", "13 kg"],
    ["0.5-10", "1.5-20"],
    ["18-25", "26-40", "<18", ">60"],
]


@pytest.mark.parametrize("cells, expected", NUMBERS)
def test_numbers(cells, expected):
    form = form_of(cells)
    assert form is not None and form.kind == "number"
    np.testing.assert_allclose(numbers_of(cells, form), expected)


@pytest.mark.parametrize("cells, expected", DATES)
def test_dates(cells, expected):
    form = form_of(cells)
    assert form is not None and form.kind == "date"
    np.testing.assert_array_equal(dates_of(cells, form), np.array(expected, dtype="datetime64[s]"))


@pytest.mark.parametrize("cells", NEITHER)
def test_text_stays_text(cells):
    form = form_of(cells)
    assert form is None or form.kind == "code"


def odd(n=60):
    rng = np.random.default_rng(0)
    x = rng.normal(50, 10, n)
    words = [
        " ".join(rng.choice(["good", "bad", "fast", "slow", "cheap", "dear", "red"], 4)) + f" nr {i}" for i in range(n)
    ]
    return pd.DataFrame(
        {
            "price": [f"${v * 100:,.2f}" for v in x],
            "share": [f"{v:.0f}%" for v in x],
            "day": [f"{i % 28 + 1:02d}/{i % 12 + 1:02d}/2021" for i in range(n)],
            "level": ["n/d" if i % 17 == 0 else f"{v:.2f}" for i, v in enumerate(x)],
            "remark": words,
            "bought": [" Yes" if v > 50 else "no " for v in x],
        }
    )


def check(table):
    kinds = {name: column.kind for name, column in table.columns.items()}
    assert kinds == {
        "price": "number",
        "share": "number",
        "day": "date",
        "level": "number",
        "remark": "category",
        "bought": "category",
    }
    assert set(table.columns["bought"].values) == {"Yes", "no"}  # trimmed
    assert table.columns["level"].notes == ["level: 4 cells that are no number ('n/d') count as missing"]


WAYS = {
    "csv": lambda f, p: f.to_csv(p, index=False),
    "tsv": lambda f, p: f.to_csv(p, index=False, sep="\t"),
    "semicolons": lambda f, p: f.to_csv(p, index=False, sep=";"),
    "CR": lambda f, p: f.to_csv(p, index=False, lineterminator="\r"),
    "CRLF": lambda f, p: f.to_csv(p, index=False, lineterminator="\r\n"),
    "UTF-16": lambda f, p: f.to_csv(p, index=False, encoding="utf-16"),
    "UTF-16 without a mark": lambda f, p: f.to_csv(p, index=False, encoding="utf-16-le"),
    "UTF-8 with a mark": lambda f, p: f.to_csv(p, index=False, encoding="utf-8-sig"),
    "Latin-1": lambda f, p: f.assign(remark=f["remark"] + " è").to_csv(p, index=False, encoding="latin-1"),
    "gzip": lambda f, p: p.write_bytes(gzip.compress(f.to_csv(index=False).encode())),
    "bzip2": lambda f, p: p.write_bytes(bz2.compress(f.to_csv(index=False).encode())),
    "xz": lambda f, p: p.write_bytes(lzma.compress(f.to_csv(index=False).encode())),
    "JSON lines": lambda f, p: f.to_json(p, orient="records", lines=True),
    "JSON list": lambda f, p: f.to_json(p, orient="records"),
    "Parquet": lambda f, p: f.to_parquet(p),
    "Feather": lambda f, p: f.to_feather(p),
    "a header of 100 kB": lambda f, p: p.write_text(
        "\n" + f.rename(columns={"remark": "r" * 10**5}).to_csv(index=False)
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_formats_and_encodings(way, tmp_path):
    WAYS[way](odd(), tmp_path / "table")
    table = read_table(tmp_path / "table")
    if "header" in way:
        assert max(map(len, table.columns)) == 10**5 and table.n_rows == 60
    else:
        check(table)
    assert bool(table.notes) == (way in ("Latin-1", "UTF-16", "UTF-16 without a mark"))


def test_excel(tmp_path):
    pytest.importorskip("openpyxl")
    odd().to_excel(tmp_path / "book.xlsx", index=False)
    check(read_table(tmp_path / "book.xlsx"))


def test_separator_and_encoding_by_hand(tmp_path):
    odd().to_csv(tmp_path / "t.csv", index=False, sep="~", encoding="cp500")  # EBCDIC: nobody guesses that
    check(read_table(tmp_path / "t.csv", separator="~", encoding="cp500"))


def test_a_scan_reads_the_same_numbers(tmp_path):
    frame = odd().drop(columns="remark").assign(level="1.5%")
    frame.to_csv(tmp_path / "t.csv", index=False, encoding="utf-16")
    scan = novum.scan(tmp_path / "t.csv", columns=["price", "share", "level"], target="bought")
    columns = read_table(tmp_path / "t.csv").columns
    np.testing.assert_array_equal(
        scan.first().X, np.column_stack([columns[name].values for name in ("price", "share", "level")])
    )


def test_a_study_of_it_predicts_what_it_read(tmp_path):
    """Days and months are distinguished by the table that was studied, not by the rows to predict."""
    frame = odd(90)
    frame.loc[0, "bought"] = "maybe"
    result = Study(frame, "bought", models=["GaussianNB"], folds=3, repeats=1, n_jobs=1, tune=False).run()
    roles = {column.name: column.role for column in result.card.columns}
    assert roles["remark"] == "words" and roles["day"] == "date"
    notes = "\n".join(result.card.notes)
    assert "bought: a class of fewer than 4 rows left out (maybe 1)" in notes
    assert "remark is free text: its words are counted" in notes and "share: numbers followed by '%'" in notes
    result.write_report(tmp_path / "out")
    frame[1:].to_csv(tmp_path / "all.csv", index=False)
    frame[1:4].to_csv(tmp_path / "some.csv", index=False)  # 02/02, 03/03, 04/04
    lines = []
    for name in ("all.csv", "some.csv"):
        run = CliRunner().invoke(
            application(),
            [
                "predict",
                str(tmp_path / "out/model.novum"),
                str(tmp_path / name),
                "--proba",
                "-o",
                str(tmp_path / "p.csv"),
            ],
        )
        assert run.exit_code == 0, run.output
        lines.append((tmp_path / "p.csv").read_text().splitlines()[:4])
    assert lines[0] == lines[1]


def test_case_variants_and_rare_classes_are_named():
    n = 80
    frame = pd.DataFrame({"x": np.arange(n) % 13, "city": ["Rome", "rome", "Bari", "Turin"] * (n // 4)})
    frame["y"] = [*(f"rare{i % 4}" for i in range(10)), *(["a", "b"] * 35)]
    result = Study(frame, "y", models=["GaussianNB"], folds=3, repeats=1, n_jobs=1, tune=False).run()
    notes = "\n".join(result.card.notes)
    assert "city has 'Rome' and 'rome', which differ only in case" in notes
    assert "4 classes of too few rows" in notes and "(other)" in result.task.labels


ADDED_BY_PROGRAMS = {
    "Excel's line": (b"sep=;\na;b\n1;2\n3;4\n", {}),
    "comments above": (b"# made by x\n# twice\na,b\n1,2\n3,4\n", {"# are left out"}),
    "a header with #": (b"#a,b\n1,2\n3,4\n", {}),
    "marks at the ends of rows": (b"a,b\n1,2,\n3,4,\n", {}),
    "headers of parts": (b"a,b\n1,2\na,b\n3,4\na,b\n", {"the header comes back in 2 rows"}),
}


@pytest.mark.parametrize("what", ADDED_BY_PROGRAMS)
def test_what_programs_add_is_not_read_as_rows(tmp_path, what):
    text, said = ADDED_BY_PROGRAMS[what]
    (tmp_path / "t.csv").write_bytes(text)
    table = read_table(tmp_path / "t.csv")
    assert [name.lstrip("#") for name in table.columns][:2] == ["a", "b"] and table.n_rows == 2
    assert [list(column.values) for column in table.columns.values()][:2] == [[1.0, 3.0], [2.0, 4.0]]
    assert all(any(words in note for note in table.notes) for words in said)
