"""The notes' hidden Markov model with three symbols: joint, recursions, one step of Baum-Welch, the best path."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from novum.distributions import Categorical
from novum.sequence import CategoricalHMM, GaussianHMM, HiddenMarkovModel
from novum.sequence.hmm.recursions import Chain, Densities, filter_states

START, TRANS = np.array([0.6, 0.4]), np.array([[0.7, 0.3], [0.4, 0.6]])
EMIT = np.array([[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]])
X = np.array([[0], [1], [2]])


def given(**options):
    model = CategoricalHMM(2, init_params="", **options)
    model.startprob_, model.transmat_, model.emissionprob_ = START, TRANS, EMIT
    return model


def generic(**options):
    model = HiddenMarkovModel(Categorical, 2, init_params="", **options)
    model.startprob_, model.transmat_ = START, TRANS
    model.emissions_ = [Categorical(row) for row in EMIT]
    return model


@pytest.mark.notes("002", "hmm")
def test_the_model_is_the_product_of_its_parts():
    assert_allclose(np.exp(float(given().score(X))), 0.03628, rtol=1e-12)
    assert_allclose(float(generic().score(X.astype(float))), float(given().score(X)), rtol=1e-12)
    # every sequence of three symbols: the probabilities add up to one, and draws come as often as they say
    every = np.array(np.meshgrid(*[range(3)] * 3, indexing="ij")).reshape(3, -1).T
    probs = np.exp([float(given().score(row[:, None])) for row in every])
    assert_allclose(probs.sum(), 1, rtol=1e-12)
    rows, states = given().sample(60_000, random_state=0)
    assert_allclose(
        np.bincount(states[1:][states[:-1] == 0], minlength=2) / (states[:-1] == 0).sum(), TRANS[0], atol=0.01
    )
    assert_allclose(np.bincount(rows[states == 1, 0]) / (states == 1).sum(), EMIT[1], atol=0.01)
    gaussian = GaussianHMM(2, "full", init_params="")
    gaussian.startprob_, gaussian.transmat_ = START, TRANS
    gaussian.means_, gaussian.covars_ = (
        [[0.0, 1.0], [2.0, -1.0]],
        [[[1.0, 0.3], [0.3, 2.0]], [[0.5, -0.1], [-0.1, 1.0]]],
    )
    rows, states = gaussian.sample(40_000, random_state=1)
    assert_allclose(np.cov(rows[states == 1].T), gaussian.covars_[1], atol=0.03)
    assert_allclose(rows[states == 0].mean(axis=0), gaussian.means_[0], atol=0.03)


@pytest.mark.notes("002", "forward-backward")
def test_alpha_beta_and_posteriors():
    alpha = np.array([[0.3, 0.04], [0.0904, 0.0342], [0.007696, 0.028584]])
    beta = np.array([[0.106, 0.112], [0.25, 0.4], [1.0, 1.0]])
    gamma = given().predict_proba(X)
    assert_allclose(
        np.exp(given().score_samples(X)), alpha.sum(axis=1) / np.r_[1.0, alpha[:-1].sum(axis=1)], rtol=1e-12
    )
    assert_allclose(np.exp(float(given().score(X))), 0.03628, rtol=1e-12)
    assert_allclose(gamma[:, 0], [0.876516, 0.622933, 0.212128], atol=5e-7)
    assert_allclose(gamma, alpha * beta / 0.03628, rtol=1e-12)
    twice = np.vstack([X, X[:2]])  # sequences are independent: sums of logs
    both, shares = given().score(twice, lengths=[3, 2]), given().predict_proba(twice, lengths=[3, 2])
    assert_allclose(given().score_samples(twice, lengths=[3, 2])[3:], given().score_samples(X[:2]), rtol=1e-12)
    assert_allclose(float(both), np.log(0.03628) + np.log(alpha[1].sum()), rtol=1e-12)
    assert_allclose(shares, np.vstack([gamma, given().predict_proba(X[:2])]), rtol=1e-12)
    gap = np.array([[0.0], [np.nan], [2.0]])  # what was not seen is summed out
    seen = START * EMIT[:, 0] @ TRANS @ TRANS @ EMIT[:, 2]
    for model in (given(), generic()):
        assert_allclose(np.exp(float(model.score(gap))), seen, rtol=1e-12)
    filtered = filter_states(Chain(START, TRANS), Densities(np.log(EMIT.T[X.ravel()])), np.array([0, 3]))[1]
    assert_allclose(filtered, alpha / alpha.sum(axis=1, keepdims=True), rtol=1e-12)
    assert_allclose(generic().predict_proba(X.astype(float)), gamma, rtol=1e-12)


@pytest.mark.notes("002", "baum-welch")
def test_one_step_of_baum_welch():
    for model in (given(max_iter=1).fit(X), generic(max_iter=1).fit(X.astype(float))):
        assert_allclose(model.startprob_, [0.876516, 0.123484], atol=5e-7)
        assert_allclose(model.transmat_, [[0.502353, 0.497647], [0.163436, 0.836564]], atol=5e-7)
    emitted = [[0.512110, 0.363953, 0.123937], [0.095841, 0.292658, 0.611501]]
    assert_allclose(given(max_iter=1).fit(X).emissionprob_, emitted, atol=5e-7)
    assert_allclose([one.p for one in generic(max_iter=1).fit(X.astype(float)).emissions_], emitted, atol=5e-7)


@pytest.mark.notes("002", "viterbi")
def test_the_best_path_and_the_next_ones():
    log_prob, path = given().decode(X)
    assert path.tolist() == [0, 0, 1]
    assert_allclose(np.exp(float(log_prob)), 0.01512, rtol=1e-12)
    scores, paths = given().best_paths(X, 8)
    assert len(paths) == 8 and paths[0].tolist() == [0, 0, 1]
    assert_allclose(np.exp(scores).sum(), 0.03628, rtol=1e-12)
    any_family, found = generic().decode(X.astype(float))
    assert found.tolist() == [0, 0, 1] and np.exp(float(any_family)) == pytest.approx(0.01512, rel=1e-12)
    tied = CategoricalHMM(2)  # all optimal paths: those whose score is the first one's
    tied.startprob_, tied.transmat_, tied.emissionprob_ = [0.5, 0.5], np.full((2, 2), 0.5), [[0.5, 0.5]] * 2
    scores, paths = tied.best_paths([[0], [1]], 9)
    assert len(paths) == 4 and np.ptp(scores) < 1e-15


@pytest.mark.notes("002", "viterbi")
def test_the_trellis_of_the_notes():
    """Three states, no observations: every row missing, so the chain alone decides."""
    model = CategoricalHMM(3)
    model.startprob_, model.emissionprob_ = [0.5, 0.3, 0.2], np.full((3, 2), 0.5)
    model.transmat_ = [[0.6, 0.3, 0.1], [0.1, 0.5, 0.4], [0.3, 0.3, 0.4]]
    X = np.full((4, 1), np.nan)
    log_prob, path = model.decode(X)
    assert path.tolist() == [0, 0, 0, 0]
    assert_allclose(np.exp(float(log_prob)), 0.108, rtol=1e-12)
    assert model.predict_proba(X).argmax(axis=1).tolist() == [0, 0, 1, 1]
