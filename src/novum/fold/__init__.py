"""The fold engine: one fit for data in memory, in files, on a Dask cluster and on tensors."""

from novum.fold.blocks import Block, Source, add, merge_tree
from novum.fold.engine import Fit, fold
from novum.fold.homes.memory import MemorySource, block_rows

__all__ = ["Block", "Fit", "MemorySource", "Source", "add", "block_rows", "fold", "merge_tree"]
