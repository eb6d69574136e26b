"""Empirical risk: sums, averages, weights, refusals."""

import numpy as np
import pytest

from novum.exceptions import DataError, ParameterError
from novum.losses import AbsoluteLoss, CrossEntropyLoss, HingeLoss, SquaredLoss, empirical_risk


@pytest.mark.notes("000-b", "empirical-error")
def test_training_error_adds_up_any_loss_with_weights():
    rng = np.random.default_rng(0)
    t, f = rng.choice([-1, 1], 30), rng.normal(size=30)
    w = rng.integers(0, 4, 30)
    for loss in (HingeLoss(), SquaredLoss(), AbsoluteLoss()):
        total = sum(float(loss.value(a, b)) for a, b in zip(t, f))
        assert empirical_risk(loss, t, f, reduction="sum") == pytest.approx(total, rel=1e-14)
        assert empirical_risk(loss, t, f) == pytest.approx(total / 30, rel=1e-14)
        repeated = empirical_risk(loss, np.repeat(t, w), np.repeat(f, w))
        assert empirical_risk(loss, t, f, w) == pytest.approx(repeated, rel=1e-13)


def test_a_row_of_weight_zero_is_absent_even_at_infinite_loss():
    loss = CrossEntropyLoss(from_probabilities=True)
    assert empirical_risk(loss, [1, 1], [0.0, 0.5], [0, 2]) == pytest.approx(np.log(2))


@pytest.mark.parametrize(
    ("kwargs", "error", "message"),
    [
        ({"reduction": "total"}, ParameterError, r"empirical_risk\(reduction='total'\).*'mean', 'sum'"),
        ({"sample_weight": [1, -1]}, DataError, r"sample_weight\[1\]=-1 is negative"),
        ({"sample_weight": [0, 0]}, DataError, "zero everywhere"),
        ({"sample_weight": [1]}, DataError, r"sample_weight has shape \(1,\); it must be of shape \(2,\)"),
        ({"sample_weight": [1, np.nan]}, DataError, "NaN or infinity at index 1"),
    ],
)
def test_wrong_arguments(kwargs, error, message):
    with pytest.raises(error, match=message):
        empirical_risk(SquaredLoss(), [1, 2], [1.0, 2.0], **kwargs)


def test_nothing_to_average():
    with pytest.raises(DataError, match="no rows"):
        empirical_risk(SquaredLoss(), [], [])
    with pytest.raises(DataError, match=r"SquaredLoss.best_constant: target has shape \(0,\)"):
        SquaredLoss().best_constant([])
    with pytest.raises(DataError, match="NaN or infinity"):
        SquaredLoss().best_constant([1.0, np.nan])
