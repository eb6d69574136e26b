"""Products of tables."""

from novum._core.factors import network as network
