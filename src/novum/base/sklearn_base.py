"""The one door to scikit-learn's base classes, which carry no types: the stub beside it says what they have.

A class with an untyped base has every attribute in the eyes of a type checker, so that no misspelling is ever reported.
"""

from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    DensityMixin,
    MetaEstimatorMixin,
    MultiOutputMixin,
    OneToOneFeatureMixin,
    OutlierMixin,
    TransformerMixin,
)

from novum.base.scores import ClassifierMixin, RegressorMixin
from novum.runtime.sklearn_private import BaseComposition, CallbackSupportMixin

__all__ = [
    "BaseComposition",
    "BaseEstimator",
    "CallbackSupportMixin",
    "ClassNamePrefixFeaturesOutMixin",
    "ClassifierMixin",
    "ClusterMixin",
    "DensityMixin",
    "MetaEstimatorMixin",
    "MultiOutputMixin",
    "OneToOneFeatureMixin",
    "OutlierMixin",
    "RegressorMixin",
    "TransformerMixin",
]
