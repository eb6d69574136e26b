"""Fits of hidden Markov models that must end where they say: stationary chains, topologies, several starts, priors, dates."""

import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from novum.exceptions import ParameterError
from novum.sequence import (
    GMMHMM,
    CategoricalHMM,
    GaussianHMM,
    LinearDynamicalSystem,
    MarkovChain,
    MultinomialHMM,
    PoissonHMM,
    kalman_filter,
)
from novum.sequence.hmm.markov import bound_and_slope, bound_of_chain, climbed_chain, stationary_distribution


def pairs_of_symbols(seed, n=150, k=3, symbols=4):
    """Return sequences of two symbols from a stationary chain: the start is half of what they tell."""
    rng = np.random.default_rng(seed)
    A, B = rng.dirichlet(np.full(k, 0.5), size=k), rng.dirichlet(np.full(symbols, 0.4), size=k)
    rows = []
    for _ in range(n):
        z = rng.choice(k, p=stationary_distribution(A))
        for _ in range(2):
            rows.append(rng.choice(symbols, p=B[z]))
            z = rng.choice(k, p=A[z])
    return np.array(rows)[:, None], [2] * n


@pytest.mark.parametrize("seed", range(6))
def test_the_step_of_a_stationary_chain_climbs_to_a_flat_place(seed):
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, 6))
    trans, found = rng.dirichlet(np.ones(k), size=k), rng.dirichlet(np.ones(k), size=k)
    counts, first = rng.gamma(1.0, 20.0, size=(k, k)), rng.gamma(1.0, 200.0, size=k)
    ended = climbed_chain(trans, found, counts, first)
    assert bound_of_chain(ended, counts, first) >= max(bound_of_chain(each, counts, first) for each in (trans, found))
    assert np.abs(bound_and_slope(ended, counts, first)[1]).max() < 1e-5 * (counts.sum() + first.sum())
    step = 1e-6 * rng.normal(size=(k, k))  # the slope against differences
    logits = np.log(trans)
    up, down = (np.exp(logits + sign * step) for sign in (1, -1))
    up, down = up / up.sum(axis=1, keepdims=True), down / down.sum(axis=1, keepdims=True)
    rise = bound_of_chain(up, counts, first) - bound_of_chain(down, counts, first)
    assert_allclose(rise / 2, (bound_and_slope(trans, counts, first)[1] * step).sum(), rtol=1e-5, atol=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_a_stationary_fit_never_falls_and_ends_flat(seed):
    X, lengths = pairs_of_symbols(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = CategoricalHMM(3, stationary=True, random_state=0, max_iter=4000, tol=1e-9, n_init=3).fit(X, lengths)
    assert (np.diff(model.history_["log-likelihood"]) > -1e-9).all()
    best = float(model.score(X, lengths))
    rng = np.random.default_rng(seed)
    for _ in range(20):  # no small step is better by more than a flat place allows
        near = CategoricalHMM(3)
        near.transmat_ = model.transmat_ * np.exp(1e-3 * rng.normal(size=(3, 3)))
        near.transmat_ /= near.transmat_.sum(axis=1, keepdims=True)
        near.startprob_, near.emissionprob_ = stationary_distribution(near.transmat_), model.emissionprob_
        assert float(near.score(X, lengths)) < best + 1e-4


def test_criteria_count_free_numbers_only():
    X = np.concatenate([np.random.default_rng(j).normal(4 * j, 1, 60) for j in range(4)])
    banded = GaussianHMM(4, topology="banded", random_state=0).fit(X)
    n, value = len(X), float(banded.score(X))
    assert banded._n_parameters() == 3 + 8
    assert banded.bic(X) == pytest.approx(-2 * value + 11 * np.log(n))
    assert banded.aic(X) == pytest.approx(-2 * value + 22)
    assert GaussianHMM(4, topology="left-right", random_state=0).fit(X)._n_parameters() == 6 + 8
    assert GaussianHMM(2, random_state=0).fit(X)._n_parameters() == 1 + 2 + 4
    assert GaussianHMM(2, random_state=0, stationary=True).fit(X)._n_parameters() == 2 + 4
    given = GaussianHMM(3, random_state=0, init_params="mc", params="tmc")
    given.startprob_, given.transmat_ = np.array([1.0, 0, 0]), np.array([[0.9, 0.1, 0], [0, 0.9, 0.1], [0.1, 0, 0.9]])
    assert given.fit(X)._n_parameters() == 3 + 6


@pytest.mark.parametrize("seed", range(5))
def test_topologies_start_in_the_order_of_time(seed):
    rng = np.random.default_rng(seed)
    sizes, levels = rng.integers(20, 90, size=4), rng.permutation([0.0, 5.0, 10.0, 15.0])
    z = np.repeat(np.arange(4), sizes)
    for topology in ("left-right", "banded"):
        X = rng.normal(levels[z])
        assert (GaussianHMM(4, topology=topology, random_state=seed).fit(X).predict(X) == z).mean() > 0.97
        counts = rng.poisson(3 * levels[z] + 1)[:, None]
        assert (PoissonHMM(4, topology=topology, random_state=seed).fit(counts).predict(counts) == z).mean() > 0.97


def test_three_clear_states_are_found_whatever_the_seed():
    rng = np.random.default_rng(0)
    z = [0]
    for _ in range(299):
        z.append(rng.choice(3, p=(np.full((3, 3), 0.03) + 0.91 * np.eye(3))[z[-1]]))
    X = rng.normal(np.array([0.0, 4.0, 8.0])[z])
    scores = [float(GaussianHMM(3, random_state=seed).fit(X).score(X)) for seed in range(12)]
    assert max(scores) - min(scores) < 1


WRONG = [
    np.ones(7),
    np.ones((3, 7)),
    np.ones((7, 7)),
    np.ones((2, 2, 2, 2)),
    np.ones((1, 1, 1, 1, 1)),
    [[1.0], [1.0, 2.0]],
]
PRIORS = {
    GaussianHMM: ("startprob_prior", "transmat_prior", "means_prior", "means_weight", "covars_prior"),
    GMMHMM: (
        "startprob_prior",
        "transmat_prior",
        "weights_prior",
        "means_prior",
        "means_weight",
        "covars_prior",
        "covars_weight",
    ),
    PoissonHMM: ("startprob_prior", "transmat_prior", "lambdas_prior", "lambdas_weight"),
    CategoricalHMM: ("startprob_prior", "transmat_prior", "emissionprob_prior"),
    MultinomialHMM: ("startprob_prior", "transmat_prior", "emissionprob_prior"),
}


@pytest.mark.parametrize("kind", PRIORS)
def test_priors_of_a_wrong_shape_are_named(kind):
    rng = np.random.default_rng(0)
    X = {CategoricalHMM: rng.integers(0, 4, (40, 1)), MultinomialHMM: rng.multinomial(5, [0.3, 0.7], 40)}.get(kind)
    X = rng.poisson(3, (40, 2)) if X is None else X
    for name in PRIORS[kind]:
        for value in WRONG:
            with pytest.raises((ParameterError, TypeError, ValueError), match=name):
                kind(2, random_state=0, **{name: value}).fit(X)


def test_sizes_without_end_are_refused():
    with pytest.raises(ParameterError, match="too many for a table"):
        MarkovChain(order=2**31).fit([["a", "b", "a"]])
    with pytest.raises(ParameterError, match="X is None"):
        GaussianHMM(2).fit(None)
    with pytest.raises(ParameterError, match="n_components"):
        GaussianHMM(10**9).fit(np.arange(20.0))


def test_filter_update_as_the_page_says():
    """docs/switching/from-pykalman.md: one more row from the distribution of the last."""
    rng = np.random.default_rng(0)
    A, C, Q, R = np.array([[1.0, 1], [0, 1]]), np.array([[1.0, 0]]), 0.1 * np.eye(2), np.eye(1)
    X = rng.normal(size=(6, 1))
    start = {"initial_mean": np.zeros(2), "initial_covariance": np.eye(2)}
    whole = kalman_filter(X, A, C, Q, R, **start)
    m, P = whole.means[4], whole.covariances[4]
    one = kalman_filter(X[5:], A, C, Q, R, initial_mean=A @ m, initial_covariance=A @ P @ A.T + Q)
    assert_allclose(one.means[0], whole.means[5])
    assert_allclose(one.covariances[0], whole.covariances[5])


@pytest.mark.parametrize("freq", ["D", "h", "MS", "ME", "QS", "YS", "B", "W"])
def test_forecasts_go_on_with_the_dates(freq):
    dates = pd.date_range("2020-01-31", periods=30, freq=freq)
    values = pd.Series(np.random.default_rng(0).normal(size=30).cumsum(), index=dates)
    expected = pd.date_range(dates[-1], periods=4, freq=freq)[1:].to_numpy()
    level = LinearDynamicalSystem.local_level(level_variance=1.0, observation_variance=1.0)
    assert (level.forecast(values, 3).rows == expected).all()
    assert (GaussianHMM(2, random_state=0).fit(values.to_frame()).forecast(values.to_frame(), 3).rows == expected).all()


def test_the_floor_is_a_share_of_every_variance():
    from novum.sequence.hmm.emissions.covariances import covariance_floor

    np.testing.assert_allclose(covariance_floor(None, np.array([4.0, 0.0, 1e-4])), [4e-6, 1e-6, 1e-10])
    np.testing.assert_array_equal(covariance_floor(0.3, np.ones(2)), [0.3, 0.3])
