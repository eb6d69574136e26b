"""The table of days on which the notes grow their first tree, as scenes let it be edited and scripts write it."""

from typing import Any

from novum.lab.calls import literal
from novum.lab.controls import Refusal, Table

__all__ = ["COLUMNS", "DAYS", "days_code", "days_frame", "of_two_answers"]

COLUMNS = ("Outlook", "Temperature", "Humidity", "Wind", "PlayTennis")
TEXT = """
Sunny Hot High Weak No;        Sunny Hot High Strong No;       Overcast Hot High Weak Yes;    Rain Mild High Weak Yes;
Rain Cool Normal Weak Yes;     Rain Cool Normal Strong No;     Overcast Cool Normal Strong Yes; Sunny Mild High Weak No;
Sunny Cool Normal Weak Yes;    Rain Mild Normal Weak Yes;      Sunny Mild Normal Strong Yes;  Overcast Mild High Strong Yes;
Overcast Hot Normal Weak Yes;  Rain Mild High Strong No
"""
ROWS = tuple(tuple(row.split()) for row in TEXT.split(";"))
DAYS = Table(COLUMNS, ROWS, most=100, max_length=20)


def days_frame(rows: list[list[str]]) -> tuple[Any, list[str]]:
    """Return the columns but the last as a frame, and the last as the answers."""
    import pandas as pd

    return pd.DataFrame([row[:-1] for row in rows], columns=list(COLUMNS[:-1])), [row[-1] for row in rows]


def days_code(rows: list[list[str]]) -> str:
    """Return lines of a script that make the same X and y."""
    lines = ",\n".join("    " + literal(row) for row in rows)
    return (
        f"import pandas as pd\nrows = [\n{lines},\n]\n"
        f"X = pd.DataFrame([row[:-1] for row in rows], columns={literal(list(COLUMNS[:-1]))})\ny = [row[-1] for row in rows]"
    )


def of_two_answers(rows: list[list[str]]) -> None:
    """Raise a Refusal where there is nothing to tell apart."""
    if len({row[-1] for row in rows}) < 2:
        raise Refusal("days: the last column must have two different answers at least.", "days")
