"""What fitted models look like: one file per kind of picture. `novum.base.plots` chooses among them.

Functions take a fitted model, arrays and the axes to draw on; they ask a model only for what scikit-learn's contract gives
(`predict`, `coef_`, `classes_`, ...), so that families share them.
"""

from novum.report.plots.bars import draw_bars_of_columns, draw_coefficients
from novum.report.plots.fits import draw_curve, draw_predictions, draw_surface
from novum.report.plots.groups import draw_centers, draw_ellipses, draw_groups
from novum.report.plots.regions import draw_classes, draw_probabilities, draw_regions

__all__ = [
    "draw_bars_of_columns",
    "draw_centers",
    "draw_classes",
    "draw_coefficients",
    "draw_curve",
    "draw_ellipses",
    "draw_groups",
    "draw_predictions",
    "draw_probabilities",
    "draw_regions",
    "draw_surface",
]
