"""
Compiled kernels. Private: call them through the Python modules that own them.
"""

from novum._core import (
    build as build,
    counts as counts,
    density as density,
    design as design,
    gaussian as gaussian,
    kmeans as kmeans,
    kmeans_sparse as kmeans_sparse,
    mixture as mixture,
    posterior as posterior,
    random as random,
    scatter as scatter,
    seeding as seeding,
    text as text,
    threads as threads,
    tile as tile
)
