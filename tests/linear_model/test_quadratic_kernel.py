"""The compiled quadratic form of rows against its definition."""

import numpy as np
import pytest
from reference.products import quadratic_of_rows

from novum._core.products import quadratic


@pytest.mark.parametrize("n, p", [(0, 3), (1, 1), (15, 2), (16, 5), (17, 20), (100, 33)])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_quadratic_forms(n, p, dtype):
    rng = np.random.default_rng(0)
    x, mean, root = rng.normal(size=(n, p)).astype(dtype), rng.normal(size=p), rng.normal(size=(p, p))
    out = np.empty(n)
    quadratic.of_rows(x, mean, root @ root.T, out)
    np.testing.assert_allclose(out, quadratic_of_rows(x, mean, root @ root.T), rtol=1e-11)


def test_quadratic_forms_refuse():
    with pytest.raises(ValueError, match="one mean per column"):
        quadratic.of_rows(np.ones((2, 2)), np.ones(3), np.eye(2), np.empty(2))
