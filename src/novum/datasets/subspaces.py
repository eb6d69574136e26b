"""Points near a line or a plane in space, and two measures of people that go together.

x = mean + B c + sigma e,   B orthonormal, c ~ N(0, diag(s^2)), e ~ N(0, I)                             (1)
"""

from typing import Any

import numpy as np

from novum.datasets.bunch import bunch_of_arrays
from novum.runtime.checks import check_count, check_number
from novum.runtime.random import Stream, seed_of
from novum.runtime.typing import Seed

__all__ = ["make_embedded_plane", "make_height_weight"]

MEAN = (172.0, 68.0)  # centimetres, kilograms
DEVIATION = (9.0, 11.0)


def make_embedded_plane(
    n_samples: int = 200,
    *,
    n_dimensions: int = 2,
    n_features: int = 3,
    noise: float = 0.1,
    random_state: Seed = None,
    as_frame: bool = False,
) -> Any:
    """Return points near a line or plane in a space of more dimensions (1); standard deviations are 3, 2, 1, 1/2, ...

        x = mean + B c + sigma e,   B orthonormal, c ~ N(0, diag(s^2)), e ~ N(0, I)    (1)

    Parameters
    ----------
    n_samples : int, default=200
    n_dimensions : int, default=2
        Of what the points lie on: 1 is a line, 2 a plane.
    n_features : int, default=3
        Of the space.
    noise : float, default=0.1
        Standard deviation across.
    random_state : int, Generator, RandomState, SeedSequence or None
    as_frame : bool, default=False

    Returns
    -------
    Bunch
        With `basis` of shape (n_features, n_dimensions), `mean` and `coordinates`.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.datasets import make_embedded_plane
    >>> flat = make_embedded_plane(50, noise=0, random_state=0)
    >>> int(np.linalg.matrix_rank(flat.data - flat.data.mean(axis=0)))
    2
    """
    owner = "make_embedded_plane"
    check_count(owner, "n_samples", n_samples)
    check_count(owner, "n_features", n_features, check_count(owner, "n_dimensions", n_dimensions))
    check_number(owner, "noise", noise, 0)
    stream = Stream(seed_of(random_state))
    basis = np.linalg.qr(stream.normal("basis", 0, n_features, n_dimensions))[0]
    deviation = np.array([3.0, 2.0, *(2.0 ** -np.arange(n_dimensions))])[:n_dimensions]
    mean = stream.normal("mean", 0, n_features)
    coordinates = deviation * stream.normal("row", 0, n_samples, n_dimensions)
    X = mean + coordinates @ basis.T + noise * stream.normal("noise", 0, n_samples, n_features)
    names = [f"x{j + 1}" for j in range(n_features)]
    facts = {"basis": basis, "mean": mean, "coordinates": coordinates}
    description = f"Points near a flat of dimension {n_dimensions}."
    return bunch_of_arrays(X, None, names, description, return_X_y=False, as_frame=as_frame, **facts)


def make_height_weight(
    n_samples: int = 200, *, correlation: float = 0.8, random_state: Seed = None, as_frame: bool = False
) -> Any:
    """Return heights (cm) and weights (kg) of people, Gaussian with the given correlation.

    Examples
    --------
    >>> from novum.datasets import make_height_weight
    >>> people = make_height_weight(1000, random_state=0)
    >>> people.feature_names, people.covariance.tolist()
    (['height', 'weight'], [[81.0, 79.2...], [79.2..., 121.0]])
    """
    check_count("make_height_weight", "n_samples", n_samples)
    r = check_number("make_height_weight", "correlation", correlation, -1, 1)
    z = Stream(seed_of(random_state)).normal("row", 0, n_samples, 2)
    z[:, 1] = r * z[:, 0] + np.sqrt(1 - r * r) * z[:, 1]
    scale = np.array(DEVIATION)
    covariance = np.outer(scale, scale) * [[1, r], [r, 1]]
    return bunch_of_arrays(
        np.array(MEAN) + scale * z,
        None,
        ["height", "weight"],
        "Height and weight.",
        return_X_y=False,
        as_frame=as_frame,
        mean=np.array(MEAN),
        covariance=covariance,
    )
