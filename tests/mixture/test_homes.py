"""One mixture in memory, from files, on Dask and on tensors; and the tensor's own products against the kernel."""

import warnings

import numpy as np
import pytest
from mixture.test_gaussian import FORMS, blobs, start
from numpy.testing import assert_allclose

import novum
from novum.distributions import Normal
from novum.engines.gaussians.density import pass_of
from novum.engines.gaussians.missing import all_joint, split_pass
from novum.engines.gaussians.tensors import tensor_joint, tensor_pass
from novum.engines.kmeans import seeding
from novum.fold.blocks import Block
from novum.mixture import BayesianGaussianMixture, BernoulliMixture, GaussianMixture, Mixture, NoveltyDetector
from novum.mixture.start import INIT


def models(X):
    return [
        *(GaussianMixture(**start(X, 3, form), tol=1e-8, max_iter=500) for form in FORMS),
        BernoulliMixture(2, probabilities_init=[[0.3, 0.5, 0.6], [0.6, 0.4, 0.5]]),
        Mixture([Normal(row, np.ones(3)) for row in X[:2]]),
        BayesianGaussianMixture(),
        NoveltyDetector(),
    ]


def learned(model):
    names = ("weights_", "means_", "covariances_", "probabilities_", "lower_bound_", "offset_")
    found = [getattr(model, name) for name in names if hasattr(model, name)]
    return found + [np.concatenate([c.mean for c in getattr(model, "components_", [])] or [np.zeros(0)])]


def same(a, b, **tolerance):
    for x, y in zip(learned(a), learned(b)):
        assert_allclose(x, y, **tolerance)


def with_gaps(X):
    X = X.copy()
    X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    return X


