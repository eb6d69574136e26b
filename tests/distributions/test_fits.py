"""Maximum likelihood and posterior modes: against optimisation by brute force, weights as repetition, portions, every home."""

import numpy as np
import pytest
import scipy.stats as st
from numpy.testing import assert_allclose
from scipy.optimize import minimize

import novum
from novum.distributions import (
    Bernoulli,
    Beta,
    Categorical,
    Dirichlet,
    Gamma,
    MultivariateNormal,
    Normal,
    NormalGamma,
    NormalInverseWishart,
    Poisson,
)
from novum.exceptions import DataError, ParameterError
from novum.fold import add

RNG = np.random.default_rng(1)
FITS = [  # family, data, options of fit
    (Normal, RNG.normal(3, 2, 400), {}),
    (Gamma, RNG.gamma(2.5, 1 / 0.7, 400), {}),
    (Gamma, RNG.gamma(0.2, 1.0, 400), {}),
    (Beta, RNG.beta(2, 5, 400), {}),
    (Beta, RNG.beta(0.7, 0.8, 400), {}),
    (Bernoulli, (RNG.uniform(size=400) < 0.3).astype(float), {}),
    (Poisson, RNG.poisson(3.7, 400).astype(float), {}),
    (Categorical, RNG.integers(0, 4, 400).astype(float), {}),
    (MultivariateNormal, RNG.normal(size=(400, 3)) @ RNG.normal(size=(3, 3)) + 5, {}),
    (Dirichlet, RNG.dirichlet([2, 3, 5], 400), {}),
    (Dirichlet, RNG.dirichlet([0.2, 0.3, 0.5, 0.7], 400), {}),
    (NormalGamma, np.column_stack([RNG.normal(size=400), RNG.gamma(3, size=400)]), {}),
]
ids = [f"{family.__name__}-{i}" for i, (family, *_) in enumerate(FITS)]


def free(model):
    """Return the parameters as one unconstrained vector, and the way back."""
    family = type(model)
    if family is Normal:
        return np.array([model.mean, np.log(model.var)]), lambda t: Normal(t[0], np.exp(t[1]))
    if family is Categorical:
        return np.log(model.p), lambda t: Categorical(np.exp(t) / np.exp(t).sum())
    if family is Bernoulli:
        return np.log(model.p / (1 - model.p))[None], lambda t: Bernoulli(1 / (1 + np.exp(-t[0])))
    if family is MultivariateNormal:
        d = 3
        rows = np.tril_indices(d)

        def back(t):
            root = np.zeros((d, d))
            root[rows] = t[d:]
            return MultivariateNormal(t[:d], root @ root.T)

        return np.r_[model.mean, model.cholesky[rows]], back
    if family is NormalGamma:
        return np.r_[model.mean, np.log([model.strength, model.shape, model.rate])], lambda t: NormalGamma(
            t[0], *np.exp(t[1:])
        )
    if family is Dirichlet:
        return np.log(model.alpha), lambda t: Dirichlet(np.exp(t))
    values = list(model._parameters().values())
    return np.log(values), lambda t: family(*np.exp(t))


@pytest.mark.parametrize("family, x, options", FITS, ids=ids)
def test_no_other_parameters_are_more_likely(family, x, options):
    w = RNG.uniform(0.2, 2.0, len(x))
    model = family.fit(x, sample_weight=w, **options)
    start, back = free(model)
    best = w @ model.log_prob(x)
    for _ in range(20):  # no step in any direction helps, and the gradient is zero
        step = RNG.normal(size=start.size) * 1e-3
        assert w @ back(start + step).log_prob(x) <= best + 1e-9
    gradient = [
        (w @ back(start + e).log_prob(x) - w @ back(start - e).log_prob(x)) / 2e-5 for e in 1e-5 * np.eye(start.size)
    ]
    assert_allclose(gradient, 0, atol=2e-4)
    found = minimize(lambda t: -(w @ back(t).log_prob(x)), start + 0.1 * RNG.normal(size=start.size), method="BFGS")
    assert -found.fun <= best + 1e-9


@pytest.mark.parametrize("family, x, options", FITS, ids=ids)
def test_weights_are_repetitions_and_portions_add(family, x, options):
    w = RNG.integers(0, 4, len(x)).astype(float)
    if family is Categorical:
        options = {"n_categories": 4}
    weighted, repeated = family.fit(x, w, **options), family.fit(np.repeat(x, w.astype(int), axis=0), **options)
    for mine, theirs in zip(weighted._parameters().values(), repeated._parameters().values()):
        assert_allclose(mine, theirs, rtol=1e-9)
    start = weighted
    parts = [start.statistics(x[rows], w[rows]) for rows in np.array_split(np.arange(len(x)), 5)]
    total = parts[0]
    for part in parts[1:]:
        total = add(total, part)
    again = start.from_statistics(total)
    for mine, theirs in zip(again._parameters().values(), weighted._parameters().values()):
        assert_allclose(mine, theirs, rtol=1e-9)


