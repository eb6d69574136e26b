"""A fitted ensemble is a sequence of its estimators: `len`, indexing and iteration, as in scikit-learn."""

from collections.abc import Iterator
from typing import Any

__all__ = ["EstimatorList"]


class EstimatorList:
    """The estimators of an ensemble, one after the other."""

    estimators_: list[Any]

    def __len__(self) -> int:
        return len(self.estimators_)

    def __getitem__(self, index: Any) -> Any:
        return self.estimators_[index]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.estimators_)
