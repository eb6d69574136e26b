"""Sweeps and episodes of finite decision processes."""

from novum._core.decisions import sweeps as sweeps
