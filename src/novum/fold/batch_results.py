"""What is made of predictions after they were made, wherever they are.

Predictions of a scan come as an iterator over batches, those of all other homes at once or lazily (novum.fold.blocks.Source.rows).
"""

from collections.abc import Callable, Iterator
from typing import Any

__all__ = ["of_results"]


def of_results(function: Callable, *results: Any) -> Any:
    """Return `function(*results)`; where the results are iterators over batches, an iterator over `function` of every batch."""
    if not isinstance(results[0], Iterator):
        return function(*results)
    return (function(*batch) for batch in zip(*results, strict=True))
