"""
Compiled kernels. Private: call them through the Python modules that own them.
"""

from novum._core import (
    classes as classes,
    cluster as cluster,
    decomposition as decomposition,
    distributions as distributions,
    evaluation as evaluation,
    factors as factors,
    feature_extraction as feature_extraction,
    gaussians as gaussians,
    kernels as kernels,
    kmeans as kmeans,
    linear_model as linear_model,
    moments as moments,
    products as products,
    runtime as runtime,
    sampling as sampling,
    search as search,
    sequence as sequence,
    svm as svm,
    trees as trees
)
