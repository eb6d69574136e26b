"""Sequences."""

from novum._core.sequence import (
    forward_backward as forward_backward,
    kalman as kalman,
    viterbi as viterbi
)
