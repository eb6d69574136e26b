"""
Compiled kernels. Private: call them through the Python modules that own them.
"""

from novum._core import (
    build as build,
    design as design,
    gaussian as gaussian,
    random as random,
    threads as threads,
    tile as tile
)
