"""k-means on blocks of rows."""

from novum._core.kmeans import (
    dense as dense,
    online as online,
    seeding as seeding,
    sparse as sparse
)
