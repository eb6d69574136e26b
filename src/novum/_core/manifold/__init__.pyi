"""Maps of rows."""

from novum._core.manifold import (
    geodesics as geodesics,
    polyline as polyline,
    stress as stress,
    units as units
)
