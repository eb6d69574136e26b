"""Where the cells of a text are: the lines above its header, what parts the cells, the names of the columns.

A header is the first line that the lines below agree with: as many marks, outside quotes. What stands above it, comments, titles
and Excel's line `sep=;`, is left out. Where no mark agrees, blanks may part the cells (novum.fold.readers.blanks). One cell more in
every row than in the header is a mark at the ends of the rows, or the names of the rows as R writes them.
"""

import csv
import io
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from novum.exceptions import DataError, ParameterError
from novum.fold.readers.blanks import WHITESPACE, Blanks, blanks_in
from novum.fold.readers.dialect import DELIMITERS, decimal_mark, without_quotes
from novum.fold.readers.second_header import second_header
from novum.fold.readers.table import check_names

__all__ = ["Layout", "layout_of", "row_handler", "separator_of"]

RARE_MARKS = ("^", "~", "¦", "\x1f", "\x01", "&", ":")  # tried where none of the usual ones parts anything
MOST_ABOVE = 30  # lines above a header
MANY_LINES = 200  # that tell the layout
AGREE = 0.5  # share of lines that have as many marks as the header
LONGEST_NAME = 200
COMMENTS = ("#", "//", "%", ";", "!", "--", "/*", "*")
RULE = re.compile(r"(?=.*-{2})[-+=|: \t]+")  # below the names, as Markdown and databases draw it
NO_CELLS = re.compile(r"|[#%;!/*].*|[-+=|: \t]*-{2}[-+=|: \t]*|\(\d+ rows?(?: affected)?\)")


class Layout(NamedTuple):
    """How a text is cut into cells."""

    mark: str  # between cells; a tab where blanks are made one
    decimal: str
    names: list[str]
    above: int  # lines before the first row
    quote: str
    escape: str | bool
    blanks: Blanks | None  # where these part the cells
    unnamed: frozenset[str]  # columns that the header does not name
    notes: list[str]


def separator_of(given: str | None, name: str) -> str | None:
    """Return the mark that a user names, or raise."""
    found = {
        "\\t": "\t",
        "tab": "\t",
        "\\s+": WHITESPACE,
        " ": WHITESPACE,
        "blank": WHITESPACE,
        "space": WHITESPACE,
        "comma": ",",
        "semicolon": ";",
        "pipe": "|",
    }.get(given or "", given)
    if (
        found is not None
        and found != WHITESPACE
        and (not isinstance(found, str) or len(found) != 1 or found in '"\n\r')
    ):
        raise ParameterError(f"{name}: the separator {given!r} must be one character, or 'whitespace'.")
    return found


def layout_of(name: str, head: str, separator: str | None) -> Layout:
    """Return the layout of a text by its beginning.

    Parameters
    ----------
    name : str
        Of the text, for messages.
    head : str
        Its header and some lines after it, with line ends as Unix has them; the last line may be cut.
    separator : str or None
        What parts the cells; None finds it out.
    """
    lines = head.split("\n")[: MANY_LINES + MOST_ABOVE]
    if len(lines) > 2:
        lines = lines[:-1]
    start = next((i for i, line in enumerate(lines) if line.strip()), 0)
    said = re.fullmatch(r'"?sep=(.)"?', lines[start].strip(" \r"))
    if said and start + 1 < len(lines):
        start, separator = start + 1, separator or said[1]
    quote = quotes_in(lines)
    marks = DELIMITERS if separator is None else (separator,)
    if separator == WHITESPACE:
        return by_blanks(name, lines, start, Blanks("words", ()), [])
    top, mark = top_of(lines, start, marks, quote)
    if mark is None and separator is None:
        if (found := blanks_in(lines[first_text_line(lines, start) :])) is not None:
            return by_blanks(name, lines, first_text_line(lines, start), found, ["blanks part the cells"])
        top, mark = top_of(lines, start, RARE_MARKS, quote)
    mark = mark or separator or max(DELIMITERS, key=lambda m: count(lines[start], m, quote))
    above = [line for line in lines[start:top] if line.strip(mark + " \r")]
    notes = []
    if above and all(line.startswith("#") for line in above):
        notes.append("lines at the top that begin with # are left out")
    elif above:
        some = above[0].strip(mark + " \r")
        notes.append(
            f"{'a line' if len(above) == 1 else f'{len(above)} lines'} above the header left out: {some!r:.60}"
        )
    names, taken = header(name, lines[top:], "\n".join(head.split("\n")[top:]), mark, quote, notes)
    unnamed = frozenset(names[i] for i, cell in enumerate(names) if cell == f"(column {i + 1})")
    if more_cells(lines[top:], mark, quote) == "at the end":
        names = [*names, f"(column {len(names) + 1})"]
        unnamed |= {names[-1]}
    elif more_cells(lines[top:], mark, quote) == "in front":
        names = ["(column 1)", *names]
        unnamed |= {names[0]}
        notes.append("rows have one cell more than the header: the first is the name of the row, as R writes it")
    taken += top
    if taken < len(lines) and RULE.fullmatch(lines[taken].strip(" \r")):
        taken += 1
    escape = "\\" if quote == '"' and re.search(rf'\\"(?![{re.escape(mark)}\n\r]|$)', head) else False
    rows = [line for line in lines[top + 1 :] if line.strip()]
    return Layout(
        mark=mark,
        decimal=decimal_mark(rows, mark),
        names=names,
        above=taken,
        quote=quote,
        escape=escape,
        blanks=None,
        unnamed=unnamed,
        notes=notes,
    )


