"""How a round of boosting gets its member: any learner is fitted anew."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.ensemble._rounds import fresh

__all__ = ["classifier_members", "regressor_members"]


def classifier_members(
    prototype: Any, X: Any, y: NDArray, classes: NDArray
) -> Callable[[NDArray, int], tuple[Any, NDArray]]:
    """Return the function of (weights, seed) that gives a fitted member and the codes of the classes it predicts."""

    def fitted(weight: NDArray, seed: int) -> tuple[Any, NDArray]:
        member = fresh(prototype, seed)
        member.fit(X, y, sample_weight=weight)
        return member, np.searchsorted(classes, member.predict(X))

    return fitted


def regressor_members(prototype: Any, X: Any, y: NDArray) -> Callable[[NDArray, int], tuple[Any, NDArray]]:
    """Return the function of (rows drawn, seed) that gives a member fitted to them and its predictions of all rows."""

    def fitted(drawn: NDArray, seed: int) -> tuple[Any, NDArray]:
        member = fresh(prototype, seed)
        member.fit(X[drawn], y[drawn])
        return member, np.asarray(member.predict(X), np.float64)

    return fitted