@pytest.mark.parametrize("family, x, options", FITS, ids=ids)
def test_float32_and_tables(family, x, options):
    if family._event_ndim or family is Categorical:
        pytest.skip("a row is an outcome")
    pair = np.column_stack([x, x[::-1]])
    batch = family.fit(pair)
    one = family.fit(x)
    assert batch.batch_shape == (2,)
    for mine, theirs in zip(batch._parameters().values(), one._parameters().values()):
        assert_allclose(mine, theirs, rtol=1e-9)
    single = family.fit(x.astype(np.float32))
    for mine, theirs in zip(single._parameters().values(), one._parameters().values()):
        assert_allclose(mine, theirs, rtol=3e-3)


def test_a_mean_far_from_the_first_block_keeps_its_digits():
    x = np.r_[np.zeros(300_000) + RNG.normal(size=300_000) * 1e-3, 1e6 + RNG.normal(size=600_000) * 1e-3]
    assert_allclose(Normal.fit(x).var, x.var(), rtol=1e-10)
    far = 1e9 + RNG.normal(size=1000)
    assert_allclose(Normal.fit(far).var, far.var(), rtol=1e-9)
    plane = 1e7 + RNG.normal(size=(1000, 2))
    assert_allclose(MultivariateNormal.fit(plane).cov, np.cov(plane.T, bias=True), rtol=1e-9)


# ---------------------------------------------------------------------------------------------- posterior modes


def posterior(model, prior, outcome, x):
    return model.log_prob(x).sum() + prior.log_prob(outcome)


MODES = [
    (Bernoulli, Beta(2.0, 3.0), (RNG.uniform(size=20) < 0.3).astype(float), lambda m: m.p),
    (Categorical, Dirichlet([2.0, 1.5, 3.0]), RNG.integers(0, 3, 20).astype(float), lambda m: m.p),
    (Poisson, Gamma(3.0, 2.0), RNG.poisson(4, 20).astype(float), lambda m: m.rate),
    (Normal, NormalGamma(1.0, 2.0, 3.0, 1.5), RNG.normal(size=20), lambda m: np.array([m.mean, 1 / m.var])),
    (
        MultivariateNormal,
        NormalInverseWishart([1.0, 0], 2.0, 5.0, [[2.0, 0.3], [0.3, 1.0]]),
        RNG.normal(size=(20, 2)),
        lambda m: np.vstack([m.mean, m.cov]),
    ),
]


@pytest.mark.parametrize("family, prior, x, outcome", MODES, ids=[family.__name__ for family, *_ in MODES])
def test_no_other_parameters_are_more_probable(family, prior, x, outcome):
    model = family.fit(x, prior=prior)
    best = posterior(model, prior, outcome(model), x)
    for _ in range(40):
        bent = {}
        for name, value in model._parameters().items():
            step = 1e-3 * RNG.normal(size=value.shape)
            bent[name] = value * (1 + (step + np.swapaxes(step, -1, -2) if name == "cov" else step))
            if family is Categorical:
                bent[name] /= bent[name].sum()
        other = family(**bent)
        assert posterior(other, prior, outcome(other), x) <= best + 1e-12
    assert_allclose(
        family.fit(x).log_prob(x).sum(),  # a weak prior changes little
        family.fit(np.repeat(x, 10**4, axis=0), prior=prior).log_prob(x).sum(),
        rtol=1e-5,
    )


def test_priors_that_do_not_fit():
    with pytest.raises(ParameterError, match="Bernoulli: a Gamma is no prior that it can be fitted with; give a Beta"):
        Bernoulli.fit([0, 1], prior=Gamma(1, 1))
    with pytest.raises(ParameterError, match=r"Gamma: a Beta is no prior .*maximum_a_posteriori"):
        Gamma.fit([1.0, 2.0], prior=Beta(1, 1))
    with pytest.raises(DataError, match="Bernoulli: the posterior has no single mode"):
        Bernoulli.fit([0.0], sample_weight=[0.1], prior=Beta(0.5, 0.5))
    with pytest.raises(DataError, match="Poisson: the posterior of the rate grows"):
        Poisson.fit([0, 0], prior=Gamma(0.5, 1))
    assert Bernoulli.fit([0, 0, 0], prior=Beta(0.5, 2.0)).p == 0.0


