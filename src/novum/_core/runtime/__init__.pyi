"""Threads, draws, tiles, and how the core was built."""

from novum._core.runtime import (
    blas as blas,
    build as build,
    random as random,
    threads as threads,
    tiles as tiles
)
