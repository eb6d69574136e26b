"""Quantiles found digit by digit against sorting."""

import numpy as np
import pytest

from novum.engines.moments.quantiles import Digits, digit_sums, group_quantiles
from novum.fold.blocks import add
from novum.losses.residual import weighted_quantile

RNG = np.random.default_rng(0)


def quantiles(values, group, weight, level, unit, cuts=(0, 90, 91, 400)):
    def ask(probe):
        total = None
        for start, stop in zip(cuts, [*cuts[1:], len(values)]):
            here = slice(start, stop)
            part = digit_sums(probe, group[here], values[here], None if weight is None else weight[here])
            total = part if total is None else add(total, part)
        assert isinstance(total, Digits)
        return total

    return group_quantiles(ask, int(group.max()) + 1, level, unit)


@pytest.mark.parametrize("level", [0.001, 0.25, 0.5, 0.999])
@pytest.mark.parametrize("kind", ["ones", "whole", "fractions"])
def test_equals_the_sorted_rows(level, kind):
    values = np.concatenate([RNG.normal(size=300), RNG.normal(size=150).round(1), [0.0, -0.0, 1e300, -1e-300, 5e-324]])
    group = RNG.integers(-1, 4, len(values))
    weight = {
        "ones": None,
        "whole": RNG.integers(1, 4, len(values)).astype(float),
        "fractions": RNG.random(len(values)),
    }
    w = weight[kind]
    found = quantiles(values, group, w, level, 1.0 if kind != "fractions" else 2.0**-52)
    for k in range(4):
        rows = group == k
        ones = np.ones(rows.sum()) if w is None else w[rows]
        assert found[k] == weighted_quantile(values[rows], ones, level)
