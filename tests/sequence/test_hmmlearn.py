"""The same start and one pass: hmmlearn's parameters, scores and paths, at most 1e-9 apart."""

import itertools
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose

from novum import sequence

pytestmark = pytest.mark.peer
RNG = np.random.default_rng(0)
LENGTHS = [40, 1, 59, 25]
NUMBERS, SYMBOLS, COUNTS = RNG.normal(size=(125, 3)), RNG.integers(0, 4, (125, 1)), RNG.poisson(3.0, (125, 2))
STATE = RNG.bit_generator.state


@pytest.fixture(autouse=True)
def same_draws():
    """Start every test at the same draws: which ran before on a worker must not decide, as equal paths may tie."""
    RNG.bit_generator.state = STATE


def both(name, k, **options):
    hmm = pytest.importorskip("hmmlearn.hmm")
    passes = {sequence: "max_iter", hmm: "n_iter"}
    return [getattr(module, name)(k, init_params="", **{word: 1}, **options) for module, word in passes.items()]


def path_score(start, trans, logs, path):
    """Return log p(x, z) of one path."""
    return np.log(start[path[0]]) + np.log(trans[path[:-1], path[1:]]).sum() + logs[np.arange(len(path)), path].sum()


def compared(models, X, names, k, **given):
    start, trans = RNG.dirichlet(np.ones(k)), RNG.dirichlet(np.ones(k), k)
    for model in models:
        model.startprob_, model.transmat_ = start.copy(), trans.copy()
        for attribute, value in given.items():
            setattr(model, attribute, np.array(value))
    ours, theirs = models
    assert_allclose(float(ours.score(X, LENGTHS)), theirs.score(X, LENGTHS), rtol=1e-9)
    assert_allclose(ours.predict_proba(X, LENGTHS), theirs.predict_proba(X, LENGTHS), rtol=1e-7, atol=1e-12)
    a, b = ours.decode(X, LENGTHS), theirs.decode(X, LENGTHS)
    assert_allclose(float(a[0]), b[0], rtol=1e-9)
    for first, last in itertools.pairwise(np.cumsum([0, *LENGTHS])):
        ours_path, theirs_path = a[1][first:last], b[1][first:last]
        if (ours_path != theirs_path).any():  # then they tie: rounding chooses among orders of the same steps
            logs = theirs._compute_log_likelihood(X[first:last])
            assert_allclose(*(path_score(start, trans, logs, path) for path in (ours_path, theirs_path)), rtol=1e-13)
    assert_allclose(float(ours.decode(X, LENGTHS, "map")[0]), theirs.decode(X, LENGTHS, "map")[0], rtol=1e-9)
    assert_allclose(ours.aic(X, LENGTHS), theirs.aic(X, LENGTHS), rtol=1e-9)
    assert_allclose(ours.bic(X, LENGTHS), theirs.bic(X, LENGTHS), rtol=1e-9)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for model in models:
            model.fit(X, LENGTHS)
    for name in ("startprob_", "transmat_", *names):
        assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-7, atol=1e-12)
    if "covars_" not in given or "weights_" not in given:
        assert_allclose(float(ours.score(X, LENGTHS)), theirs.score(X, LENGTHS), rtol=1e-9)


@pytest.mark.parametrize("k", [1, 2, 5, 11])
@pytest.mark.parametrize("form", ["spherical", "diag", "full", "tied"])
def test_gaussian(k, form):
    covars = {
        "spherical": np.ones(k),
        "diag": np.ones((k, 3)),
        "full": np.tile(np.eye(3), (k, 1, 1)),
        "tied": np.eye(3),
    }[form]
    means = RNG.normal(size=(k, 3))
    options = {"covariance_type": form, "min_covar": 1e-9}
    if form in ("full", "tied"):  # a number is added to every cell of a matrix by hmmlearn, to its diagonal here
        options["covars_prior"] = 0.01 * np.eye(3)
    names = ["means_"] if form == "spherical" else ["means_", "covars_"]  # hmmlearn's covars_ repeat themselves there
    compared(both("GaussianHMM", k, **options), NUMBERS, names, k, means_=means, covars_=covars)


def test_gaussian_with_priors():
    k = 3
    prior = {
        "means_prior": 0.3,
        "means_weight": 2.0,
        "covars_prior": 0.7,
        "transmat_prior": 1.5,
        "startprob_prior": 2.0,
    }
    means = RNG.normal(size=(k, 3))
    for form, weight, covars in (("diag", 3.0, np.ones((k, 3))), ("full", 7.0, np.tile(np.eye(3), (k, 1, 1)))):
        if form == "full":
            prior["covars_prior"] = 0.7 * np.eye(3)
        models = both("GaussianHMM", k, covariance_type=form, min_covar=1e-9, covars_weight=weight, **prior)
        compared(models, NUMBERS, ["means_", "covars_"], k, means_=means, covars_=covars)


@pytest.mark.parametrize("k", [1, 3, 9])
def test_symbols_and_counts(k):
    probs = RNG.dirichlet(np.ones(4), k)
    compared(both("CategoricalHMM", k, n_features=4), SYMBOLS, ["emissionprob_"], k, emissionprob_=probs)
    compared(both("PoissonHMM", k), COUNTS, ["lambdas_"], k, lambdas_=RNG.gamma(3.0, size=(k, 2)))
    trials = RNG.multinomial(6, [0.2, 0.3, 0.5], 125)
    compared(
        both("MultinomialHMM", k, n_trials=6), trials, ["emissionprob_"], k, emissionprob_=RNG.dirichlet(np.ones(3), k)
    )


@pytest.mark.parametrize("form", ["diag", "full", "tied"])
def test_mixtures(form):
    k, m = 2, 3
    shape = {"diag": (k, m, 3), "full": (k, m, 3, 3), "tied": (k, 3, 3)}[form]
    covars = np.ones(shape) if form == "diag" else np.broadcast_to(np.eye(3), shape)
    ours, theirs = both("GMMHMM", k, n_mix=m, covariance_type=form, min_covar=1e-9)
    theirs.n_features = 3
    ours.aic = theirs.aic = ours.bic = theirs.bic = lambda *_: 0.0  # hmmlearn counts the weights of one state only
    given = {"means_": RNG.normal(size=(k, m, 3)), "covars_": covars, "weights_": RNG.dirichlet(np.ones(m), k)}
    names = [
        "means_",
        "weights_",
    ]  # covariances of hmmlearn are about the means that entered: compared at the fixed point
    compared([ours, theirs], NUMBERS, names, k, **given)
