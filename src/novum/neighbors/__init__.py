"""Nearest rows: searches, votes and means of neighbors, kernel densities and regression, distances and learned metrics."""

from novum.neighbors._forms import VALID_METRICS, VALID_METRICS_SPARSE
from novum.neighbors.classification import KNeighborsClassifier, RadiusNeighborsClassifier
from novum.neighbors.regression import KNeighborsRegressor, RadiusNeighborsRegressor
from novum.neighbors.trees import BallTree, KDTree
from novum.neighbors.unsupervised import NearestNeighbors, kneighbors_graph, radius_neighbors_graph

__all__ = [
    "VALID_METRICS",
    "VALID_METRICS_SPARSE",
    "BallTree",
    "KDTree",
    "KNeighborsClassifier",
    "KNeighborsRegressor",
    "NearestNeighbors",
    "RadiusNeighborsClassifier",
    "RadiusNeighborsRegressor",
    "kneighbors_graph",
    "radius_neighbors_graph",
]
