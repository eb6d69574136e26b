"""Names of tasks that say learner, stage and pass, so that a dashboard groups them by what they do."""

import re
from functools import partial
from typing import Any
from uuid import uuid4

__all__ = ["stage_name", "task_name"]


def stage_name(function: Any) -> str:
    """Return the name of a function in letters and hyphens: Dask groups tasks by the words before the first number."""
    while isinstance(function, partial):
        function = function.func
    name = getattr(function, "__name__", type(function).__name__)
    return re.sub(r"[^A-Za-z]+", "-", name).strip("-") or "stage"


def task_name(owner: str, stage: str, number: int, *place: int) -> str:
    """Return a key no other task has: `novum-KMeans-lloyd-pass-3-0-<random>`."""
    return "-".join(["novum", owner, stage, "pass", str(number), *map(str, place), uuid4().hex])