# ---------------------------------------------------------------------------------------------- data that cannot be


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: Gamma.fit([1.0, -2.0]), r"Gamma.fit: x holds -2.0 \(row 1.*distribution of positive numbers"),
        (lambda: Bernoulli.fit([0, 1, 2]), "Bernoulli is a distribution of zeros and ones"),
        (lambda: Poisson.fit([0.5]), "distribution of counts 0, 1, 2"),
        (lambda: Beta.fit([0.5, 1.0]), "numbers between 0 and 1, both left out"),
        (lambda: Dirichlet.fit([[0.5, 0.6]]), "vectors of positive numbers that add up to one"),
        (
            lambda: Categorical.fit([0, 5], n_categories=3),
            "holds the code 5; codes run from 0 to 2. Raise n_categories",
        ),
        (lambda: Normal.fit([2.0, 2.0]), "Normal: the data of a distribution are all equal.*give a prior"),
        (lambda: Gamma.fit([2.0, 2.0]), "Gamma: the data of a distribution are all equal"),
        (lambda: Dirichlet.fit([[0.5, 0.5], [0.5, 0.5]]), "the rows are all equal"),
        (lambda: MultivariateNormal.fit([[0.0, 1], [1, 2]]), "singular; give more rows, .*NormalInverseWishart"),
        (lambda: Normal.fit([np.nan, 1.0]), "NaN"),
        (lambda: Normal.fit([]), "0 sample"),
        (lambda: Normal.fit([1.0, 2.0], sample_weight=[0, 0]), "at least one non-zero"),
        (lambda: Normal.fit([1.0, 2.0], tolerance=3), r"Normal.fit\(tolerance=3\): there is no such option"),
        (lambda: NormalInverseWishart.fit(np.eye(2)), "NormalInverseWishart has no fit"),
        (lambda: Normal().statistics(np.zeros((3, 2, 2))), r"Normal.statistics: x has shape \(3, 2, 2\)"),
        (lambda: Normal().statistics(np.zeros(3), np.ones((4,))), r"weight has shape \(4,\); it must be \(3,\)"),
    ],
)
def test_what_cannot_be_fitted_is_told(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_rows_without_weight_are_absent_and_empty_parts_keep_their_parameters():
    assert_allclose(Gamma.fit([1.0, 2.0, -5.0], sample_weight=[1, 1, 0]).mean, 1.5, rtol=1e-14)
    for model, x in [
        (Normal([0.0, 7.0], [1.0, 2.0]), RNG.normal(size=9)),
        (Gamma([1.0, 7.0], 2.0), RNG.gamma(1, size=9)),
        (Bernoulli([0.2, 0.7]), np.array([0.0, 1, 1])),
        (Categorical([[0.5, 0.5], [0.2, 0.8]]), np.array([0.0, 1, 1])),
        (MultivariateNormal([[0.0, 1], [7.0, 7.0]], 3.0), RNG.normal(size=(9, 2))),
        (Dirichlet([[1.0, 1], [7.0, 7.0]]), RNG.dirichlet([1, 2], 9)),
    ]:
        weight = np.zeros((len(x), 2))
        weight[:, 0] = 1
        new = model.from_statistics(model.statistics(x, weight))
        assert new[1] == model[1] and new[0] != model[0]


# ---------------------------------------------------------------------------------------------- homes


@pytest.mark.parametrize(
    "family, x, options", FITS[:1] + FITS[1:2] + FITS[7:10], ids=lambda v: getattr(v, "__name__", "")
)
def test_every_home_gives_the_same_fit(family, x, options, tmp_path):
    import dask.array as da
    import pandas as pd
    import polars as pl

    table = x if x.ndim == 2 else x[:, None]
    w = RNG.uniform(0.5, 1.5, len(x))
    expected = family.fit(table, w)
    frame = pd.DataFrame(table, columns=[f"c{j}" for j in range(table.shape[1])])
    path = tmp_path / "rows.parquet"
    frame.assign(w=w).to_parquet(path)
    homes = [
        family.fit(frame, w),
        family.fit(pl.from_pandas(frame), w),
        family.fit(novum.scan(path, weight="w", batch_rows=77)),
        family.fit(da.from_array(table, chunks=(90, -1)), da.from_array(w, chunks=90)),
    ]
    for found in homes:
        for mine, theirs in zip(found._parameters().values(), expected._parameters().values()):
            assert_allclose(mine, theirs, rtol=1e-10)
    if x.ndim == 1:
        flat = family.fit(x, w)
        for found in (
            family.fit(pd.Series(x), w),
            family.fit(pl.Series(x), w),
            family.fit(da.from_array(x, chunks=100), da.from_array(w, chunks=100)),
        ):
            assert found.batch_shape == ()
            for mine, theirs in zip(found._parameters().values(), flat._parameters().values()):
                assert_allclose(mine, theirs, rtol=1e-10)


@pytest.mark.deep
@pytest.mark.parametrize("family, x, options", FITS, ids=ids)
def test_tensors_give_the_same_densities_and_fits(family, x, options):
    torch = pytest.importorskip("torch")
    w = RNG.uniform(0.5, 1.5, len(x))
    expected = family.fit(x, w)
    found = family.fit(torch.tensor(x), torch.tensor(w))
    for mine, theirs in zip(found._parameters().values(), expected._parameters().values()):
        assert_allclose(mine, theirs, rtol=1e-10)
    value = expected.log_prob(torch.tensor(x))
    assert value.dtype == torch.float64
    assert_allclose(value.numpy(), expected.log_prob(x), rtol=1e-12, atol=1e-12)
    outside = torch.tensor(x)[:3] - 100.5
    assert_allclose(expected.log_prob(outside).numpy(), expected.log_prob(outside.numpy()), rtol=1e-12)


def test_likelihood_of_scipys_fit_is_not_higher():
    x = FITS[1][1]
    a, _, scale = st.gamma.fit(x, floc=0)
    assert Gamma.fit(x).log_prob(x).sum() >= Gamma(a, 1 / scale).log_prob(x).sum() - 1e-9
