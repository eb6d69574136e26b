"""Nystroem's features of rows on a device against those of memory: only landmarks cross."""

import copy

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import novum
from novum.exceptions import DataError
from novum.kernel_approximation import Nystroem
from novum.kernels import RBF, Linear

torch = pytest.importorskip("torch")
from elsewhere import elsewhere  # noqa: E402  needs PyTorch

pytestmark = pytest.mark.deep
RNG = np.random.default_rng(0)
X, Q = RNG.standard_normal((180, 3)), RNG.standard_normal((211, 3))
SETTINGS = [
    {"gamma": 0.4},
    {"kernel": "laplacian"},
    {"kernel": "cosine", "n_components": 3},
    {"kernel": "poly", "degree": 2},
    {"kernel": RBF([1.0, 2.0, 0.5]) + 0.1 * Linear()},
]


def there(values):
    return torch.as_tensor(values)


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_features_are_those_of_memory(settings, dtype, tmp_path):
    make = lambda: Nystroem(**{"n_components": 8, "random_state": 0, **settings})  # noqa: E731
    rows, queries = X.astype(dtype), Q.astype(dtype)
    here = make().fit(rows)
    known = here.transform(queries)
    with elsewhere():
        model = make().fit(there(rows))
        found = [model.transform(there(queries)), here.transform(there(queries))]
        one = model.transform(there(queries[:1]))
    tolerance = (1e-10 if dtype == np.float64 else 1e-4) * max(1.0, float(np.abs(known).max()))
    assert_array_equal(model.component_indices_, here.component_indices_)
    for value in found:
        assert str(value.dtype).endswith(str(known.dtype))
        assert_allclose(value.numpy(), known, rtol=0, atol=tolerance)
    assert_allclose(one.numpy(), known[:1], rtol=0, atol=tolerance)
    novum.save(model, tmp_path / "features.novum")
    for twin in (novum.load(tmp_path / "features.novum"), copy.deepcopy(model)):
        assert_allclose(twin.transform(queries), known, rtol=0, atol=tolerance)


def test_kernel_matrices():
    K, across = RBF(1.1)(X), RBF(1.1)(Q, X)
    make = lambda: Nystroem("precomputed", n_components=8, random_state=0)  # noqa: E731
    known = make().fit(K).transform(across)
    with elsewhere(most=2_000):  # the rows of the landmarks are 180 long
        found = make().fit(there(K)).transform(there(across))
    assert_allclose(found.numpy(), known, rtol=0, atol=1e-10)


def test_rows_go_by_blocks(monkeypatch):
    from novum.kernels.device import program

    model = Nystroem(n_components=8, random_state=0).fit(X)
    known = model.transform(Q)
    monkeypatch.setattr(program, "VALUES", 100)
    with elsewhere():
        found = model.transform(there(Q))
    assert_allclose(found.numpy(), known, rtol=0, atol=1e-10)


def test_what_is_refused_by_name():
    with elsewhere():
        with pytest.raises(DataError, match="Nystroem: kernel='chi2' is computed in memory alone"):
            Nystroem("chi2").fit(there(np.abs(X)))
        with pytest.raises(DataError, match="NaN or infinity"):
            Nystroem(n_components=3).fit(there(X)).transform(torch.full((2, 3), torch.nan, dtype=torch.float64))
