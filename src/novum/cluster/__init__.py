"""Clustering."""

from novum.cluster._functions import k_means, kmeans_plusplus
from novum.cluster.criterion import within_cluster_error
from novum.cluster.kmeans import KMeans
from novum.runtime.moved_names import moved_names

__all__ = ["KMeans", "k_means", "kmeans_plusplus", "within_cluster_error"]

__getattr__ = moved_names(
    __name__,
    {
        ".criterion": "WithinClusterError",
        ".plots": "plot_kmeans_steps",
    },
)
