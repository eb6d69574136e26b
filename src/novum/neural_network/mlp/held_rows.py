"""Rows that early stopping keeps from training and judges by."""

import numpy as np
from sklearn.model_selection import train_test_split

from novum.exceptions import DataError
from novum.neural_network.mlp.compiled_network import Data
from novum.runtime import arrays

__all__ = ["hold_back"]


def hold_back(
    owner: str, data: Data, fraction: float, random: np.random.RandomState, *, stratified: bool
) -> tuple[Data, Data]:
    """Return the rows to train on and those to judge by, split as scikit-learn splits them."""
    train = held = np.empty(0, int)
    if fraction:
        stratify = arrays.to_numpy(data.value) > 0.5 if stratified else None
        train, held = train_test_split(np.arange(data.rows), random_state=random, test_size=fraction, stratify=stratify)
    if len(held) < 2:
        raise DataError(
            "The validation set is too small. Increase 'validation_fraction' or the size of your dataset."
            f" {owner}(validation_fraction={fraction}) holds back {len(held)} of {data.rows} rows."
        )
    return data.take(train), data.take(held)
