"""Clustering."""

from novum.cluster._functions import k_means, kmeans_plusplus
from novum.cluster.kmeans import KMeans

__all__ = ["KMeans", "k_means", "kmeans_plusplus"]
