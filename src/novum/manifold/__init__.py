"""Maps of rows in few dimensions: scaling, geodesics, self-organising maps, principal curves; and how much they keep."""

from novum.manifold.classical import (
    ClassicalMDS as ClassicalMDS,  # scikit-learn's names beside MDS, for code that imports them
)
from novum.manifold.curve import PrincipalCurve
from novum.manifold.isomap import Isomap
from novum.manifold.mds import MDS
from novum.manifold.quality import trustworthiness
from novum.manifold.scaling import smacof as smacof
from novum.manifold.self_organizing import SelfOrganizingMap

__all__ = ["MDS", "Isomap", "PrincipalCurve", "SelfOrganizingMap", "trustworthiness"]
