r"""How many numbers a Gaussian model of K classes in d dimensions has to learn.

    priors K - 1,   means K d,   covariances:
    shared d(d+1)/2,  own K d(d+1)/2,  diagonal K d,  shared diagonal d,  spherical K,  shared spherical 1           (9)

Own diagonal covariances are Gaussian naive Bayes.
"""

from typing import Any

from novum.exceptions import ParameterError

__all__ = ["parameter_count"]


def parameter_count(n_features: int, n_classes: int, covariance: str = "shared") -> Any:
    """Return the number of free parameters, eq. (9).

        shared d(d+1)/2,  own K d(d+1)/2,  diagonal K d,  shared diagonal d,  spherical K,  shared spherical 1    (9)

    Parameters
    ----------
    n_features, n_classes : int
    covariance : str, default="shared"
        "shared", "own", "diagonal", "shared_diagonal", "spherical" or "shared_spherical".

    Examples
    --------
    >>> from novum.discriminant_analysis import parameter_count
    >>> [parameter_count(10, 3, kind) for kind in ("shared", "own", "diagonal")]
    [87, 197, 62]
    """
    d, k = int(n_features), int(n_classes)
    if d < 1 or k < 1:
        raise ParameterError(
            f"parameter_count(n_features={n_features}, n_classes={n_classes}): both must be 1 or more."
        )
    triangle = d * (d + 1) // 2
    sizes = {
        "shared": triangle,
        "own": k * triangle,
        "diagonal": k * d,
        "shared_diagonal": d,
        "spherical": k,
        "shared_spherical": 1,
    }
    if covariance not in sizes:
        raise ParameterError(f"parameter_count(covariance={covariance!r}): choose one of {', '.join(sizes)}.")
    return k - 1 + k * d + sizes[covariance]
