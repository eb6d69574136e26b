"""Texts."""

from novum._core.feature_extraction import text as text
