"""Put rows away: the hold-out part, which nothing looks at before the model is chosen.

Classes are numbered by their first row, so renaming them changes neither the parts nor the folds.
"""

from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split

from novum.study.task import CLASSIFICATION

__all__ = ["class_numbers", "split_rows"]


def class_numbers(y: Any) -> np.ndarray:
    """Return the classes as numbers in the order of their first rows."""
    _, first, codes = np.unique(y, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.intp)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[codes]


def split_rows(y: Any, task: str, share: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows to train on and the rows put away, in the same shares of every class."""
    stratify = class_numbers(y) if task == CLASSIFICATION else None
    train, held = train_test_split(np.arange(len(y)), test_size=share, stratify=stratify, random_state=seed)
    return train, held
