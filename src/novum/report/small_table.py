"""Small tables as text and as HTML."""

from html import escape

__all__ = ["html_table", "text_table"]


def text_table(rows: list[list[str]]) -> str:
    """Return rows of cells, the first the header, aligned: the first column to the left, the others to the right."""
    widths = [max(len(row[j]) for row in rows) for j in range(len(rows[0]))]
    lines = ["  ".join([row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:]))]) for row in rows]
    return "\n".join(line.rstrip() for line in lines)


def html_table(rows: list[list[str]]) -> str:
    """Return rows of cells, the first the header, as an HTML table."""
    tags = ["th"] + ["td"] * (len(rows) - 1)
    body = "".join(
        "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in row) + "</tr>" for tag, row in zip(tags, rows)
    )
    return f"<table>{body}</table>"
