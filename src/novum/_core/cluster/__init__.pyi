"""Clusters."""

from novum._core.cluster import (
    density as density,
    hierarchy as hierarchy,
    medoids as medoids,
    silhouette as silhouette
)
