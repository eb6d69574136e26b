"""Where data live: memory, files, a Dask cluster, tensors; each offers the blocks that the engine runs over."""
