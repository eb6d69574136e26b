"""Clustering."""

from novum.cluster._functions import k_means, kmeans_plusplus
from novum.cluster.criterion import within_cluster_error
from novum.cluster.density.dbscan import DBSCAN
from novum.cluster.density.hdbscan import HDBSCAN
from novum.cluster.hierarchy.agglomerative import AgglomerativeClustering
from novum.cluster.hierarchy.divisive import DivisiveClustering
from novum.cluster.hierarchy.linkage import linkage
from novum.cluster.image import quantize_image
from novum.cluster.kmeans import KMeans
from novum.cluster.medoids import KMedoids
from novum.cluster.mini_batch import MiniBatchKMeans
from novum.cluster.number.bends import elbow, gap_statistic
from novum.cluster.number.choice import choose_clusters
from novum.cluster.silhouette import silhouette_samples, silhouette_score
from novum.cluster.spectral import SpectralClustering
from novum.runtime.moved_names import moved_names

__all__ = [
    "DBSCAN",
    "HDBSCAN",
    "AgglomerativeClustering",
    "DivisiveClustering",
    "KMeans",
    "KMedoids",
    "MiniBatchKMeans",
    "SpectralClustering",
    "choose_clusters",
    "elbow",
    "gap_statistic",
    "k_means",
    "kmeans_plusplus",
    "linkage",
    "quantize_image",
    "silhouette_samples",
    "silhouette_score",
    "within_cluster_error",
]

__getattr__ = moved_names(
    __name__,
    {
        ".agreement": "clustering_agreement",
        ".criterion": "WithinClusterError",
        ".density.dbscan": "dbscan",
        ".hierarchy.agglomerative": "ward_tree",
        ".hierarchy.between": "cluster_distance",
        ".hierarchy.linkage": "Dendrogram",
        ".hierarchy.plots": "plot_dendrogram",
        ".spectral": "spectral_clustering",
        ".plots": "plot_kmeans_steps",
    },
)