@pytest.mark.parametrize("sample", [2**16, 300])
@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("how", INIT)
def test_own_starts_are_the_same_in_every_home(tmp_path, monkeypatch, how, gaps, sample):
    """From all rows with their weights, some of them zero, and from a sample by weight."""
    da = pytest.importorskip("dask.array")
    monkeypatch.setattr(seeding, "SAMPLE_ROWS", sample)
    monkeypatch.setattr(seeding, "SAMPLE_PER_CENTER", 10)
    X = with_gaps(blobs(900)) if gaps else blobs(900)
    weight = np.random.default_rng(1).integers(0, 3, len(X)).astype(float)
    np.save(tmp_path / "X.npy", X)
    np.save(tmp_path / "w.npy", weight)
    scan = novum.scan(tmp_path / "X.npy", weight=tmp_path / "w.npy", batch_rows=70)
    chunks = (len(X) - 500, 0, 13, 487)
    for kind in (GaussianMixture, BayesianGaussianMixture):
        model = kind(n_components=3, init_params=how, n_init=2, max_iter=3, random_state=5)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            memory = learned(model.fit(X, sample_weight=weight))
            from_file = learned(model.fit(scan))
            lazy = da.from_array(X, chunks=(chunks, X.shape[1])), da.from_array(weight, chunks=(chunks,))
            on_dask = learned(model.fit(lazy[0], sample_weight=lazy[1]))
        for a, b, c in zip(memory, from_file, on_dask, strict=True):
            assert_allclose(b, a, rtol=1e-8, atol=1e-10)
            assert_allclose(c, a, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("gaps", [False, True])
def test_files(tmp_path, gaps):
    X = blobs(900)
    rows = with_gaps(X) if gaps else X
    weight = np.random.default_rng(1).integers(0, 3, len(X)).astype(float)
    np.save(tmp_path / "X.npy", rows)
    np.save(tmp_path / "w.npy", weight)
    data = novum.scan(tmp_path / "X.npy", weight=tmp_path / "w.npy", batch_rows=200)
    for model in models(X)[:-1]:
        a, b = model.fit(data), type(model)(**model.get_params()).fit(rows, sample_weight=weight)
        same(a, b, rtol=1e-7, atol=1e-8)
        assert_allclose(np.concatenate(list(a.predict_proba(data))), b.predict_proba(rows), atol=1e-7)
        assert_allclose(a.score(data), b.score(rows, sample_weight=weight), rtol=1e-8)
    plain = NoveltyDetector().fit(novum.scan(tmp_path / "X.npy", batch_rows=200))
    assert_allclose(plain.offset_, NoveltyDetector().fit(rows).offset_, rtol=1e-7)
    assert (np.concatenate(list(plain.predict(novum.scan(tmp_path / "X.npy")))) == -1).sum() == 90


@pytest.mark.parametrize("gaps", [False, True])
def test_dask(gaps):
    da = pytest.importorskip("dask.array")
    X = blobs(900)
    rows = with_gaps(X) if gaps else X
    for model in models(X):
        lazy = da.from_array(rows, chunks=(300, 3))
        a, b = model.fit(lazy), type(model)(**model.get_params()).fit(rows)
        same(a, b, rtol=1e-7, atol=1e-8)
        assert_allclose(a.score_samples(lazy).compute(), b.score_samples(rows), rtol=1e-7, atol=1e-12)


@pytest.mark.parametrize("how", ["kmeans", "k-means++", "random", "random_from_data"])
def test_every_start_in_every_home(how, tmp_path):
    X = blobs(600, distance=8.0)
    np.save(tmp_path / "X.npy", X)
    options = {"init_params": how, "random_state": 0, "max_iter": 500, "tol": 1e-9, "n_init": 3}
    scores = [
        GaussianMixture(3, **options).fit(data).score(X) for data in (X, novum.scan(tmp_path / "X.npy", batch_rows=250))
    ]
    assert_allclose(scores[0], scores[1], rtol=1e-6)


@pytest.mark.deep
@pytest.mark.parametrize("gaps", [False, True])
def test_tensors_on_the_processor(gaps):
    torch = pytest.importorskip("torch")
    X = blobs(500)
    rows = with_gaps(X) if gaps else X
    weight = np.random.default_rng(1).integers(0, 3, len(X)).astype(float)
    for model in models(X):
        tensor = torch.as_tensor(rows)
        a = model.fit(tensor, sample_weight=torch.as_tensor(weight))
        b = type(model)(**model.get_params()).fit(rows, sample_weight=weight)
        same(a, b, rtol=1e-8, atol=1e-9)
        assert_allclose(a.score_samples(tensor).numpy(), b.score_samples(rows), rtol=1e-8)
        assert torch.is_tensor(a.predict(tensor))


@pytest.mark.deep
@pytest.mark.parametrize("form", FORMS)
def test_products_on_a_device_are_the_kernel(form):
    torch = pytest.importorskip("torch")
    X = blobs(300)
    model = GaussianMixture(**start(X, 3, form), max_iter=100).fit(X)
    density, weight = model._query(), np.random.default_rng(0).integers(0, 3, len(X)).astype(float)
    for w in (None, weight):
        tensor = Block(torch.as_tensor(X), None, None if w is None else torch.as_tensor(w))
        total = float(len(X) if w is None else w.sum())
        for a, b in zip(tensor_pass(density, tensor, total), pass_of(density, Block(X, None, w))):
            assert_allclose(a, b, rtol=1e-9, atol=1e-9)
    rows = with_gaps(X)
    assert_allclose(tensor_joint(density, torch.as_tensor(X)).numpy(), all_joint(density, X), rtol=1e-9)
    assert_allclose(all_joint(density, torch.as_tensor(rows)).numpy(), all_joint(density, rows), rtol=1e-10)

    def on_tensor(density, block):
        return tensor_pass(density, block, float(block.rows))

    pair = split_pass(density, Block(torch.as_tensor(rows)), on_tensor), pass_of(density, Block(rows))
    for a, b in zip(*pair):
        assert_allclose(a, b, rtol=1e-9, atol=1e-9)
