"""Nearest rows."""

from novum._core.search import neighbors as neighbors
