"""Draws from distributions known by their densities."""

from novum._core.sampling import (
    alias as alias,
    chains as chains,
    densities as densities
)
