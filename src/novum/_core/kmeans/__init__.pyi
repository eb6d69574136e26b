"""k-means on blocks of rows."""

from novum._core.kmeans import (
    dense as dense,
    seeding as seeding,
    sparse as sparse
)