def by_blanks(name: str, lines: list[str], top: int, blanks: Blanks, notes: list[str]) -> Layout:
    """Return the layout of a text whose cells blanks part."""
    while lines[top].lstrip().startswith("#") and top + 1 < len(lines):
        top += 1
    cells = blanks.cells(lines[top])
    names = checked_names(name, cells)
    rows = [blanks.cells(line) for line in lines[top + 1 : top + MANY_LINES] if line.strip()]
    if rows and all(len(row) == len(names) + 1 for row in rows):
        names = ["(column 1)", *names]
    unnamed = frozenset(n for i, n in enumerate(names) if n == f"(column {i + 1})")
    taken = top + 1
    if taken < len(lines) and RULE.fullmatch(lines[taken].strip(" \r")):
        taken += 1
    commas = sum(bool(re.fullmatch(r"[-+]?\d+,\d+", cell)) for row in rows for cell in row)
    points = sum(bool(re.fullmatch(r"[-+]?\d+\.\d+", cell)) for row in rows for cell in row)
    return Layout(
        mark="\t",
        decimal="," if commas > points else ".",
        names=names,
        above=taken,
        quote='"',
        escape=False,
        blanks=blanks,
        unnamed=unnamed,
        notes=notes,
    )


def quotes_in(lines: list[str]) -> str:
    """Return the quotation mark: a single one only where there is no other and whole cells stand between two."""
    if any('"' in line for line in lines):
        return '"'
    marks = "".join(map(re.escape, DELIMITERS))
    quoted = sum(bool(re.search(rf"(?:^|[{marks}])\s?'[^']*'\s?(?=[{marks}]|$)", line)) for line in lines)
    return "'" if quoted >= max(2, len(lines) / 2 - 1) else '"'


def count(line: str, mark: str, quote: str) -> int:
    return without_quotes(line, quote).count(mark)


def agreement(lines: list[str], mark: str, quote: str) -> float:
    """Return the share of the lines below the first that have as many marks as it."""
    cells, rest = count(lines[0], mark, quote), [line for line in lines[1:] if line.strip()]
    if not cells or not rest:
        return 0.0
    return sum(count(line, mark, quote) == cells for line in rest[:MANY_LINES]) / min(len(rest), MANY_LINES)


def top_of(lines: list[str], start: int, marks: tuple[str, ...], quote: str) -> tuple[int, str | None]:
    """Return the line of the header and the mark that parts its cells, None where no mark agrees with the lines below."""
    for top in range(start, min(start + MOST_ABOVE, len(lines))):
        if not lines[top].strip() or is_comment(lines, top, marks, quote):
            continue
        shares = {mark: (agreement(lines[top:], mark, quote), count(lines[top], mark, quote)) for mark in marks}
        mark = max(marks, key=lambda m: shares[m])
        wanted = AGREE if mark in DELIMITERS else 0.99
        if shares[mark][0] < wanted and not (more_cells(lines[top:], mark, quote) and count(lines[top], mark, quote)):
            continue
        if is_title(lines, top, mark, quote):
            continue
        if top == start or may_skip(lines[start:top], lines[top], mark, quote):
            return top, mark
        break
    return start, None


def is_comment(lines: list[str], top: int, marks: tuple[str, ...], quote: str) -> bool:
    """Return whether a line is a comment: the header may begin with # itself."""
    if not lines[top].startswith(COMMENTS):
        return False
    after = [line for line in lines[top + 1 :] if line.strip()]
    if not after or after[0].startswith(COMMENTS):
        return bool(after)
    mark = max(marks, key=lambda mark: (agreement(after, mark, quote), count(after[0], mark, quote)))
    if count(lines[top], mark, quote) != count(after[0], mark, quote):
        return True
    names, cells = ([cell.strip(' "') for cell in line.split(mark)] for line in (after[0], after[-1]))
    return not any(map(is_number, names)) and any(map(is_number, cells))


