"""The narrow product against NumPy's, at odd shapes and every width of vectors."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from novum import _core

HERE = Path(__file__).parent
SHAPES = [(0, 3, 2), (1, 1, 1), (3, 0, 2), (5, 7, 3), (64, 20, 8), (65, 33, 13), (130, 5, 40), (7, 200, 24)]


@pytest.mark.parametrize("dtype, rtol", [(np.float64, 1e-13), (np.float32, 1e-5)])
@pytest.mark.parametrize("n, p, k", SHAPES)
def test_narrow_product(n, p, k, dtype, rtol):
    rng = np.random.default_rng(0)
    X, M, offset = (rng.normal(size=shape).astype(dtype) for shape in ((n, p), (p, k), (k,)))
    out = np.full((n, k), np.nan, dtype)
    _core.products.narrow.narrow(X, M, offset, out)
    assert_allclose(out, X.astype(float) @ M.astype(float) + offset, rtol=rtol, atol=100 * rtol)


@pytest.mark.levels
@pytest.mark.parametrize("width", ["16", "32"])
def test_every_width(width):
    code = f"import sys; sys.path[:0] = {[str(HERE), str(HERE.parents[1])]}; import test_products as t, numpy as np\n"
    code += "for s in t.SHAPES: t.test_narrow_product(*s, np.float64, 1e-13)"
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "NOVUM_SIMD_BYTES": width}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_shapes_are_checked():
    with pytest.raises(ValueError, match="inconsistent"):
        _core.products.narrow.narrow(np.ones((2, 3)), np.ones((2, 2)), np.ones(2), np.ones((2, 2)))
