"""One state of a method, as a scene gives it."""

from typing import Any, NamedTuple

__all__ = ["Event", "Frame"]

Event = tuple[str, dict[str, Any]]  # its kind and what it says


class Frame(NamedTuple):
    """What is shown at one step.

    `values` are numbers that are read: they travel exactly. `arrays` are drawn: NumPy arrays, lists and dictionaries. `say` is a
    key of the scene's sentences with the numbers in it; `part` the half of a step, where steps have halves.
    """

    n: int
    values: dict[str, float | None]
    arrays: dict[str, Any]
    say: tuple[str, dict[str, Any]] | None = None
    part: str = ""
