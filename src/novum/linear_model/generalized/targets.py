"""What the targets of a generalised linear model add up to, and whether they lie in its range."""

from typing import NamedTuple

import numpy as np

from novum.fold.blocks import Block, Source
from novum.linear_model.newton.block_rows import target_and_weight
from novum.linear_model.newton.losses.tweedie import Tweedie

__all__ = ["Mass", "targets_in_range"]


class Mass(NamedTuple):
    weight: float
    target: float  # weighted sum of y
    size: float  # and of |y|
    outside: float  # above zero where some row is outside of the range


def target_mass(family: Tweedie, block: Block) -> Mass:
    """Return the weight of a block and the sums of its targets."""
    y, w = target_and_weight(block)
    return Mass(float(w.sum()), float(w @ y), float(w @ np.abs(y)), 0.0 if family.accepts(y[w > 0]) else 1.0)


def targets_in_range(family: Tweedie, source: Source) -> Mass:
    """Return the sums of the targets of all rows."""
    return source.total(target_mass, family)
