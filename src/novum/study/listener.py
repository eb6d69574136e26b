"""Who hears of the steps of a study while it runs."""

from typing import Protocol

__all__ = ["Listener", "Silence"]


class Listener(Protocol):
    """Hears of every step of a study; what a subclass does not override does nothing."""

    def step(self, name: str, lines: list[str]) -> None:
        """A step is done."""
        return None

    def advance(self, done: int, planned: int) -> None:
        """One more fit is done."""
        return None

    def formed(self, name: str, score: str) -> None:
        """A model has finished its folds."""
        return None

    def fitting(self, n_rows: int, seconds: float) -> None:
        """The kept model is fitted on so many rows, which takes about so many seconds."""
        return None

    def explained(self, done: int, planned: int) -> None:
        """The importance of one more column is known."""
        return None

    def looked(self, done: int, planned: int) -> None:
        """One more thing is known about the kept model."""
        return None


class Silence(Listener):
    """Hears and says nothing."""
