"""The name of the folder that a study is written into where nobody gives one."""

import re

__all__ = ["default_folder"]


def default_folder(table: str, target: str) -> str:
    """Return a name for the folder from those of the table's file and the target."""
    stem = table.split(".")[0] or "table"
    plain = re.sub(r"[^\w-]+", "_", target).strip("_")
    return f"{stem}-{plain or 'target'}-study"
