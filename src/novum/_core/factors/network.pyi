"""Marginals and maxima of products of tables."""

from collections.abc import Sequence
from typing import Annotated

import numpy
from numpy.typing import NDArray


class Network:
    """Which variables the tables hold, checked once."""

    def __init__(self, cards: Sequence[int], scopes: Sequence[Sequence[int]], heads: Sequence[int]) -> None: ...

    @property
    def cells(self) -> int: ...

class Marginals:
    """
    The steps from tables to marginals, given which variables are observed.
    """

    def __init__(self, network: Network, observed: Sequence[int], targets: Sequence[Sequence[int]]) -> None: ...

    @property
    def built(self) -> bool: ...

    @property
    def width(self) -> int: ...

    @property
    def largest(self) -> float: ...

    @property
    def multiplications(self) -> float: ...

    @property
    def bytes(self) -> float: ...

    @property
    def steps(self) -> int: ...

    @property
    def results(self) -> int: ...

    def run(self, tables: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], evidence: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], log: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """Write the marginals and the log-probability of every row of evidence."""

class Maximum:
    """The steps from tables to their greatest product."""

    def __init__(self, network: Network, observed: Sequence[int], chosen: Sequence[int]) -> None: ...

    @property
    def built(self) -> bool: ...

    @property
    def width(self) -> int: ...

    @property
    def largest(self) -> float: ...

    @property
    def multiplications(self) -> float: ...

    @property
    def bytes(self) -> float: ...

    @property
    def steps(self) -> int: ...

    @property
    def variables(self) -> list[int]: ...

    def run(self, tables: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], evidence: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], best: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu')], log: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """
        Write the best values and the log of the maximum of every row of evidence.
        """

def count_rows(columns: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], scope: Sequence[int], cards: Sequence[int], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, count: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """
    Add the rows to the counts of a table; codes must lie below their cards, negative ones are missing.
    """

def family_scores(columns: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], cards: Sequence[int], child: int, parents: Sequence[Sequence[int]], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, kind: int, value: float, most: int, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """
    Write the score of a variable given each of several sets of parents; codes must lie in their states.
    """

class Expectation:
    """Rows with missing cells, taken apart into components."""

    def __init__(self, network: Network, rows: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> None: ...

    @property
    def components(self) -> int: ...

    @property
    def cases(self) -> int: ...

    @property
    def blocks(self) -> int: ...

    def complete(self, count: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """Write the counts that no missing cell touches."""

    def add_expected(self, tables: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], block: int, count: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> float:
        """Add expected counts; returns the log-likelihood of these components."""
