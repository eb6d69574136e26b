"""Sums over rows."""

from novum._core.moments import (
    design as design,
    diagonal as diagonal,
    exact_sums as exact_sums,
    scatter as scatter
)
