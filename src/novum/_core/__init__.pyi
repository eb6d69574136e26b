"""
Compiled kernels. Private: call them through the Python modules that own them.
"""

from novum._core import (
    bandits as bandits,
    classes as classes,
    cluster as cluster,
    decisions as decisions,
    decomposition as decomposition,
    distributions as distributions,
    evaluation as evaluation,
    factors as factors,
    feature_extraction as feature_extraction,
    gaussians as gaussians,
    kernels as kernels,
    kmeans as kmeans,
    linear_model as linear_model,
    manifold as manifold,
    moments as moments,
    neural_network as neural_network,
    products as products,
    runtime as runtime,
    sampling as sampling,
    search as search,
    sequence as sequence,
    svm as svm,
    trees as trees
)
