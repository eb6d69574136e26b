"""Independent components by maximum likelihood: the notes' steps, the kernel, the density, optima, order and signs."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import quad

from novum import _core
from novum.decomposition import ICA, FastICA
from novum.exceptions import DataError, DataWarning, NotConverged, ParameterError

RNG = np.random.default_rng(3)
A = np.array([[1.0, 0.6], [0.5, 1.0]])
LAPLACE = RNG.laplace(size=(5000, 2))
MIXED = LAPLACE @ A.T
KINDS = np.column_stack([RNG.laplace(size=3000), RNG.uniform(-2, 2, 3000), RNG.standard_t(4, 3000)]) @ RNG.normal(
    size=(3, 3)
)
CONTRASTS = {
    0: (lambda y, a: np.tanh(a * y), lambda y, a: a / np.cosh(a * y) ** 2, lambda y, a: np.log(np.cosh(a * y)) / a),
    1: (
        lambda y, a: y * np.exp(-(y**2) / 2),
        lambda y, a: (1 - y**2) * np.exp(-(y**2) / 2),
        lambda y, a: -np.exp(-(y**2) / 2),
    ),
    2: (lambda y, a: y**3, lambda y, a: 3 * y**2, lambda y, a: y**4 / 4),
    3: (lambda y, a: np.sign(y), lambda y, a: 0 * y, lambda y, a: np.abs(y)),
    4: (
        lambda y, a: (a + 1) * y / (a + y**2),
        lambda y, a: (a + 1) * (a - y**2) / (a + y**2) ** 2,
        lambda y, a: (a + 1) / 2 * np.log1p(y**2 / a),
    ),
}


@pytest.mark.notes("002", "ica")
@pytest.mark.parametrize("contrast", CONTRASTS)
@pytest.mark.parametrize("n, p, k", [(1, 1, 1), (0, 2, 2), (127, 3, 2), (128, 5, 5), (300, 6, 4), (1000, 9, 9)])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_sums_by_their_definition(contrast, n, p, k, dtype):
    rng = np.random.default_rng(n + p)
    X, mean, B = rng.normal(size=(n, p)).astype(dtype), rng.normal(size=p), rng.normal(size=(k, p))
    w, a = rng.uniform(0, 2, n), 1.5
    psi, slope, value = CONTRASTS[contrast]
    for weight in (None, w):
        found = np.zeros((k, k)), np.zeros(k), np.zeros((k, k)), np.zeros(k)
        _core.decomposition.independent.independent_sums(X, weight, mean, B, contrast, a, *found)
        y, u = (X.astype(float) - mean) @ B.T, np.ones(n) if weight is None else weight
        expected = (
            (psi(y, a) * u[:, None]).T @ y,
            u @ slope(y, a),
            (slope(y, a) * u[:, None]).T @ y**2,
            u @ value(y, a),
        )
        for one, other in zip(found, expected):
            assert_allclose(one, other, rtol=1e-11, atol=1e-11 * max(n, 1))


def test_tanh_and_log_cosh_of_huge_and_tiny_sources():
    y = np.array([[1e-300], [1e-9], [-1e-5], [30.0], [-800.0], [1e6]])
    for row in y:
        found = np.zeros((1, 1)), np.zeros(1), np.zeros((1, 1)), np.zeros(1)
        _core.decomposition.independent.independent_sums(row[None], None, np.zeros(1), np.eye(1), 0, 1.0, *found)
        assert_allclose(found[0][0, 0], np.tanh(row[0]) * row[0], rtol=1e-6, atol=1e-15)
        assert_allclose(found[3][0], np.logaddexp(row[0], -row[0]) - np.log(2), rtol=1e-12, atol=1e-15)


@pytest.mark.notes("003", "reducers-named")
@pytest.mark.notes("002", "ica")
def test_natural_gradient_of_the_notes():
    W, eta = np.eye(2), 0.1
    X = (MIXED - MIXED.mean(axis=0)).T
    for _ in range(60):
        S = W @ X
        W = W + eta * (W - np.tanh(S) @ (W.T @ S).T / X.shape[1])  # W + eta (W + Z X'^T / N), Z = -tanh
    with pytest.warns(NotConverged, match="after 61 steps the relative gradient"):
        model = ICA(method="natural-gradient", density="sech", whiten=False, max_iter=61, tol=0.0).fit(MIXED)
    order = [
        int(np.abs(row @ W.T).argmax())
        for row in model.components_ / np.linalg.norm(model.components_, axis=1)[:, None]
    ]
    expected = W[order] * np.sign((W[order] * model.components_).sum(axis=1))[:, None]
    assert_allclose(model.components_, expected, rtol=1e-9)
    full = ICA(method="natural-gradient", density="sech", whiten=False).fit(MIXED)
    product = np.abs(full.components_ @ A)
    assert (product.min(axis=1) / product.max(axis=1) < 0.03).all()
    gradient = np.eye(2) - np.tanh(full.transform(MIXED)).T @ full.transform(MIXED) / len(MIXED)
    assert np.abs(gradient).max() < 1e-7
    y = full.transform(MIXED)  # + log |det W|, which the notes print with the other sign in one place
    density = np.log(np.cosh(y) * np.pi).sum(axis=1).mean()
    assert_allclose(full.loglike_, np.log(abs(np.linalg.det(full.components_))) - density, rtol=1e-10)
    assert full.history_[-1] > full.history_[0]


@pytest.mark.notes("002", "ica")
@pytest.mark.parametrize("density", ["adaptive", "sech", "student"])
@pytest.mark.parametrize("whiten", [True, False])
def test_both_methods_reach_a_maximum_of_the_likelihood(density, whiten):
    fast = ICA(density=density, whiten=whiten, tol=1e-9).fit(KINDS)
    assert_allclose(fast.score(KINDS), fast.loglike_, rtol=1e-12)
    for direction in np.random.default_rng(0).normal(size=(5, 3, 3)):
        for sign in (-1, 1):
            other = ICA(density=density)
            vars(other).update(vars(fast))
            other.density = density
            other.components_ = (np.eye(3) + sign * 1e-3 * direction) @ fast.components_
            assert other.score(KINDS) < fast.loglike_
    slow = ICA(method="natural-gradient", density=density, learning_rate=0.3, max_iter=3000, tol=1e-8).fit(KINDS)
    assert_allclose(slow.components_, fast.components_, rtol=1e-5, atol=1e-6)


@pytest.mark.notes("002", "ica")
@pytest.mark.parametrize("density", ["adaptive", "sech", "laplace", "student"])
def test_densities_have_unit_mass(density):
    method = "natural-gradient" if density == "laplace" else "quasi-newton"
    one = KINDS[:, :1]
    model = ICA(density=density, method=method, learning_rate=0.05, max_iter=3000, tol=1e-4).fit(one)
    low, high = one.mean() - 60 * one.std(), one.mean() + 60 * one.std()
    mass = quad(lambda x: np.exp(model.score_samples([[x]])[0]), low, high, limit=400, points=[float(one.mean())])[0]
    assert_allclose(mass, 1.0, rtol=1e-5)
    model.signs_ = -model.signs_
    if density == "adaptive":
        assert_allclose(quad(lambda x: np.exp(model.score_samples([[x]])[0]), low, high, limit=400)[0], 1.0, rtol=1e-6)


def test_orthogonal_sources_are_white():
    model = ICA(orthogonal=True).fit(KINDS)
    sources = model.transform(KINDS)
    assert_allclose(np.cov(sources.T, bias=True), np.eye(3), atol=1e-10)
    assert_allclose(model.score(KINDS), model.loglike_, rtol=1e-12)
    assert sorted(model.signs_) == [-1, 1, 1]
    psi = np.tanh(sources) * model.signs_
    skew = psi.T @ sources / len(sources)
    assert np.abs(skew - skew.T).max() < 2e-7


def test_order_and_signs_do_not_depend_on_the_start():
    model = ICA().fit(KINDS)
    for seed in range(4):
        other = ICA(w_init=np.random.default_rng(seed).normal(size=(3, 3))).fit(KINDS)
        assert_allclose(other.components_, model.components_, rtol=1e-4, atol=1e-5)
    brought = np.linalg.norm(model.mixing_, axis=0) * model.transform(KINDS).std(axis=0)
    assert (np.diff(brought) < 0).all()
    assert (model.mixing_[np.abs(model.mixing_).argmax(axis=0), np.arange(3)] > 0).all()


def test_sources_of_every_kind_come_back_and_rows_too():
    rng = np.random.default_rng(0)
    S = np.column_stack(
        [rng.laplace(size=4000), rng.uniform(-1, 1, 4000), np.sign(rng.normal(size=4000)), rng.standard_t(3, 4000)]
    )
    X = S @ rng.normal(size=(4, 6)) + 100
    model = ICA(n_components=4).fit(X)
    match = np.abs(np.corrcoef(model.transform(X).T, S.T)[:4, 4:])
    assert (match.max(axis=1) > 0.99).all() and len(set(match.argmax(axis=1))) == 4
    assert_allclose(model.inverse_transform(model.transform(X)), X, rtol=1e-8)
    with pytest.warns(DataWarning, match="vary along 4 directions only"):
        ICA(n_components=5).fit(X)
    for every in (ICA(), FastICA(random_state=0)):
        with pytest.warns(DataWarning, match="vary along 4 directions only, so there are that many sources and not 6"):
            assert every.fit(X).components_.shape == (4, 6)
        with warnings.catch_warnings():
            warnings.simplefilter("error", DataWarning)
            every.fit(X[:30], sample_weight=np.arange(30) < 3)
            every.fit(X[:3])  # about their mean, three rows span two directions and no more


def test_weights_are_repetitions():
    w = np.random.default_rng(0).integers(0, 3, 600)
    weighted = ICA(density="sech").fit(KINDS[:600], sample_weight=w)
    assert_allclose(
        weighted.components_, ICA(density="sech").fit(np.repeat(KINDS[:600], w, axis=0)).components_, rtol=1e-6
    )


def test_what_is_refused():
    with pytest.raises(ParameterError, match=r"density='laplace'.*corner"):
        ICA(density="laplace").fit(KINDS)
    with pytest.raises(ParameterError, match="whiten must be True"):
        ICA(orthogonal=True, whiten=False).fit(KINDS)
    with pytest.raises(ParameterError, match=r"n_components=9 must be at most .*=3"):
        ICA(n_components=9).fit(KINDS)
    with pytest.raises(ParameterError, match=r"w_init has invalid shape -- should be \(3, 3\)"):
        ICA(w_init=np.eye(2)).fit(KINDS)
    with pytest.raises(DataError, match="the rows do not vary"):
        ICA().fit(np.ones((10, 2)))
    with pytest.raises(ValueError, match=r"Input X contains NaN"):
        ICA().fit(np.where(KINDS > 5, np.nan, KINDS))
    with pytest.raises(DataError, match="likelihood overflowed"):
        ICA(method="natural-gradient", density="sech", learning_rate=1e300, whiten=False).fit(KINDS)
    with pytest.warns(NotConverged, match="relative gradient is still"):
        ICA(max_iter=2).fit(KINDS)


def test_callbacks_hear_of_every_step_and_may_stop():
    heard = []

    class Watch:
        def setup(self, estimator, context): ...
        def teardown(self, estimator, context): ...
        def on_fit_task_begin(self, estimator, context): ...
        def on_fit_task_end(self, estimator, context):
            heard.append(getattr(context, "objective", None))
            return len(heard) == 3

    model = ICA().set_callbacks(Watch()).fit(KINDS)
    assert model.n_iter_ == 3 and heard[0] < heard[1] < heard[2]


@pytest.mark.peer
@pytest.mark.parametrize("orthogonal", [True, False])
def test_the_optimum_is_picards(orthogonal):
    picard = pytest.importorskip("picard")
    model = ICA(orthogonal=orthogonal).fit(KINDS)
    K, W, _ = picard.picard(KINDS.T, ortho=orthogonal, extended=True, w_init=np.eye(3), tol=1e-9)
    theirs = W @ K
    product = np.abs(model.components_ @ np.linalg.inv(theirs))
    assert_allclose(np.sort(product.ravel())[-3:], np.ones(3), rtol=1e-5)
    assert np.sort(product.ravel())[:-3].max() < 1e-4
