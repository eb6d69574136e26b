"""Predictions of a Gaussian process classifier: one latent process, or a committee of them for many classes."""

from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.fold.blocks import Block
from novum.gaussian_process import laplace, softmax
from novum.gaussian_process.posterior import like_rows
from novum.gaussian_process.subset import rows_of
from novum.runtime import arrays

__all__ = ["Committee", "LatentProcess", "label_block", "latent_block", "latent_of", "score_block", "scores_of"]

Array = NDArray[np.float64]


class LatentProcess(NamedTuple):
    """A latent process: its kernel, the rows and labels it saw, and its mode."""

    kernel: Any
    rows: Any  # numbers of the rows, or None for all
    label: Array  # 0 and 1, or one-hot
    mode: Any
    value: np.float64


class Committee(NamedTuple):
    """What predictions need."""

    machines: list[LatentProcess]
    points: Any
    kind: str
    classes: int


def scores_of(committee: Committee, X: Any) -> Array:
    """Return probabilities of all classes, shape (m, C); for pairs of classes, votes with what breaks ties."""
    if committee.kind == "softmax":
        machine = committee.machines[0]
        return softmax.class_probabilities(*softmax.latent_classes(machine.kernel, committee.points, machine.mode, X))
    each = []
    for machine in committee.machines:
        mean, variance = laplace.latent(machine.kernel, rows_of(committee.points, machine.rows), machine.mode, X)
        each.append(laplace.probabilities(mean, variance))
    if committee.kind == "binary":
        return np.column_stack([1 - each[0], each[0]])
    if committee.kind == "one_vs_rest":
        found = np.column_stack(each)
        total = found.sum(axis=1, keepdims=True)
        return np.where(total > 0, found / np.where(total > 0, total, 1.0), 1 / committee.classes)
    votes, trust = np.zeros((2, len(each[0]), committee.classes))
    for (i, j), share in zip(combinations(range(committee.classes), 2), each, strict=True):
        votes[:, j] += share > 0.5
        votes[:, i] += share <= 0.5
        trust[:, j] += share
        trust[:, i] -= share
    return votes + trust / (3 * (np.abs(trust) + 1))


def latent_of(committee: Committee, X: Any) -> Array:
    """Return mean and variance of the one latent process, side by side."""
    machine = committee.machines[0]
    return np.column_stack(laplace.latent(machine.kernel, committee.points, machine.mode, X))


def score_block(committee: Committee, block: Block) -> Any:
    """Return the scores of a block."""
    return like_rows(block.X, scores_of(committee, np.ascontiguousarray(arrays.to_numpy(block.X), np.float64)))


def label_block(params: tuple[Committee, Any], block: Block) -> Any:
    """Return the labels of a block."""
    scores = scores_of(params[0], np.ascontiguousarray(arrays.to_numpy(block.X), np.float64))
    return params[1][np.argmax(scores, axis=1)]


def latent_block(committee: Committee, block: Block) -> Any:
    """Return the latent mean and variance of a block."""
    return like_rows(block.X, latent_of(committee, np.ascontiguousarray(arrays.to_numpy(block.X), np.float64)))
