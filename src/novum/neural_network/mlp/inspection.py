"""What a fitted perceptron shows of itself: hidden units, gradients layer by layer, curves and a diagram."""

from typing import Any

__all__ = ["Inspection"]


class Inspection:
    """Looks into a network."""
