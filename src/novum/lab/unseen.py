"""Rows to judge a model by: those that the same preset makes from the next seed."""

from numpy.typing import NDArray

from novum.lab.scene import Scene, State

__all__ = ["unseen_rows"]


def unseen_rows(scene: Scene, s: State) -> tuple[NDArray, NDArray] | None:
    """Return rows that nobody was fitted to; none where rows were drawn by hand."""
    if "rows" in s.given["points"]:
        return None
    following = State({**s.given, "seed": s.seed + 1}, scene.points)
    return following.points.X, following.points.y
