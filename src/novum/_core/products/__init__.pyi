"""Rows times small matrices."""

from novum._core.products import (
    narrow as narrow,
    quadratic as quadratic
)
