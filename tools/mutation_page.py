"""The record of mutation runs, docs/mutation.json, and the page made from it."""

import json
from collections import defaultdict
from typing import Any

from tools.mutations import ROOT

__all__ = ["RECORD", "read_record", "write_page", "write_record"]

RECORD, PAGE = ROOT / "docs" / "mutation.json", ROOT / "docs" / "mutation.md"
BESIDE = ROOT / "tools" / "mutations_beside_rows.tsv"
HEAD = """# Mutation runs

`make mutate-rows` plants faults behind the rows of the notes, in a random order: {least} to {most} a row, each a sign, an
operator, a factor, an exponent, an offset, a comparison, a dropped term, or a function for its opposite (`min` for `max`, `sum`
for `mean`). They are drawn from lines that the row's marked tests run, in the functions that the row names and in the three others
that the fewest rows run. Only the row's own tests judge: a fault counts as noticed when one of them fails. The rest of the suite,
which judges refusals, homes of data, speed and the looks of pictures, is not counted, and kernels in C++ are not changed. Faults
that change nothing a caller could see are listed with their reason in `tools/equivalent_mutations.tsv` and are not drawn.

Not every line that a row's tests run holds its formula. A fault that nobody noticed was looked at: where it stands beside the
row's formula (a tolerance of rounding, a layout, a window of a picture, another row's method), `tools/mutations_beside_rows.tsv`
gives the reason, and it is counted as *beside*. The share is that of the noticed ones among all others.

A row is whole when no fault in its formula went unnoticed. {rows} of {all} rows have an answer; the others follow in the same
random order, or have no formula in Python.

| notes | rows | faults | noticed | beside | share | rows that are whole |
|---|---:|---:|---:|---:|---:|---:|
"""


def read_record() -> dict[str, Any]:
    """Return what became of the faults of every row."""
    return json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {}


def write_record(record: dict[str, Any]) -> None:
    """Store what became of the faults of every row, a line each."""
    lines = [f"{json.dumps(key)}: {json.dumps(found)}" for key, found in sorted(record.items())]
    RECORD.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def reasons_beside() -> dict[tuple[str, str, str], str]:
    """Return why a fault is no fault in a row's formula, by row, module and what was changed."""
    lines = [line.split("\t") for line in BESIDE.read_text(encoding="utf-8").splitlines()[1:]]
    return {(row, module, before): reason for row, module, before, reason in lines}


def parted(record: dict[str, Any]) -> dict[str, Any]:
    """Return the record with the faults that were not noticed parted into those in the formula and those beside it."""
    known = reasons_beside()
    made = {}
    for key, row in record.items():
        aside = [one for one in row["survived"] if (key, one["module"], one["before"]) in known]
        made[key] = {**row, "survived": [one for one in row["survived"] if one not in aside], "beside": aside}
    return made


def line_of(name: str, rows: list[dict[str, Any]]) -> str:
    """Return a line of the table."""
    noticed, beside = (sum(row["killed"] for row in rows), sum(len(row["beside"]) for row in rows))
    judged = noticed + sum(len(row["survived"]) for row in rows)
    whole = sum(not row["survived"] for row in rows)
    share = f"{100 * noticed / max(judged, 1):.0f} %"
    return (
        f"| {name} | {len(rows)} | {judged + beside} | {noticed} | {beside} | {share} "
        f"| {whole} ({100 * whole / len(rows):.0f} %) |"
    )


def write_page() -> None:
    """Write the shares of the five sets, and what nobody noticed row by row."""
    record = parted({key: row for key, row in read_record().items() if row["possible"]})
    by_set: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for key, row in sorted(record.items()):
        by_set[key[:3]].append(row)
    table = [line_of(name, rows) for name, rows in by_set.items()]
    table.append(line_of("**all**", list(record.values())))
    lived = [
        f"- {key}: `{one['module']}`, line {one['line']}: `{one['before']}` became `{one['after']}`"
        for key, row in sorted(record.items())
        for one in row["survived"]
    ]
    rest = ["", "## Faults that no test of the row noticed", "", *lived] if lived else []
    drawn = [row["killed"] + len(row["survived"]) + len(row["beside"]) for row in record.values()]
    tables = [
        (ROOT / "src/novum/notes" / name).read_text(encoding="utf-8") for name in ("ledger.tsv", "supplements.tsv")
    ]
    count = sum(len(text.splitlines()) - 1 for text in tables)
    head = HEAD.format(least=min(drawn), most=max(drawn), rows=len(record), all=count)
    PAGE.write_text(head + "\n".join([*table, *rest]) + "\n", encoding="utf-8")
