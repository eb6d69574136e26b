"""The frame of exponential families: the form of the density, derivatives of the log-partition, moments matched."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from novum.distributions import (
    Bernoulli,
    Beta,
    Binomial,
    Categorical,
    Dirichlet,
    Exponential,
    Gamma,
    Multinomial,
    MultivariateNormal,
    Normal,
    NormalGamma,
    NormalInverseWishart,
    Poisson,
)

MODELS = [
    Normal(0.7, 2.3),
    MultivariateNormal([0.3, -0.4], [[2.0, 0.5], [0.5, 1.0]]),
    Bernoulli(0.3),
    Binomial(5, 0.3),
    Categorical([0.2, 0.3, 0.5]),
    Multinomial(4, [0.2, 0.3, 0.5]),
    Poisson(3.7),
    Exponential(1.7),
    Gamma(2.5, 1.5),
    Beta(2.3, 3.1),
    Dirichlet([2.0, 3.0, 5.0]),
    NormalGamma(0.5, 3.0, 2.5, 1.5),
    NormalInverseWishart([0.5, -1.0], 2.0, 9.0, [[2.0, 0.5], [0.5, 1.0]]),
]
pytestmark = pytest.mark.filterwarnings("error")
STEP = 1e-5


def options(model):
    return {"n": model.n} if isinstance(model, Binomial | Multinomial) else {}


def again(model, eta):
    """Return the member of the family with natural parameters eta."""
    return type(model).from_natural(*eta, **options(model))


def inner(left, right):
    """Return the sum over the parts of eta . u."""
    return sum(
        (np.asarray(a) * b).sum(axis=tuple(range(np.ndim(b) - np.ndim(a), np.ndim(b)))) for a, b in zip(left, right)
    )


@pytest.mark.notes("002", "expfam")
@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
def test_the_density_is_linear_in_its_statistics(model):
    x = model.sample(6, random_state=0).astype(float)
    eta = model.natural_parameters()
    form = model.log_base_measure(x) + inner(eta, model.sufficient_statistics(x)) - model.log_partition()
    assert_allclose(form, model.log_prob(x), rtol=1e-12, atol=1e-12)
    back = again(model, eta)
    for mine, theirs in zip(back._parameters().values(), model._parameters().values()):
        assert_allclose(mine, theirs, rtol=1e-13)


@pytest.mark.notes("002", "expfam")
@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
def test_derivatives_of_the_log_partition_are_moments_of_the_statistics(model):
    eta = [np.array(part, float) for part in model.natural_parameters()]
    drawn = model.sample(60000, random_state=1).astype(float)
    means = model.mean_statistics()
    for part in range(len(eta)):
        for place in np.ndindex(eta[part].shape):
            if len(place) == 2 and place[0] > place[1]:
                continue  # a symmetric part moves on both sides of the diagonal at once
            values = []
            for sign in (-1, 0, 1):
                bent = [one.copy() for one in eta]
                for where in {place, place[::-1]} if len(place) == 2 else {place}:
                    bent[part][where] += sign * STEP
                values.append(float(again(model, bent).log_partition()))
            twice = 2 if len(place) == 2 and place[0] != place[1] else 1
            slope = (values[2] - values[0]) / (2 * STEP)
            assert_allclose(slope, twice * np.asarray(means[part])[place], rtol=1e-6, atol=1e-6)
            u = twice * np.asarray(model.sufficient_statistics(drawn)[part])[(slice(None), *place)]
            curvature = (values[2] - 2 * values[1] + values[0]) / STEP**2
            assert abs(u.mean() - slope) < 4.5 * u.std() / np.sqrt(u.size)
            assert_allclose(curvature, u.var(), rtol=0.12, atol=1e-4)


@pytest.mark.notes("002", "expfam-mle")
@pytest.mark.parametrize("model", MODELS[:-1], ids=lambda m: type(m).__name__)
def test_maximum_likelihood_matches_the_means(model):
    x = model.sample(300, random_state=2).astype(float)
    fitted = type(model).fit(x, **({"n": 5} if isinstance(model, Binomial) else {}))
    for expected, u in zip(fitted.mean_statistics(), fitted.sufficient_statistics(x)):
        assert_allclose(expected, u.mean(axis=0), rtol=1e-9, atol=1e-12)
    solved = fitted.from_mean_statistics(*(u.mean(axis=0) for u in fitted.sufficient_statistics(x)))
    for mine, theirs in zip(solved._parameters().values(), fitted._parameters().values()):
        assert_allclose(mine, theirs, rtol=1e-8)


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
def test_divergence_is_that_of_the_log_partition(model):
    eta = model.natural_parameters()
    other = again(model, [0.9 * np.asarray(part) for part in eta])
    theirs = other.natural_parameters()
    bregman = other.log_partition() - model.log_partition()
    bregman -= sum(((b - a) * m).sum() for a, b, m in zip(eta, theirs, model.mean_statistics()))
    assert_allclose(model.kl(other), bregman, rtol=1e-9, atol=1e-13)
    entropy = model.log_partition() - sum((a * m).sum() for a, m in zip(eta, model.mean_statistics()))
    drawn = model.sample(20000, random_state=3).astype(float)
    h = model.log_base_measure(drawn)
    assert abs(model.entropy() - (entropy - h.mean())) < 4.5 * h.std() / np.sqrt(h.size) + 1e-12
