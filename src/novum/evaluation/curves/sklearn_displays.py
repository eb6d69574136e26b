"""The one door to scikit-learn's displays, which carry no types: the stub beside it says what they have."""

from sklearn.metrics import PrecisionRecallDisplay, RocCurveDisplay
from sklearn.model_selection import LearningCurveDisplay, ValidationCurveDisplay

__all__ = ["LearningCurveDisplay", "PrecisionRecallDisplay", "RocCurveDisplay", "ValidationCurveDisplay"]
