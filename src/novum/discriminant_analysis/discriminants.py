"""Linear discriminants of rows, and their places along directions: (2) and (3) of novum.discriminant_analysis.linear."""

from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.base.generative import Query, all_finite, dense_best, dense_linear, joint_of
from novum.discriminant_analysis.classes import class_density, expected_rows, log_joint
from novum.engines.gaussians.density import Density
from novum.exceptions import DataError
from novum.fold.blocks import Block
from novum.runtime import arrays, sklearn_private
from novum.runtime.blas import single_blas

__all__ = ["Projection", "Rule", "best_discriminant", "decision_of", "discriminants", "project_block"]


class Rule(NamedTuple):
    """Discriminants to be evaluated: one column per class, or the difference of two."""

    weights: NDArray  # (d, k) or (d, 1)
    bias: NDArray
    gaussians: tuple[NDArray, NDArray, NDArray]  # prior, means, covariance: for rows with missing cells, which are rare
    difference: bool


class Projection(NamedTuple):
    center: NDArray  # (d,)
    directions: NDArray  # (d, m)
    density: Density | None  # for rows with missing cells


def discriminants(rule: Rule, block: Block) -> Any:
    """Return delta of (3) for every row and class, as classes in columns; a row with missing cells gets (1) instead."""
    X = block.X
    if isinstance(X, np.ndarray):
        score = dense_linear(X, rule.weights, rule.bias)
    else:
        score = X @ arrays.like(X, rule.weights) + arrays.like(X, rule.bias)
    if rule.difference:
        score = arrays.concat([score * 0, score])
    if not all_finite(score) and bool((rows := (score != score).any(1)).any()):
        density = density_for_gaps(rule)
        with single_blas():
            score[rows] = arrays.like(X, arrays.to_numpy(log_joint(density, Block(X[rows]))))
    return score


def density_for_gaps(rule: Rule) -> Density:
    """Return the density that rows with missing cells need; raise where the covariance has none."""
    if rule.gaussians[2].size:
        with suppress(DataError):
            return class_density("LinearDiscriminantAnalysis", *rule.gaussians, "tied")
    raise DataError(
        "Input X contains NaN. LinearDiscriminantAnalysis has a singular covariance and cannot integrate missing cells"
        " out; fill them, or use solver='lsqr' with shrinkage."
    )


def best_discriminant(rule: Rule, block: Block) -> NDArray[np.int64] | None:
    """Return the place of the largest delta of every row, or None where a cell is missing."""
    weights, bias = rule.weights, rule.bias
    if rule.difference:
        weights, bias = np.hstack([0 * weights, weights]), np.concatenate([0 * bias, bias])
    return dense_best(block.X, weights, bias)


def decision_of(query: Query, block: Block) -> Any:
    """Return the discriminants, or for two classes their difference."""
    score = joint_of(query, block)
    return score[:, 1] - score[:, 0] if score.shape[1] == 2 else score


def project_block(projection: Projection, block: Block) -> Any:
    """Return (x - center) G, a missing cell at its expectation given the others."""
    X = block.X
    if projection.density is not None and bool((gaps := (X != X).any(1)).any()):
        X = X.clone() if arrays.is_tensor(X) else X.copy()
        with single_blas():
            X[gaps] = arrays.like(X, arrays.to_numpy(expected_rows(projection.density, X[gaps])))
    offset = X - arrays.like(X, projection.center)
    if arrays.is_tensor(offset):
        return offset @ arrays.like(offset, projection.directions)
    found = dense_linear(offset, projection.directions, np.zeros(projection.directions.shape[1]))
    if not all_finite(found):
        sklearn_private.assert_all_finite(X, estimator_name="LinearDiscriminantAnalysis", input_name="X")
    return found
