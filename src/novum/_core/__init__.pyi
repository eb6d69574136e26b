"""
Compiled kernels. Private: call them through the Python modules that own them.
"""

from novum._core import (
    bins as bins,
    boosting as boosting,
    build as build,
    cart as cart,
    coded as coded,
    counts as counts,
    density as density,
    descent as descent,
    design as design,
    dual as dual,
    factors as factors,
    gaussian as gaussian,
    growth as growth,
    kmeans as kmeans,
    kmeans_sparse as kmeans_sparse,
    latent as latent,
    logistic as logistic,
    mixture as mixture,
    neighbors as neighbors,
    posterior as posterior,
    product as product,
    proximal as proximal,
    quadratic as quadratic,
    random as random,
    resampling as resampling,
    scatter as scatter,
    seeding as seeding,
    sgd as sgd,
    text as text,
    threads as threads,
    tile as tile,
    traversal as traversal
)
