"""Nearest rows: searches, votes and means of neighbors, kernel densities and regression, distances and learned metrics."""

from typing import TYPE_CHECKING

from novum.runtime.lazy import lazily

if TYPE_CHECKING:
    from novum.engines.search.metrics import VALID_METRICS, VALID_METRICS_SPARSE
    from novum.neighbors.classification import KNeighborsClassifier, RadiusNeighborsClassifier
    from novum.neighbors.density import KernelDensity
    from novum.neighbors.distances import pairwise_distances
    from novum.neighbors.kernel_regression import NadarayaWatson
    from novum.neighbors.metric_learning import MetricLearner
    from novum.neighbors.plots import plot_neighbors, plot_regions
    from novum.neighbors.regression import KNeighborsRegressor, RadiusNeighborsRegressor
    from novum.neighbors.trees import BallTree, KDTree
    from novum.neighbors.unsupervised import NearestNeighbors, kneighbors_graph, radius_neighbors_graph
else:
    __getattr__, __dir__ = lazily(
        __name__,
        {
            "novum.engines.search.metrics": "VALID_METRICS VALID_METRICS_SPARSE",
            ".classification": "KNeighborsClassifier RadiusNeighborsClassifier",
            ".density": "KernelDensity",
            ".distances": "pairwise_distances",
            ".kernel_regression": "NadarayaWatson",
            ".metric_learning": "MetricLearner",
            ".plots": "plot_neighbors plot_regions",
            ".regression": "KNeighborsRegressor RadiusNeighborsRegressor",
            ".trees": "BallTree KDTree",
            ".unsupervised": "NearestNeighbors kneighbors_graph radius_neighbors_graph",
        },
    )

__all__ = [
    "VALID_METRICS",
    "VALID_METRICS_SPARSE",
    "BallTree",
    "KDTree",
    "KNeighborsClassifier",
    "KNeighborsRegressor",
    "KernelDensity",
    "MetricLearner",
    "NadarayaWatson",
    "NearestNeighbors",
    "RadiusNeighborsClassifier",
    "RadiusNeighborsRegressor",
    "kneighbors_graph",
    "pairwise_distances",
    "plot_neighbors",
    "plot_regions",
    "radius_neighbors_graph",
]
