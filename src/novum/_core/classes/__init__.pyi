"""Counts and posteriors of classes."""

from novum._core.classes import (
    counts as counts,
    posterior as posterior
)
