"""One table, as text and as HTML."""

from collections.abc import Sequence
from html import escape

__all__ = ["html_paragraph", "html_rows", "html_table", "html_text", "text_table"]


def text_table(rows: Sequence[Sequence[str]], left: int = 1, indent: str = "  ", *, strip: bool = True) -> list[str]:
    """Return lines with the first `left` columns flush left and the others flush right."""
    widths = [max(len(row[j]) for row in rows) for j in range(len(rows[0]))]
    lines = [
        indent
        + "  ".join(
            cell.ljust(width) if j < left else cell.rjust(width) for j, (cell, width) in enumerate(zip(row, widths))
        )
        for row in rows
    ]
    return [line.rstrip() for line in lines] if strip else lines


def html_line(cells: Sequence[str], tags: Sequence[str]) -> str:
    """Return one row of a table, a tag for each of its cells."""
    return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell, tag in zip(cells, tags)) + "</tr>"


def html_table(rows: Sequence[Sequence[str]], caption: str = "") -> str:
    """Return the same as an HTML table; the first row is its head."""
    head = html_line(rows[0], ["th"] * len(rows[0]))
    body = "".join(html_line(row, ["td"] * len(row)) for row in rows[1:])
    return f"<table>{html_caption(caption)}{head}{body}</table>"


def html_rows(rows: Sequence[Sequence[str]], caption: str = "") -> str:
    """Return an HTML table of named values: no head, the first cell of every row is its name."""
    body = "".join(html_line(row, ["th", *["td"] * (len(row) - 1)]) for row in rows)
    return f"<table>{html_caption(caption)}{body}</table>"


def html_caption(caption: str) -> str:
    """Return the caption of a table, or nothing."""
    return f"<caption>{escape(caption)}</caption>" if caption else ""


def html_paragraph(lines: Sequence[str]) -> str:
    """Return lines of text below a table."""
    return f"<p>{'<br>'.join(map(escape, lines))}</p>"


def html_text(text: str) -> str:
    """Return lines of text whose columns stand as they were printed."""
    return f"<pre>{escape(text)}</pre>"
