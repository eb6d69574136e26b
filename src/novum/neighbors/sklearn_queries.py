"""The one door to the classes that scikit-learn knows estimators of neighbors by: the stub beside it says what they have."""

from novum.runtime.sklearn_private import KNeighborsMixin, RadiusNeighborsMixin

__all__ = ["KNeighborsMixin", "RadiusNeighborsMixin"]
