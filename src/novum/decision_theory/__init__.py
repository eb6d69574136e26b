"""Decisions under uncertainty."""

__all__: list[str] = []
