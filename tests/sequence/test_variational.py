"""Variational models: the bound never falls and is a bound, the fixed point, states that fade, and hmmlearn where it is right."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import digamma, gammaln

from novum.sequence import VariationalCategoricalHMM, VariationalGaussianHMM

RNG = np.random.default_rng(3)
STATES = np.repeat([0, 1, 0, 1], [30, 25, 20, 35])
NUMBERS = np.array([[0.0, 1.0], [4.0, -1.0]])[STATES] + RNG.normal(size=(110, 2)) @ [[1.0, 0.4], [0.0, 0.8]]
SYMBOLS = np.array([RNG.choice(3, p=[[0.8, 0.1, 0.1], [0.1, 0.3, 0.6]][z]) for z in STATES])[:, None]


@pytest.mark.parametrize("form", ["spherical", "diag", "full", "tied"])
@pytest.mark.parametrize("k", [1, 3])
def test_the_bound_never_falls(form, k):
    model = VariationalGaussianHMM(k, form, random_state=0, max_iter=500, tol=1e-10).fit(NUMBERS, [60, 50])
    gains = np.diff(model.history_)
    assert (gains > -1e-9).all(), gains.min()
    assert_allclose(model.predict_proba(NUMBERS).sum(axis=1), 1)
    model = VariationalCategoricalHMM(k, random_state=0, max_iter=2000, tol=1e-10).fit(SYMBOLS, [60, 50])
    assert (np.diff(model.history_) > -1e-9).all()


def evidence_of_one_gaussian(X, m0, beta0, nu0, scale0):
    """Return log p(X) of a Gaussian with a normal-Wishart prior, in closed form (one dimension)."""
    n = len(X)
    beta, nu = beta0 + n, nu0 + n
    mean = X.mean()
    scale = scale0 + ((X - mean) ** 2).sum() + beta0 * n / beta * (mean - m0) ** 2
    return (
        -n / 2 * np.log(np.pi)
        + gammaln(nu / 2)
        - gammaln(nu0 / 2)
        + nu0 / 2 * np.log(scale0)
        - nu / 2 * np.log(scale)
        + 0.5 * np.log(beta0 / beta)
    )


def test_one_state_has_the_exact_evidence():
    """With one state the posterior factorises, so the bound is the evidence itself."""
    X = NUMBERS[:, 0]
    for form in ("full", "diag", "spherical", "tied"):
        model = VariationalGaussianHMM(1, form, max_iter=50, tol=1e-12, random_state=0).fit(X)
        known = evidence_of_one_gaussian(X, X.mean(), 1.0, 1.0, 1e-3)
        assert_allclose(model.history_[-1], known, rtol=1e-9)
    two = VariationalGaussianHMM(
        1, "diag", max_iter=50, tol=1e-12, random_state=0, dof_prior=[3.0], scale_prior=[[0.5, 2.0]]
    )
    parts = [evidence_of_one_gaussian(NUMBERS[:, j], NUMBERS[:, j].mean(), 1.0, 3.0, (0.5, 2.0)[j]) for j in range(2)]
    assert_allclose(two.fit(NUMBERS).history_[-1], sum(parts), rtol=1e-9)
    one = VariationalCategoricalHMM(1, max_iter=50, tol=1e-12, random_state=0, emissionprob_prior=0.7).fit(SYMBOLS)
    counts = np.bincount(SYMBOLS.ravel())
    known = gammaln(2.1) - gammaln(2.1 + 110) + (gammaln(0.7 + counts) - gammaln(0.7)).sum()
    assert_allclose(one.history_[-1], known, rtol=1e-9)


def test_the_bound_is_below_the_evidence_by_enumeration():
    """Two states, symbols, few steps: the evidence sums Dirichlet ratios over all paths."""
    import itertools

    X = np.array([0, 1, 1, 0, 0])

    def ratio(counts, prior):
        return (
            gammaln(prior.sum())
            - gammaln(prior.sum() + counts.sum())
            + (gammaln(prior + counts) - gammaln(prior)).sum()
        )

    logs = []
    for z in itertools.product(range(2), repeat=5):
        start, trans, emit = np.zeros(2), np.zeros((2, 2)), np.zeros((2, 2))
        start[z[0]] += 1
        for a, b in itertools.pairwise(z):
            trans[a, b] += 1
        for s, x in zip(z, X):
            emit[s, x] += 1
        rows = [ratio(trans[i], np.full(2, 0.5)) + ratio(emit[i], np.full(2, 0.5)) for i in range(2)]
        logs.append(ratio(start, np.full(2, 0.5)) + sum(rows))
    evidence = np.logaddexp.reduce(logs)
    for seed in range(5):
        bound = VariationalCategoricalHMM(2, random_state=seed, max_iter=5000, tol=1e-12).fit(X).history_[-1]
        assert bound <= evidence + 1e-9
        assert bound > evidence - 3


def test_the_fixed_point_satisfies_its_equations():
    model = VariationalCategoricalHMM(2, random_state=0, max_iter=5000, tol=1e-13).fit(SYMBOLS, [60, 50])
    from novum.sequence.hmm.recursions import Chain, Densities, smooth

    def expected(a):
        return np.exp(digamma(a) - digamma(a.sum(axis=-1, keepdims=True)))

    logs = np.log(expected(model.emissionprob_posterior_)).T[SYMBOLS.ravel()]
    chain = Chain(expected(model.startprob_posterior_), expected(model.transmat_posterior_))
    found = smooth(chain, Densities(np.ascontiguousarray(logs)), np.array([0, 60, 110]))
    assert_allclose(model.transmat_posterior_, 0.5 + found.pairs, rtol=1e-5)
    assert_allclose(model.startprob_posterior_, 0.5 + found.shares[[0, 60]].sum(axis=0), rtol=1e-5)
    counts = np.stack([found.shares[SYMBOLS.ravel() == x].sum(axis=0) for x in range(3)], axis=1)
    assert_allclose(model.emissionprob_posterior_, 1 / 3 + counts, rtol=1e-5)


def test_states_that_are_not_needed_fade():
    X = np.concatenate([RNG.normal(0, 1, 80), RNG.normal(6, 1, 80)])
    model = VariationalGaussianHMM(4, n_init=5, random_state=0, max_iter=2000, tol=1e-8).fit(X)
    assert np.bincount(model.predict(X), minlength=4).tolist() == [80, 80, 0, 0]


def test_missing_cells_are_refused_by_name():
    gaps = NUMBERS.copy()
    gaps[3, 0] = np.nan
    with pytest.raises(ValueError, match="VariationalGaussianHMM takes whole rows; GaussianHMM sums"):
        VariationalGaussianHMM(2).fit(gaps)


@pytest.mark.peer
@pytest.mark.parametrize("form", ["spherical", "diag", "full", "tied"])
def test_hmmlearn(form):
    """From one start, in one dimension (in more, hmmlearn's variances take degrees of freedom they do not have)."""
    vhmm = pytest.importorskip("hmmlearn.vhmm")
    X = NUMBERS[:, :1]
    ours, theirs = (
        cls(3, form, max_iter=20, tol=-1.0, init_params="")
        for cls in (VariationalGaussianHMM, vhmm.VariationalGaussianHMM)
    )
    scale = {
        "spherical": np.full(3, 2.0),
        "diag": np.full((3, 1), 2.0),
        "full": np.full((3, 1, 1), 2.0),
        "tied": np.full((1, 1), 2.0),
    }[form]
    for model in (ours, theirs):
        model.startprob_prior_, model.startprob_posterior_ = np.full(3, 1 / 3), np.array([0.5, 0.3, 0.2])
        model.transmat_prior_, model.transmat_posterior_ = (
            np.full((3, 3), 1 / 3),
            np.array([[3.0, 1, 1], [1, 4, 1], [2, 1, 3]]),
        )
        model.means_prior_, model.means_posterior_ = np.full((3, 1), 1.0), np.array([[-1.0], [1.0], [3.0]])
        model.beta_prior_, model.beta_posterior_ = np.ones(3), np.array([2.0, 3.0, 4.0])
        model.dof_prior_, model.dof_posterior_ = (2.0, 5.0) if form == "tied" else (np.full(3, 2.0), np.full(3, 5.0))
        model.scale_prior_, model.scale_posterior_ = scale.copy(), scale.copy()
    theirs.n_features = 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours.fit(X), theirs.fit(X)
    for name in ("means_posterior_", "transmat_posterior_", "beta_posterior_", "dof_posterior_", "scale_posterior_"):
        assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-7)
    assert_allclose(float(ours.score(X)), theirs.score(X), rtol=1e-8)


@pytest.mark.parametrize("form", ["spherical", "diag", "full", "tied"])
def test_known_states_start_the_posteriors_where_they_are(form):
    rng = np.random.default_rng(5)
    X = np.concatenate([rng.normal(0, 1, (60, 2)), rng.normal(6, 1, (60, 2))])
    states = np.full(120, -1)
    states[:10], states[-10:] = 1, 0
    model = VariationalGaussianHMM(2, form, random_state=0).fit(X, states=states)
    assert (model.predict(X) == np.repeat([1, 0], 60)).all()
    np.testing.assert_allclose(model.means_, [[6, 6], [0, 0]], atol=0.5)


def test_known_states_of_symbols():
    X = np.concatenate([np.tile([0, 0, 1], 20), np.tile([3, 3, 2], 20)])
    states = np.full(120, -1)
    states[:10], states[-10:] = 1, 0
    model = VariationalCategoricalHMM(2, random_state=0).fit(X, states=states)
    assert (model.predict(X) == np.repeat([1, 0], 60)).all()
