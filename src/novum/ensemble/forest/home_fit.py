"""Fitting a forest to rows in files, on a cluster or on a device: what is refused there, and what all of these fits share.

The trees themselves are the business of novum.ensemble.forest.passes, or of novum.ensemble.forest.device for a tensor on a device.
"""

from copy import copy
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone, is_classifier

from novum.base.classes import labels_of
from novum.engines.trees.bins import sample_bins
from novum.engines.trees.limits import columns_tried, rules_of
from novum.engines.trees.passes.fit import elsewhere, refuse
from novum.engines.trees.passes.single_tree import MAX_BINS, task_of
from novum.engines.trees.passes.survey import factors_of, survey
from novum.engines.trees.pruning import prune
from novum.ensemble.forest.device import grow_where_it_lies
from novum.ensemble.forest.passes import Plan, grow_forest
from novum.ensemble.forest.samples import BlockSampling, most_draws, sample_size
from novum.exceptions import DataError, ParameterError
from novum.runtime.random import Stream

__all__ = ["Grown", "grow_in_passes"]

PARAMETERS = ("n_estimators", "bootstrap", "n_jobs", "verbose", "warm_start", "max_samples")


class Grown(NamedTuple):
    """What a forest learns from rows outside memory."""

    members: list[Any]  # trees to be added
    learned: dict[str, Any]  # attributes of the forest beside them


def grow_in_passes(forest: Any, X: Any, y: Any, sample_weight: Any, first_seeds: Any) -> Grown:
    """Return the trees that rows outside memory add to a forest, and what a fit records beside them.

    `first_seeds()` returns the seed of the forest and those of the trees to be grown, once the rows are known to be good.
    """
    refuse(forest, PARAMETERS, X)
    owner, classifies = type(forest).__name__, is_classifier(forest)
    class_weight = getattr(forest, "class_weight", None)
    if isinstance(class_weight, list) or (isinstance(class_weight, str) and class_weight == "balanced_subsample"):
        raise ParameterError(
            f"{owner}(class_weight={class_weight!r}) needs rows in memory; {elsewhere(X)} give a dict or 'balanced', which"
            " balances over all rows."
        )
    source = forest._source(X, y, sample_weight, target="classes" if classifies else "numeric")
    if source.n_targets > 1:
        raise DataError(f"{owner}: several targets need rows in memory; fit one forest per target, or give a sample.")
    number, factor = 0, None
    learned: dict[str, Any] = {}
    if classifies:
        classes, source = labels_of(source)
        number = len(classes)
        learned.update(classes_=classes, n_classes_=number)
    found = survey(source, number)
    if class_weight is not None:
        factor = factors_of(class_weight, classes, found.counts)
    mass = found.mass if factor is None else found.mass * factor
    d = source.n_features
    sampling = draws = size = None
    if forest.bootstrap:
        size = sample_size(found.rows, forest.max_samples, mass)
        sampling, mass = BlockSampling(found.rows, size / float(mass.sum())), np.array([float(size)])
        draws = most_draws(sampling.rate * float((found.largest if factor is None else found.largest * factor).max()))
    weighted = factor is not None or float(found.mass.sum()) != found.rows or found.largest.max() != 1
    learned.update(_n_samples=found.rows, _sample_weight=None, n_outputs_=1, levels_={}, _n_samples_bootstrap=size)
    learned.update(_rate=None if sampling is None else sampling.rate, _weighted_draws=weighted)
    member = clone(forest.estimator_)
    rules = rules_of(member, (found.rows, d), mass, [], 1, number)
    member.n_outputs_, member.n_features_in_, member.levels_ = 1, d, {}
    member.max_features_, member.is_categorical_ = columns_tried(member.max_features, d), np.zeros(d, bool)
    learned.update(max_features_=member.max_features_, is_categorical_=member.is_categorical_)
    if classifies:
        member.classes_, member.n_classes_ = np.arange(number), number
    seed, seeds = first_seeds()
    bins = sample_bins(source, Stream(seed), MAX_BINS, n_rows=found.rows)
    plan = Plan(task_of(bins, forest.criterion, found, number, factor, draws), sampling)
    members = []
    grow = grow_where_it_lies if source.on_device else grow_forest
    for own, tree in zip(seeds, grow(source, plan, rules, seeds)):
        if not tree.n_node_samples[0]:  # e^-size of all trees
            raise DataError(
                f"{owner}: a tree drew none of the {found.rows} rows; outside memory every row is drawn a Poisson number of times,"
                f" {size} of them on average. Raise max_samples, or give rows in memory."
            )
        grown = copy(member)
        grown.random_state = own
        grown.tree_ = prune(tree, member.ccp_alpha) if member.ccp_alpha > 0 else tree
        members.append(grown)
    return Grown(members, learned)
