"""From raw material to columns of numbers."""

from novum.feature_extraction import text

__all__ = ["text"]