def is_title(lines: list[str], top: int, mark: str, quote: str) -> bool:
    """Return whether a line has as many marks as the others, but one cell or none, and the names come below it."""
    cells = [cell.strip(' "') for cell in lines[top].split(mark)]
    if any(cells[1:]) or (cells[0] and " " not in cells[0]):
        return False
    below = next((line for line in lines[top + 1 :] if line.strip(mark + " \r")), "")
    names = [cell.strip(' "\r') for cell in below.split(mark)]
    return all(names) and not any(map(is_number, names))


def may_skip(above: list[str], head: str, mark: str, quote: str) -> bool:
    """Return whether lines are comments or titles over a header, and not a header that the rows contradict."""
    said = [line.strip(mark + " \r") for line in above if line.strip(mark + " \r")]
    titles = [line for line in said if not line.startswith(COMMENTS)]
    names = [cell.strip(' "\r') for cell in head.split(mark)]
    if titles and (any(map(is_number, names)) or not any(names)):
        return False
    empty = any(not line.strip(mark + " \r") for line in above)
    return all(not count(line, mark, quote) and (empty or " " in line or len(names) > 2) for line in titles)


def first_text_line(lines: list[str], start: int) -> int:
    """Return the first line that is no comment."""
    return next((i for i in range(start, len(lines)) if lines[i].strip() and not lines[i].startswith("#")), start)


def more_cells(lines: list[str], mark: str, quote: str) -> str:
    """Return where every row has a cell that the header has not, as some programs write them: at the end, in front, or nowhere."""
    rows = [line.rstrip("\r ") for line in lines[1:] if line.strip()]
    cells = count(lines[0], mark, quote) + 1
    if len(rows) < 2 or cells < 2 or any(count(row, mark, quote) != cells for row in rows):
        return ""
    if all(row.endswith(mark) for row in rows) and not lines[0].rstrip("\r ").endswith(mark):
        return "at the end"
    first = [row.split(mark)[0].strip() for row in rows]
    running = [str(i) for i in range(1, len(first) + 1)]
    named = all(cell.startswith('"') or not is_number(cell) for cell in first) and all(first)
    plain = [cell.strip('"') for cell in first]
    return "in front" if len(set(first)) == len(first) and (named or plain == running) else ""


def header(name: str, lines: list[str], text: str, mark: str, quote: str, notes: list[str]) -> tuple[list[str], int]:
    """Return the names of the columns and how many lines the header takes; a column without one is called by its number."""
    taken, quotes = 0, 0
    for line in text.split("\n"):  # a quoted name may hold a line break
        quotes += line.count('"') if quote == '"' else 0
        taken += 1
        if quotes % 2 == 0:
            break
    if quotes % 2:
        raise DataError(f"{name}: a quotation mark in its first line is never closed.")
    part = "\n".join(text.split("\n")[:taken])
    try:
        csv.field_size_limit(max(csv.field_size_limit(), len(part) + 1))
        first = next(csv.reader(io.StringIO(part), delimiter=mark, quotechar=quote), [])
    except csv.Error as error:
        raise DataError(f"{name}: its first line cannot be read: {error}.") from None
    try:
        below = list(csv.reader(lines[taken : taken + MANY_LINES], delimiter=mark, quotechar=quote))
    except csv.Error:  # line ends of several kinds
        below = []
    if two := second_header(first, below):
        first, taken = two[0], taken + 1
        notes.append(two[1])
    return checked_names(name, first), taken


def checked_names(name: str, first: list[str]) -> list[str]:
    """Return the names in a first line, or raise where it is none."""
    cells = [cell.strip() for cell in first]
    if len(cells) > 1 and all(is_number(cell) for cell in cells):
        raise DataError(
            f"{name}: its first line holds numbers; a table needs a first line with the names of the columns."
        )
    if cells and max(map(len, cells)) > LONGEST_NAME and len(cells) < 3:
        raise DataError(
            f"{name}: its first line is a text of {max(map(len, cells)):,} characters, not names of columns."
        )
    names = [cell or f"(column {position})" for position, cell in enumerate(cells, start=1)]
    check_names(names, name)
    return names


def is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def row_handler(left_out: list[str]) -> Callable[[Any], str]:
    """Return what pyarrow does with a row of another length: comments, rules and lines of blanks are left out and listed."""

    def handle(row: Any) -> str:
        text = row.text.strip(" \t\r\n\x1a\ufeff")
        if not NO_CELLS.fullmatch(text):
            return "error"
        if text:
            left_out.append(text)
        return "skip"

    return handle
