"""Data on a Dask cluster: partitions stay with the workers, statistics are merged there, one result comes back."""

from novum.fold.homes.dask.block_tasks import aligned_parameters
from novum.fold.homes.dask.collections import open_dask
from novum.fold.homes.dask.source import DaskSource

__all__ = ["DaskSource", "aligned_parameters", "open_dask"]
