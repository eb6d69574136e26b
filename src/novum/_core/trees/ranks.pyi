"""Trees of forests, grown from ranks."""

from typing import Annotated

import numpy
from numpy.typing import NDArray


class Codes:
    """The columns of a table as ranks."""

    def __init__(self, X: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)]) -> None: ...

    def encode(self, column: int) -> None:
        """Code one column; different columns may be coded at the same time."""

    def encode_bytes(self, column: int, byte: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], value: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Code one column of bytes whose values rise with them."""

    @property
    def shape(self) -> tuple: ...

class Target:
    """What leaves predict."""

    def __init__(self, criterion: int, code: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, classes: int) -> None: ...

def grow(codes: Codes, target: Target, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, random: bool, max_features: int, min_split: int, min_leaf: int, max_depth: int, min_weight_leaf: float, min_decrease: float, seed: int) -> dict:
    """Return the arrays of a tree grown on the rows of positive weight."""
