"""Sweeps and episodes of finite decision processes."""

from novum._core.decisions import (
    control as control,
    episodes as episodes,
    sweeps as sweeps
)
