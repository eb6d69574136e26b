"""Maximum likelihood and posterior modes: against optimisation by brute force, weights as repetition, portions, every home."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize

import novum
from novum.distributions import (
    Bernoulli,
    Beta,
    Binomial,
    Categorical,
    Dirichlet,
    Discrete,
    Exponential,
    Gamma,
    Multinomial,
    MultivariateNormal,
    MultivariateStudentT,
    Normal,
    NormalGamma,
    NormalInverseWishart,
    Poisson,
    StudentT,
    Uniform,
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
    (Binomial, RNG.binomial(7, 0.4, 400).astype(float), {"n": 7}),
    (Exponential, RNG.exponential(2.0, 400), {}),
    (Multinomial, RNG.multinomial(6, [0.2, 0.3, 0.5], 400).astype(float), {}),
    (StudentT, 2 + 3 * RNG.standard_t(3, 400), {}),
    (StudentT, RNG.standard_cauchy(400), {"df": 1.0}),
    (MultivariateStudentT, RNG.normal(size=(400, 2)) / np.sqrt(RNG.gamma(2, 0.5, (400, 1))) + 3, {}),
]
ids = [f"{family.__name__}-{i}" for i, (family, *_) in enumerate(FITS)]


def free(model):
    """Return the parameters as one unconstrained vector, and the way back."""
    family = type(model)
    if family is Normal:
        return np.array([model.mean, np.log(model.var)]), lambda t: Normal(t[0], np.exp(t[1]))
    if family is Categorical:
        return np.log(model.p), lambda t: Categorical(np.exp(t) / np.exp(t).sum())
    if family is Binomial:
        return np.log(model.p / (1 - model.p))[None], lambda t: Binomial(model.n, 1 / (1 + np.exp(-t[0])))
    if family is Multinomial:
        return np.log(model.p), lambda t: Multinomial(model.n, np.exp(t) / np.exp(t).sum())
    if family is StudentT and model.df == 1:
        return np.array([model.loc, np.log(model.scale)]), lambda t: StudentT(1.0, t[0], np.exp(t[1]))
    if family is StudentT:
        return np.array([model.loc, *np.log([model.scale, model.df])]), lambda t: StudentT(
            np.exp(t[2]), t[0], np.exp(t[1])
        )
    if family is MultivariateStudentT:

        def matrix(t):
            root = np.array([[t[2], 0.0], [t[3], t[4]]])
            return MultivariateStudentT(np.exp(t[5]), t[:2], root @ root.T)

        return np.r_[model.loc, model.cholesky[np.tril_indices(2)], np.log(model.df)], matrix
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
        return np.r_[model.center, np.log([model.strength, model.shape, model.rate])], lambda t: NormalGamma(
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
        assert_allclose(mine, theirs, rtol=1e-7 if "Student" in family.__name__ else 1e-9)
    start = weighted
    parts = [start.statistics(x[rows], w[rows]) for rows in np.array_split(np.arange(len(x)), 5)]
    total = parts[0]
    for part in parts[1:]:
        total = add(total, part)
    if family is StudentT and options:
        return  # its M-step learns the degrees of freedom, which were given here
    again = start.from_statistics(total)
    for mine, theirs in zip(again._parameters().values(), weighted._parameters().values()):
        assert_allclose(mine, theirs, rtol=1e-7 if "Student" in family.__name__ else 1e-9)


@pytest.mark.parametrize("family, x, options", FITS, ids=ids)
def test_float32_and_tables(family, x, options):
    if family._event_ndim or family is Categorical:
        pytest.skip("a row is an outcome")
    pair = np.column_stack([x, x[::-1]])
    batch = family.fit(pair, **options)
    one = family.fit(x, **options)
    assert batch.batch_shape == (2,)
    for mine, theirs in zip(batch._parameters().values(), one._parameters().values()):
        assert_allclose(mine, np.broadcast_to(theirs, 2), rtol=1e-7 if family is StudentT else 1e-9)
    single = family.fit(x.astype(np.float32), **options)
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
    (Exponential, Gamma(3.0, 2.0), RNG.exponential(size=20), lambda m: m.rate),
    (Binomial, Beta(2.0, 3.0), RNG.binomial(5, 0.3, 20).astype(float), lambda m: m.p),
    (Multinomial, Dirichlet([2.0, 1.5, 3.0]), RNG.multinomial(5, [0.2, 0.3, 0.5], 20).astype(float), lambda m: m.p),
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
    options = {"n": 5} if family is Binomial else {}
    model = family.fit(x, prior=prior, **options)
    best = posterior(model, prior, outcome(model), x)
    for _ in range(40):
        bent = {}
        for name, value in model._parameters().items():
            step = 1e-3 * RNG.normal(size=value.shape)
            bent[name] = value * (1 + (step + np.swapaxes(step, -1, -2) if name == "cov" else step))
            if name == "n":
                bent[name] = value
            if family in (Categorical, Multinomial) and name == "p":
                bent[name] /= bent[name].sum()
        other = family(**bent)
        assert posterior(other, prior, outcome(other), x) <= best + 1e-12
    assert_allclose(
        family.fit(x, **options).log_prob(x).sum(),  # a weak prior changes little
        family.fit(np.repeat(x, 10**4, axis=0), prior=prior, **options).log_prob(x).sum(),
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
            "x holds 5.0 .*whole numbers 0 to 2. Count more outcomes .n_categories of fit",
        ),
        (lambda: Beta.fit([0.5] * 4), "Beta: the data are all equal, so a and b would be infinite"),
        (lambda: Dirichlet.fit([[0.5, 0.5]] * 4), "Dirichlet: the rows are all equal, so alpha would be infinite"),
        (
            lambda: Dirichlet.fit([0.5] * 4),
            "Dirichlet.fit: x has 1 column; .* For numbers between 0 and 1 there is Beta",
        ),
        (
            lambda: Normal.fit([0.1, np.nan]),
            r"Input X contains NaN. Normal.fit takes whole observations: drop those rows",
        ),
        (lambda: Binomial.fit([1, 2]), r"Binomial.fit\(n=None\): the number of trials is not learned; give n"),
        (lambda: Binomial.fit([1, 9], n=4), "Binomial.fit: x holds 9.0.*distribution of counts 0, ..., n"),
        (lambda: Uniform.fit([2.0, 2.0]), "Uniform: the data of a distribution are all equal"),
        (lambda: StudentT.fit([2.0, 2.0]), "StudentT: the data of a distribution are all equal"),
        (lambda: StudentT.fit([2.0, 3.0], prior=Beta(1, 1)), "StudentT: it has no conjugate prior"),
        (lambda: StudentT.fit([2.0, 3.0], max_iter=0), r"StudentT.fit\(max_iter=0\): max_iter must be at least 1"),
        (lambda: MultivariateStudentT.fit([[1.0, 2.0], [2.0, 3.0]]), "lie in fewer than 2 dimensions"),
        (lambda: Exponential.fit([0.0, 0.0]), "the rate would be infinite"),
        (lambda: Discrete(["a"]).statistics(["b"]), "holds np.str_\\('b'\\), which is not among the values"),
        (lambda: Discrete.fit([1.0, 2.0], prior=Dirichlet([1, 1, 1])), "prior must be a Dirichlet with 2 entries"),
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
def test_what_cannot_be_fitted_is_reported(call, message):
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
    "family, x, options", FITS[:2] + FITS[7:10] + FITS[-4:-3], ids=lambda v: getattr(v, "__name__", "")
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
    expected = family.fit(x, w, **options)
    found = family.fit(torch.tensor(x), torch.tensor(w), **options)
    for mine, theirs in zip(found._parameters().values(), expected._parameters().values()):
        assert_allclose(mine, theirs, rtol=1e-7 if "Student" in family.__name__ else 1e-10)
    value = expected.log_prob(torch.tensor(x))
    assert value.dtype == torch.float64
    assert_allclose(value.numpy(), expected.log_prob(x), rtol=1e-12, atol=1e-12)
    outside = torch.tensor(x)[:3] - 100.5
    assert_allclose(expected.log_prob(outside).numpy(), expected.log_prob(outside.numpy()), rtol=1e-12)


def test_uniform_is_the_range_and_merges_by_it():
    x = RNG.uniform(2, 5, 300)
    w = (np.arange(300) % 2).astype(float)
    model = Uniform.fit(x, w)
    assert model == Uniform(x[1::2].min(), x[1::2].max())
    start = Uniform([0.0, 0.0], 1.0)
    parts = [start.statistics(x[rows], np.c_[w, 1 - w][rows]) for rows in np.array_split(np.arange(300), 4)]
    both = start.from_statistics(add(add(parts[0], parts[1]), add(parts[2], parts[3])))
    assert both[0] == model and both[1] == Uniform(x[::2].min(), x[::2].max())


def test_discrete_tables_in_any_home(tmp_path):
    import dask.array as da
    import pandas as pd

    x = RNG.choice([-1.0, 2.0, 7.0], 300)
    w = RNG.uniform(size=300)
    expected = np.array([w[x == v].sum() for v in (-1, 2, 7)]) / w.sum()
    path = tmp_path / "x.parquet"
    pd.DataFrame({"x": x, "w": w}).to_parquet(path)
    for found in (
        Discrete.fit(x, w),
        Discrete.fit(novum.scan(path, weight="w")),
        Discrete.fit(da.from_array(x, chunks=70), da.from_array(w, chunks=70)),
    ):
        assert list(found.values) == [-1, 2, 7]
        assert_allclose(found.p, expected, rtol=1e-12)
    assert_allclose(
        Discrete.fit(x, w, prior=Dirichlet([2.0, 2, 2])).p, (expected * w.sum() + 1) / (w.sum() + 3), rtol=1e-12
    )
    words = np.array(["b", "a", "b"])
    assert_allclose(Discrete.fit(words, [1.0, 2.0, 3.0]).p, [1 / 3, 2 / 3], rtol=1e-15)
