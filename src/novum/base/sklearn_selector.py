"""The one door to scikit-learn's selectors of features, which carry no types: the stub beside it says what they have."""

from sklearn.feature_selection import SelectorMixin

__all__ = ["SelectorMixin"]
