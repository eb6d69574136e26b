"""Scores after every iteration, on the rows held back or on the training rows, by the loss or by any scorer."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.metrics import check_scoring
from sklearn.utils import resample

from novum.ensemble.boosting.coded_rows import Known, Prepared
from novum.ensemble.boosting.newton import Rows
from novum.ensemble.boosting.slopes import Descent
from novum.ensemble.boosting.validation_rows import split_seed

__all__ = ["Scores"]

SCORED_ROWS = 10_000  # of the training rows, that a scorer looks at after every iteration, as in scikit-learn


class Scores:
    """The scores so far; `look` adds the next and says whether to stop."""

    def __init__(
        self, estimator: Any, descent: Descent, team: Any, prepared: Prepared, train: Rows, held: Rows | None
    ) -> None:
        self.estimator, self.descent, self.team = estimator, descent, team
        self.train: list[float] = []
        self.held: list[float] = []
        self.by_loss = isinstance(estimator.scoring, str) and estimator.scoring == "loss"
        some = np.arange(0) if self.by_loss else self._some(train)
        self.parts = [(train, some, self.train)]
        if held is not None:
            self.parts.append((held, np.arange(len(held.target)), self.held))
        if not self.by_loss:
            self.scorer = check_scoring(estimator, estimator.scoring)
            self.tables = [prepared.table(is_held, rows) for is_held, (_, rows, _) in zip((False, True), self.parts)]

    def _some(self, train: Rows) -> NDArray:
        n = len(train.target)
        if n <= SCORED_ROWS:
            return np.arange(n)
        stratify = train.target if is_classifier(self.estimator) else None
        seed = split_seed(self.estimator._seed)
        return np.sort(
            resample(np.arange(n), n_samples=SCORED_ROWS, replace=False, random_state=seed, stratify=stratify)
        )

    def resume(self, train: NDArray, held: NDArray) -> None:
        """Go on after the scores of an earlier fit."""
        self.train.extend(train.tolist())
        self.held.extend(held.tolist())

    def look(self) -> bool:
        """Add the scores of the present raw values; return whether they have stopped rising."""
        for i, (rows, some, scores) in enumerate(self.parts):
            if self.by_loss:
                scores.append(self.descent.score(self.team, rows.target, rows.raw, rows.weight))
            else:
                scores.append(self._scored(self.tables[i], rows, some))
        return self.estimator._should_stop(self.held if len(self.parts) > 1 else self.train)

    def _scored(self, X: NDArray, rows: Rows, some: Any) -> float:
        estimator = self.estimator
        target = estimator._decoded(rows.target[some])
        weight = {} if rows.weight is None else {"sample_weight": rows.weight[some]}
        estimator._known = Known(X, np.ascontiguousarray(rows.raw[:, some].T))
        try:
            return float(self.scorer(estimator, X, target, **weight))
        finally:
            del estimator._known
