"""How classification and regression by nearest neighbors stand for a task in a study."""

from typing import Any

from novum.base.candidacy import Candidacy

__all__ = ["NEIGHBORS_CANDIDACY"]

NEIGHBORS_SEARCH: tuple[dict[str, Any], ...] = (
    {"n_neighbors": 3, "weights": "distance"},
    {"n_neighbors": 15, "weights": "distance"},
    {"n_neighbors": 15},
    {"n_neighbors": 40},
)  # what is worth trying in a study
NEIGHBORS_CANDIDACY = Candidacy(
    rank=6,
    settings={"n_neighbors": 7},
    search=NEIGHBORS_SEARCH,
    scaled=True,
    most_rows=50_000,
    shares={"n_neighbors": 0.3},
)
