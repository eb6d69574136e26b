"""Sums over rows."""

from novum._core.moments import (
    design as design,
    diagonal as diagonal,
    scatter as scatter
)
