"""Maps of rows."""

from novum._core.manifold import (
    geodesics as geodesics,
    placement as placement,
    polyline as polyline,
    stress as stress,
    units as units
)
