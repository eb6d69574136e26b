"""Hidden Markov models."""

from novum._core.sequence import (
    forward_backward as forward_backward,
    viterbi as viterbi
)
