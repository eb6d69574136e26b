"""Maps of rows in few dimensions: scaling, geodesics, self-organising maps, principal curves; and how much they keep."""

from novum.manifold.classical import ClassicalMDS
from novum.manifold.curve import PrincipalCurve
from novum.manifold.isomap import Isomap
from novum.manifold.mds import MDS
from novum.manifold.quality import trustworthiness
from novum.manifold.scaling import smacof
from novum.manifold.self_organizing import SelfOrganizingMap

__all__ = ["MDS", "ClassicalMDS", "Isomap", "PrincipalCurve", "SelfOrganizingMap", "smacof", "trustworthiness"]


def __dir__() -> list[str]:
    return sorted(__all__)
