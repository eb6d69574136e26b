"""The trellis against the enumeration of all paths, and against the compiled recursions."""

from itertools import pairwise, product

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import logsumexp

from novum.sequence import CategoricalHMM, GaussianHMM


def model_of(rng, k, symbols):
    model = CategoricalHMM(k)
    model.startprob_, model.transmat_ = rng.dirichlet(np.ones(k)), rng.dirichlet(np.ones(k), k)
    model.emissionprob_ = rng.dirichlet(np.ones(symbols), k)
    return model


@pytest.mark.parametrize("k, n", [(1, 1), (2, 5), (3, 4)])
def test_every_cell_is_the_sum_or_the_best_of_its_paths(k, n):
    rng = np.random.default_rng(10 * k + n)
    model, x = model_of(rng, k, 3), rng.integers(0, 3, n)

    def log_joint(path, first):
        total = np.log(model.startprob_[path[0]]) if first == 0 else 0.0
        pairs = pairwise(path)
        emitted = zip(path, x[first:]) if first == 0 else zip(path[1:], x[first + 1 :])
        steps = sum(np.log(model.transmat_[i][j]) for i, j in pairs)
        return total + steps + sum(np.log(model.emissionprob_[z][s]) for z, s in emitted)

    found = model.trellis(x[:, None])
    for t in range(n):
        for j in range(k):
            into = [log_joint((*path, j), 0) for path in product(range(k), repeat=t)]
            assert_allclose(found.log_alpha[t, j], logsumexp(into), rtol=1e-13)
            assert_allclose(found.log_delta[t, j], max(into), rtol=1e-13)
            on = [
                log_joint((j, *path), t) if t else log_joint((j, *path), 0)
                for path in product(range(k), repeat=n - t - 1)
            ]
            if t:
                assert_allclose(found.log_beta[t, j], logsumexp(on), rtol=1e-13, atol=1e-13)
    assert (found.pointers[0] == -1).all()


def test_it_agrees_with_the_compiled_recursions():
    rng = np.random.default_rng(3)
    X = np.concatenate([rng.normal(0, 1, (30, 2)), rng.normal(3, 1, (30, 2))])
    model = GaussianHMM(2, random_state=0).fit(X)
    found = model.trellis(X)
    log_prob, path = model.decode(X)
    assert (found.path == path).all()
    assert_allclose(found.log_delta[-1].max(), float(log_prob), rtol=1e-13)
    assert_allclose(found.log_likelihood, float(model.score(X)), rtol=1e-13)
    gamma = np.exp(found.log_alpha + found.log_beta - found.log_likelihood)
    assert_allclose(gamma, model.predict_proba(X), rtol=1e-9, atol=1e-13)
    filtered = np.exp(found.log_alpha - logsumexp(found.log_alpha, axis=1, keepdims=True))
    assert_allclose(filtered, model.filter(X), rtol=1e-9, atol=1e-13)


def test_zeros_and_missing_rows():
    model = CategoricalHMM(2)
    model.startprob_, model.transmat_ = [1.0, 0.0], [[0.5, 0.5], [0.0, 1.0]]
    model.emissionprob_ = [[1.0, 0.0], [0.5, 0.5]]
    found = model.trellis(np.array([[0.0], [np.nan], [1.0]]))
    assert found.path.tolist() == [0, 1, 1] or found.path.tolist() == [0, 0, 1]
    assert_allclose(np.exp(found.log_likelihood), 0.375, rtol=1e-13)
    assert found.log_alpha[0, 1] == -np.inf
