"""Laplace's approximation at modes without second derivatives, and at smooth ones of every shape."""

import warnings

import numpy as np
import pytest

from novum.exceptions import DataWarning
from novum.variational import laplace

SHARP = {
    "absolute value": lambda z, a: -a * np.abs(z).sum() - 0.5 * z @ z,
    "two slopes": lambda z, a: -np.where(z > 0, 3 * z, -a * z).sum(),
    "a power below two": lambda z, a: -a * (np.abs(z) ** 1.5).sum(),
    "two curvatures": lambda z, a: -0.5 * np.where(z > 0, 4 + a, 1.0) @ z**2,
    "a kink across": lambda z, a: -a * abs(z.sum()) - 0.5 * z @ z,
}
SMOOTH = {
    "normal": lambda z, a: -0.5 * a * z @ z,
    "student": lambda z, a: -(a + 1) / 2 * np.log1p(z**2 / a).sum(),
    "gumbel": lambda z, a: -(a * z + np.exp(-a * z)).sum(),
    "cosine": lambda z, a: a * np.cos(z).sum(),
    "logistic": lambda z, a: (-z - 2 * np.log1p(np.exp(-z))).sum() - 0.1 * a * z @ z,
}


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("kind", [*SHARP, *SMOOTH])
def test_kinks_are_reported_and_smooth_modes_are_not_doubted(kind, seed):
    rng = np.random.default_rng(seed)
    d, a = int(rng.integers(1, 4)), float(rng.uniform(0.5, 3))
    center, width = rng.normal(size=d) * 10 ** rng.uniform(-1, 2), 10 ** rng.uniform(-2, 2)
    f = {**SHARP, **SMOOTH}[kind]
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found = laplace(lambda t: f((t - center) / width, a), center + 0.5 * width * rng.normal(size=d))
    if kind in SMOOTH:
        assert not said and np.isfinite(found.log_evidence)
    else:
        # where the climb stalls on a sharp ridge the Hessian is refused before the kink is seen
        words = ("kink at the mode", "not positive definite") if kind == "two slopes" else ("kink at the mode",)
        assert any(issubclass(w.category, DataWarning) and any(t in str(w.message) for t in words) for w in said)
        assert np.isnan(found.covariance).all() and np.isnan(found.log_evidence)


def test_derivatives_of_the_user_do_not_hide_a_kink():
    with pytest.warns(DataWarning, match=r"a kink at the mode in theta\[0\]"):
        laplace(lambda t: -abs(t[0]), [0.3], gradient=lambda t: -np.sign(t), hessian=lambda t: [[-1.0]])
