"""Clusters as regions of density."""

from typing import Annotated

import numpy
from numpy.typing import NDArray

import novum._core.search.neighbors


def find_cores(tree: novum._core.search.neighbors.Tree, eps: float, need: float, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, a: int, b: int, core: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], few: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu')]) -> None:
    """Mark the places of leaves a to b with enough weight around them."""

def join_inside(tree: novum._core.search.neighbors.Tree, eps: float, core: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], parent: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], whole: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], a: int, b: int) -> None:
    """Join the cores of every leaf; mark leaves that became one."""

def join_across(tree: novum._core.search.neighbors.Tree, eps: float, core: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], parent: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], whole: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], a: int, b: int) -> None:
    """Join the cores of leaves a to b with those of the leaves behind them."""

def number_clusters(tree: novum._core.search.neighbors.Tree, core: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], parent: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], label: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> int:
    """
    Write the clusters of the cores, numbered by their first row; return how many there are.
    """

def reach_listed(tree: novum._core.search.neighbors.Tree, core: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], few: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], label: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """
    Write the clusters of rows that are no cores from the lists of their few neighbors.
    """

def reach_borders(tree: novum._core.search.neighbors.Tree, eps: float, core: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], a: int, b: int, label: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """Write the clusters of rows that are no cores but near one."""

def condense(children: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], height: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], size: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], least: int, row_cluster: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], row_death: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> tuple[list[int], list[int], list[float]]:
    """
    Return parent, size and birth of the clusters of a tree without small ones; write where every row falls out.
    """
