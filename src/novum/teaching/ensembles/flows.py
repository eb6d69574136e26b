"""Sketches of ensembles: what data every member gets, and how the answers are joined."""

from novum.exceptions import ParameterError
from novum.report.axes import drawing_axes
from novum.report.boxes import Sketch, arrows_of, draw_boxes
from novum.runtime.typing import Axes

__all__ = ["plot_flow"]

# fmt: off
FLOWS: dict[str, Sketch] = {
    "bagging": Sketch(
        {
            "data": (0, 1, "rows"), "s1": (2, 2, "bootstrap\nsample 1"), "s2": (2, 1, "bootstrap\nsample 2"),
            "s3": (2, 0, "bootstrap\nsample B"), "m1": (4, 2, "model 1"), "m2": (4, 1, "model 2"),
            "m3": (4, 0, "model B"), "vote": (6, 1, "vote or mean"),
        },
        "data > s1 > m1 > vote, data > s2 > m2 > vote, data > s3 > m3 > vote",
    ),
    "boosting": Sketch(
        {
            "w1": (0, 1, "equal weights"), "m1": (2, 1, "model 1"), "w2": (4, 1, "weights up\nwhere wrong"),
            "m2": (6, 1, "model 2"), "w3": (8, 1, "weights up\nwhere wrong"), "m3": (10, 1, "model M"),
            "vote": (6, -0.5, "weighted vote"),
        },
        "w1 > m1 > w2 > m2 > w3 > m3, m1 > vote, m2 > vote, m3 > vote",
    ),
    "stacking": Sketch(
        {
            "data": (0, 1, "rows"), "m1": (2, 2, "model 1"), "m2": (2, 1, "model 2"), "m3": (2, 0, "model B"),
            "held": (4, 1, "answers on\nheld-out folds"), "meta": (6, 1, "model of\nthe answers"), "y": (8, 1, "answer"),
        },
        "data > m1 > held, data > m2 > held, data > m3 > held, held > meta > y",
    ),
}
# fmt: on


def plot_flow(kind: str, ax: Axes | None = None) -> Axes:
    """Draw how data flow through a kind of ensemble; return the axes.

    Parameters
    ----------
    kind : {"bagging", "boosting", "stacking"}
    ax : matplotlib axes, default=None

    Examples
    --------
    >>> from novum.teaching import plot_flow
    >>> [text.get_text() for text in plot_flow("bagging").texts if "vote" in text.get_text()]
    ['vote or mean']
    """
    if kind not in FLOWS:
        raise ParameterError(f"plot_flow: kind={kind!r} must be one of {', '.join(map(repr, sorted(FLOWS)))}.")
    ax = drawing_axes(ax)
    draw_boxes(ax, FLOWS[kind].boxes, arrows_of(FLOWS[kind].arrows), kind)
    return ax
