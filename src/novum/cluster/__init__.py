"""Clustering."""

from typing import TYPE_CHECKING

from novum.runtime.lazy import lazily

if TYPE_CHECKING:
    from novum.cluster.agreement import clustering_agreement
    from novum.cluster.criterion import WithinClusterError, within_cluster_error
    from novum.cluster.density.dbscan import DBSCAN, dbscan
    from novum.cluster.density.hdbscan import HDBSCAN
    from novum.cluster.functions import k_means, kmeans_plusplus
    from novum.cluster.hierarchy.agglomerative import AgglomerativeClustering, ward_tree
    from novum.cluster.hierarchy.divisive import DivisiveClustering
    from novum.cluster.hierarchy.linkage import Dendrogram, linkage
    from novum.cluster.hierarchy.plots import plot_dendrogram
    from novum.cluster.image import quantize_image
    from novum.cluster.kmeans import KMeans
    from novum.cluster.medoids import KMedoids
    from novum.cluster.mini_batch import MiniBatchKMeans
    from novum.cluster.number.bends import elbow, gap_statistic
    from novum.cluster.number.choice import choose_clusters
    from novum.cluster.silhouette import silhouette_samples, silhouette_score
    from novum.cluster.spectral import SpectralClustering, spectral_clustering
else:
    __getattr__, __dir__ = lazily(
        __name__,
        {
            ".agreement": "clustering_agreement",
            ".criterion": "WithinClusterError within_cluster_error",
            ".density.dbscan": "DBSCAN dbscan",
            ".density.hdbscan": "HDBSCAN",
            ".functions": "k_means kmeans_plusplus",
            ".hierarchy.agglomerative": "AgglomerativeClustering ward_tree",
            ".hierarchy.divisive": "DivisiveClustering",
            ".hierarchy.linkage": "Dendrogram linkage",
            ".hierarchy.plots": "plot_dendrogram",
            ".image": "quantize_image",
            ".kmeans": "KMeans",
            ".medoids": "KMedoids",
            ".mini_batch": "MiniBatchKMeans",
            ".number.bends": "elbow gap_statistic",
            ".number.choice": "choose_clusters",
            ".silhouette": "silhouette_samples silhouette_score",
            ".spectral": "SpectralClustering spectral_clustering",
        },
    )

__all__ = [
    "DBSCAN",
    "HDBSCAN",
    "AgglomerativeClustering",
    "Dendrogram",
    "DivisiveClustering",
    "KMeans",
    "KMedoids",
    "MiniBatchKMeans",
    "SpectralClustering",
    "WithinClusterError",
    "choose_clusters",
    "clustering_agreement",
    "dbscan",
    "elbow",
    "gap_statistic",
    "k_means",
    "kmeans_plusplus",
    "linkage",
    "plot_dendrogram",
    "quantize_image",
    "silhouette_samples",
    "silhouette_score",
    "spectral_clustering",
    "ward_tree",
    "within_cluster_error",
]
