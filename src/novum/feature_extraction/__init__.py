"""From raw material to columns of numbers."""

from novum.feature_extraction import text

__all__ = ["text"]


def __dir__() -> list[str]:
    return sorted(__all__)
