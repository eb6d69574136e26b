"""Fitting a decision tree to rows in files, on a cluster or on a device: what is refused there, and who grows it."""

from inspect import signature
from typing import Any

import numpy as np
from sklearn.base import is_classifier

from novum.base.classes import labels_of
from novum.base.device_forms import is_elsewhere
from novum.engines.trees.device.growth import grow_one
from novum.engines.trees.limits import columns_tried, rules_of
from novum.engines.trees.nodes import Tree
from novum.engines.trees.passes.single_tree import grow_from_blocks
from novum.engines.trees.passes.survey import factors_of, survey
from novum.exceptions import DataError, ParameterError
from novum.runtime.random import seed_of

__all__ = ["elsewhere", "fit_in_passes", "refuse"]

CRITERIA = ("gini", "entropy", "log_loss", "squared_error")  # those that histograms know
PARAMETERS = (
    *("max_depth", "min_samples_split", "min_samples_leaf", "min_weight_fraction_leaf", "max_features", "random_state"),
    *("max_leaf_nodes", "min_impurity_decrease", "class_weight", "ccp_alpha"),
)


def elsewhere(X: Any) -> str:
    """Return where rows outside memory are, in words."""
    return "on a device" if is_elsewhere(X) else "from a scan or a Dask collection"


def refuse(estimator: Any, also: tuple[str, ...], X: Any) -> None:
    """Raise for what needs all rows of a column at once; `also` are further parameters that may be anything."""
    for name, parameter in signature(type(estimator).__init__).parameters.items():
        if name in (*PARAMETERS, *also, "self"):
            continue
        value = getattr(estimator, name)
        if name == "criterion":
            fine = value in CRITERIA
        elif name == "splitter":
            fine = value == "best" or is_elsewhere(X)
        else:
            fine = value is None or (isinstance(value, type(parameter.default)) and value == parameter.default)
        if not fine:
            raise ParameterError(
                f"{type(estimator).__name__}({name}={value!r}) needs rows in memory; {elsewhere(X)} trees grow by"
                f" histograms of numbers, with binary splits by one of the criteria {', '.join(CRITERIA)}."
            )


def fit_in_passes(estimator: Any, X: Any, y: Any, sample_weight: Any) -> Tree:
    """Return the tree of rows outside memory, not pruned; records what a fit records with it."""
    refuse(estimator, (), X)
    owner, classifies = type(estimator).__name__, is_classifier(estimator)
    source = estimator._source(X, y, sample_weight, target="classes" if classifies else "numeric")
    if source.n_targets > 1:
        raise DataError(f"{owner}: several targets need rows in memory; fit one tree per target, or give a sample.")
    number, factor = 0, None
    if classifies:
        estimator.classes_, source = labels_of(source)
        estimator.n_classes_ = number = len(estimator.classes_)
    found = survey(source, number)
    if classifies and estimator.class_weight is not None:
        factor = factors_of(estimator.class_weight, estimator.classes_, found.counts)
    d = source.n_features
    mass = found.mass if factor is None else found.mass * factor
    rules = rules_of(estimator, (found.rows, d), mass, [], 1, number)
    estimator.n_outputs_ = 1
    estimator.levels_ = {}
    estimator.max_features_ = columns_tried(estimator.max_features, d)
    estimator.is_categorical_ = np.zeros(d, bool)
    seed = seed_of(estimator.random_state)
    grow = grow_one if source.on_device else grow_from_blocks
    return grow(source, estimator.criterion, rules, found, number, factor, seed)
