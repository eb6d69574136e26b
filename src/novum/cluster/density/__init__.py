"""Clusters as regions of density: DBSCAN, HDBSCAN."""
