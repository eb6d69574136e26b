"""Maps of rows in few dimensions: scaling, geodesics, self-organising maps, principal curves; and how much they keep."""

from typing import TYPE_CHECKING

from novum.runtime.lazy import lazily

if TYPE_CHECKING:
    from novum.manifold.classical import ClassicalMDS
    from novum.manifold.curve import PrincipalCurve
    from novum.manifold.isomap import Isomap
    from novum.manifold.mds import MDS
    from novum.manifold.quality import trustworthiness
    from novum.manifold.scaling import smacof
    from novum.manifold.self_organizing import SelfOrganizingMap
else:
    __getattr__, __dir__ = lazily(
        __name__,
        {
            ".classical": "ClassicalMDS",
            ".curve": "PrincipalCurve",
            ".isomap": "Isomap",
            ".mds": "MDS",
            ".quality": "trustworthiness",
            ".scaling": "smacof",
            ".self_organizing": "SelfOrganizingMap",
        },
    )

__all__ = ["MDS", "ClassicalMDS", "Isomap", "PrincipalCurve", "SelfOrganizingMap", "smacof", "trustworthiness"]
