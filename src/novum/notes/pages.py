"""The pages that `tools/notes_coverage.py` writes from the tables into docs/: coverage, a page per chapter, errata."""

from collections import Counter
from collections.abc import Iterable

from novum.notes.listing import home, rows_of
from novum.notes.misprints import Erratum, errata
from novum.notes.run import example
from novum.notes.tables import (
    SETS,
    Chapter,
    Row,
    call_of,
    chapters,
    ledger,
    names_of,
    page_name,
    served,
    server_of,
    shown_names,
    table,
)

__all__ = ["chapter_page", "coverage_page", "errata_page", "index_page", "pages"]

HEAD = "<!-- Written by `make notes-coverage` from src/novum/notes; edit the tables there. -->\n"


def cell(text: str) -> str:
    """Return a text that a table of Markdown leaves as it is."""
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("*", "\\*").replace("_", "\\_").replace("<", "&lt;")


def code(text: str) -> str:
    """Return a text as code inside a table."""
    return f"`{text.replace('|', chr(92) + '|')}`" if text else ""


def names_cell(row: Row) -> str:
    """Return the names of a row as code, what is no name as words; where scikit-learn serves it, the call."""
    if server_of(row) == "scikit-learn":
        return f"scikit-learn: {code(call_of(row))}"
    return code(shown_names(row)) if names_of(row) else shown_names(row)


def proof(row: Row) -> str:
    """Return the tests of a row, or that there is none yet."""
    return "<br>".join(code(test.removeprefix("tests/")) for test in served().get(row.key, [])) or "not yet"


SHARES = "proved by ours | by scikit-learn | not yet | items"
RIGHT = "---:|---:|---:|---:|"


def share(rows: Iterable[Row]) -> str:
    """Return how many rows are proved by ours, served by scikit-learn, not yet served, and all of them, as cells."""
    these = list(rows)
    count = Counter(server_of(row) for row in these)
    return f"{count['novum']} | {count['scikit-learn']} | {count['']} | {len(these)}"


def title_line(chapter: Chapter) -> str:
    return f"{chapter.notes} chapter {chapter.chapter}, {chapter.title}"


def by(rows: tuple[Row, ...]) -> str:
    """Return which module serves most of some rows, nothing where none does."""
    module = home(rows)
    return f", most of them by `{module}`" if "." in module else ""


def of_chapter(chapter: Chapter) -> list[Erratum]:
    return [e for e in errata() if (e.notes, e.chapter) == chapter[:2]]


def coverage_page() -> str:
    """Return docs/coverage.md: what is served, by set, chapter and capability; what is not, openly."""
    rows = ledger()
    by_server = Counter(server_of(row) for row in rows)
    lines = [
        HEAD,
        "# What of the notes is served\n",
        f"{by_server['novum']} of {len(rows)} items of the five sets are proved by a test of novum's own names that passed when",
        f"this page was written; {by_server['scikit-learn']} more are served by scikit-learn, whose class works around ours, each",
        f"with the call at the end of this page; {by_server['']} are *not yet*. All names can be imported today. The items are the",
        f"{len(table('ledger.tsv'))} of the first reading and {len(table('supplements.tsv'))} definitions that it passed over.\n",
        f"| notes | {SHARES} |\n|---|{RIGHT}",
    ]
    for number, title in SETS.items():
        lines.append(f"| {number} {title} | {share(row for row in rows if row.notes == number)} |")
    lines += ["\n## By chapter\n", f"| chapter | {SHARES} |\n|---|{RIGHT}"]
    for c in chapters():
        lines.append(f"| [{title_line(c)}](notes/{page_name(*c[:2])}.md) | {share(rows_of(c))} |")
    lines += ["\n## By capability\n", f"| capability | {SHARES} | missing |\n|---|{RIGHT}---|"]
    for capability in sorted({row.capability for row in rows}):
        mine = [row for row in rows if row.capability == capability]
        missing = ", ".join(code(row.key) for row in mine if row.key not in served())
        lines.append(f"| {capability} | {share(mine)} | {missing} |")
    lines += [
        "\n## Served by scikit-learn\n",
        "`X` has two columns, `y` two classes, `k` several, `t` numbers, `C` categories; every line is run by a test.\n",
        "| item | call | proved by |\n|---|---|---|",
    ]
    lines += [
        f"| {cell(row.name)} ({code(row.key)}) | {code(call_of(row))} | {proof(row)} |"
        for row in rows
        if server_of(row) == "scikit-learn"
    ]
    return "\n".join(lines) + "\n"


