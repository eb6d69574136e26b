"""Clustering."""

from novum.cluster._functions import k_means, kmeans_plusplus
from novum.cluster._plot import plot_kmeans_steps
from novum.cluster.criterion import WithinClusterError, within_cluster_error
from novum.cluster.kmeans import KMeans

__all__ = ["KMeans", "WithinClusterError", "k_means", "kmeans_plusplus", "plot_kmeans_steps", "within_cluster_error"]
