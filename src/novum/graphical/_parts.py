"""What a network file says: the same parts for every format."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Parts"]


class Parts(NamedTuple):
    """A network of tables; axes of a table are (parents in order, variable)."""

    parents: dict[Any, tuple[Any, ...]]
    states: dict[Any, tuple[Any, ...]]
    tables: dict[Any, NDArray[np.float64]]
    name: str = ""