def chapter_page(chapter: Chapter) -> str:
    """Return the page of one chapter: names, an example where there is one, tests, misprints."""
    rows = rows_of(chapter)
    done = sum(row.key in served() for row in rows)
    lines = [HEAD, f"# {title_line(chapter)}\n", f"{done} of {len(rows)} items served{by(rows)}.\n"]
    session = example(*chapter[:2])
    if session is not None:
        lines += [
            f"## Try it\n\n`python -m novum.notes.run {chapter.notes} {chapter.chapter}` runs this:\n",
            "```pycon\n" + session.strip() + "\n```\n",
        ]
    lines += ["## Items\n", "| section | item | names | proved by |\n|---|---|---|---|"]
    lines += [f"| {row.section} | {cell(row.name)} | {names_cell(row)} | {proof(row)} |" for row in rows]
    if misprints := of_chapter(chapter):
        lines += [
            "\n## Misprints\n",
            "All of them: [errata](../errata.md).\n",
            "| place | printed | right | id |\n|---|---|---|---|",
        ]
        lines += [f"| {cell(e.place)} | {cell(e.printed)} | {cell(e.right)} | {e.id} |" for e in misprints]
    return "\n".join(lines) + "\n"


def index_page() -> str:
    """Return docs/notes/index.md: every chapter."""
    lines = [
        HEAD,
        "# By chapter\n",
        "What every chapter of the five sets became. `novum notes` shows the same on the terminal.\n",
        "```{toctree}\n:maxdepth: 1\n\n../coverage\n../errata\n```\n",
    ]
    for number, title in SETS.items():
        mine = [page_name(*c[:2]) for c in chapters() if c.notes == number]
        lines += [f"## {number} {title}\n", "```{toctree}\n:maxdepth: 1\n", *mine, "```\n"]
    return "\n".join(lines)


def errata_page() -> str:
    """Return docs/errata.md: every misprint with an anchor, and whether a test computes it."""
    everything = errata()
    computed = sum(bool(e.test) for e in everything)
    by_set = Counter(e.notes for e in everything)
    lines = [
        HEAD,
        "# Errata of the notes\n",
        f"{len(everything)} places where the notes print something else than what holds, with what the library computes instead.",
        f"{computed} of them are shown by a test (last column, in `tests/notes`); the others are wording or notation, or need",
        "a part that the library does not have yet.\n",
    ]
    for number, title in SETS.items():
        if not by_set[number]:
            continue
        lines += [f"## {number} {title}\n", "| id | place | printed | right | test |\n|---|---|---|---|---|"]
        for e in (e for e in everything if e.notes == number):
            anchor = f'<a id="{e.id}"></a>{e.id}'
            test = code(e.test) if e.test else "not computed"
            lines.append(f"| {anchor} | {cell(e.place)} | {cell(e.printed)} | {cell(e.right)} | {test} |")
        lines.append("")
    return "\n".join(lines)


def pages() -> dict[str, str]:
    """Return every written page: path below docs/ to text."""
    made = {"coverage.md": coverage_page(), "errata.md": errata_page(), "notes/index.md": index_page()}
    return made | {f"notes/{page_name(*c[:2])}.md": chapter_page(c) for c in chapters()}
