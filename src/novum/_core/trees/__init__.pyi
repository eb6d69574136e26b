"""Decision trees."""

from novum._core.trees import (
    bins as bins,
    boosting as boosting,
    exact as exact,
    passes as passes,
    ranks as ranks,
    traversal as traversal
)
