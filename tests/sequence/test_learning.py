"""Baum-Welch: the objective never falls, its fixed point is a maximum, weights repeat, gaps are summed out, states keep alive."""

import warnings
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import approx_fprime
from sklearn.base import clone

from novum.distributions import Gamma, MultivariateNormal, Normal, NormalGamma, Poisson
from novum.sequence import (
    GMMHMM,
    CategoricalHMM,
    GaussianHMM,
    HiddenMarkovModel,
    MultinomialHMM,
    PoissonHMM,
    compare_states,
)

RNG = np.random.default_rng(5)
STATES = np.repeat([0, 1, 2, 0, 1, 2, 0], [20, 12, 18, 15, 15, 10, 20])
NUMBERS = np.array([[0.0, 1.0], [4.0, -1.0], [-3.0, 3.0]])[STATES] + RNG.normal(size=(110, 2)) @ [
    [1.0, 0.4],
    [0.0, 0.8],
]
COUNTS = RNG.poisson(np.array([[1.0, 5.0], [6.0, 2.0], [15.0, 9.0]])[STATES])
SYMBOLS = np.array(
    [RNG.choice(4, p=[[0.7, 0.1, 0.1, 0.1], [0.1, 0.6, 0.2, 0.1], [0.1, 0.1, 0.2, 0.6]][z]) for z in STATES]
)[:, None]
TRIALS = np.array([RNG.multinomial(9, [[0.7, 0.2, 0.1], [0.1, 0.3, 0.6], [0.3, 0.6, 0.1]][z]) for z in STATES])
LENGTHS = [30, 1, 44, 35]

MODELS = {
    **{f"gaussian {form}": (GaussianHMM(3, form), NUMBERS) for form in ("spherical", "diag", "full", "tied")},
    "gaussian priors": (
        GaussianHMM(
            3,
            "diag",
            means_prior=1.0,
            means_weight=2.0,
            covars_prior=0.5,
            covars_weight=3.0,
            transmat_prior=2.0,
            startprob_prior=1.5,
        ),
        NUMBERS,
    ),
    "gaussian full priors": (
        GaussianHMM(3, "full", means_prior=1.0, means_weight=2.0, covars_prior=0.5, covars_weight=6.0),
        NUMBERS,
    ),
    "gaussian stationary": (GaussianHMM(3, "diag", stationary=True), NUMBERS),
    "gaussian sticky": (GaussianHMM(3, "tied", sticky=5.0), NUMBERS),
    "gaussian left-right": (GaussianHMM(3, "diag", topology="left-right"), NUMBERS),
    **{
        f"mixture {form}": (GMMHMM(2, 2, covariance_type=form), NUMBERS)
        for form in ("spherical", "diag", "full", "tied")
    },
    "mixture priors": (
        GMMHMM(2, 2, means_prior=0.5, means_weight=1.0, covars_prior=1.0, covars_weight=0.5, weights_prior=2.0),
        NUMBERS,
    ),
    **{
        f"mixture {form} priors": (
            GMMHMM(2, 2, covariance_type=form, means_prior=0.5, means_weight=1.0, covars_prior=2.0, covars_weight=6.0),
            NUMBERS,
        )
        for form in ("full", "tied")
    },
    "categorical": (CategoricalHMM(3), SYMBOLS),
    "categorical priors": (CategoricalHMM(3, emissionprob_prior=2.0, transmat_prior=1.2), SYMBOLS),
    "multinomial": (MultinomialHMM(3), TRIALS),
    "poisson": (PoissonHMM(3), COUNTS),
    "poisson priors": (PoissonHMM(3, lambdas_prior=2.0, lambdas_weight=0.7), COUNTS),
    "any Normal": (HiddenMarkovModel(Normal, 3), NUMBERS),
    "any Poisson": (HiddenMarkovModel(Poisson, 3), COUNTS),
    "any vector": (HiddenMarkovModel(MultivariateNormal, 3), NUMBERS),
    "any Gamma": (HiddenMarkovModel(Gamma, 2), np.abs(NUMBERS[:, :1]) + 0.1),
    "mixed families": (HiddenMarkovModel([Normal, Gamma], None), np.abs(NUMBERS[:, :1]) + 0.1),
}


def fitted(name, **options):
    model, X = MODELS[name]
    model = clone(model).set_params(**{"random_state": 0, "max_iter": 400, "tol": 1e-9, **options})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # not all need to converge here
        return model.fit(X, LENGTHS), X


@pytest.mark.notes("002", "baum-welch")
@pytest.mark.parametrize("name", MODELS)
def test_the_objective_never_falls_and_answers_are_probabilities(name):
    model, X = fitted(name)
    gains = np.diff(model.history_)
    assert (gains > -1e-10 * np.abs(model.history_[-1])).all(), gains.min()
    assert len(gains) > 2
    shares = model.predict_proba(X, LENGTHS)
    assert_allclose(shares.sum(axis=1), 1)
    assert np.isfinite(shares).all()
    assert_allclose(model.transmat_.sum(axis=1), 1)
    log_prob, path = model.decode(X, LENGTHS)
    assert float(log_prob) <= float(model.score(X, LENGTHS)) + 1e-9
    assert path[0] == 0  # states come in the order of their first visit
    rows = model.score_samples(X, LENGTHS)
    assert rows.shape == (len(X),)
    assert_allclose(rows.sum(), float(model.score(X, LENGTHS)), rtol=1e-12)


def likelihood_in(model, X, name, shape, values):
    """Return the log-likelihood with an attribute replaced; rows of probabilities are given by logits."""
    other = clone(model)
    other.__dict__.update(model.__dict__)
    values = values.reshape(shape)
    if name in ("startprob_", "transmat_", "emissionprob_"):
        values = np.exp(values - np.logaddexp.reduce(values, axis=-1, keepdims=True))
    setattr(other, name, values)
    return float(other.score(X, LENGTHS))


@pytest.mark.notes("002", "baum-welch")
@pytest.mark.parametrize(
    "name, attributes",
    [
        ("gaussian full", ["means_", "transmat_"]),
        ("gaussian diag", ["means_", "_covars_"]),
        ("categorical", ["emissionprob_", "transmat_"]),
        ("poisson", ["lambdas_"]),
        ("gaussian stationary", ["means_"]),
    ],
)
def test_the_fixed_point_is_stationary(name, attributes):
    """The gradient of the likelihood vanishes there (zeros of probabilities are left out: they lie on the edge)."""
    model, X = fitted(name, max_iter=20_000, tol=1e-13, **({"covars_prior": 0.0} if "gaussian" in name else {}))
    for attribute in attributes:
        values = np.asarray(getattr(model, attribute))
        logits = np.log(np.maximum(values, 1e-12)) if attribute.endswith(("mat_", "prob_")) else values
        at = partial(likelihood_in, model, X, attribute, values.shape)
        gradient = approx_fprime(logits.ravel(), at, 1e-6)
        inside = (values.ravel() > 1e-6) | (logits is values)
        assert_allclose(gradient[inside], 0, atol=5e-3)


@pytest.mark.notes("002", "baum-welch")
@pytest.mark.parametrize(
    "name", ["gaussian full", "categorical", "poisson", "multinomial", "mixture diag", "any Poisson"]
)
def test_weights_count_as_repetition(name):
    start, X = fitted(name, max_iter=3)
    parts = np.split(X, np.cumsum(LENGTHS)[:-1])
    weighted, repeated = (clone(start).set_params(init_params="", max_iter=5, tol=0.0) for _ in range(2))
    for one in (weighted, repeated):
        one.__dict__.update({name: value for name, value in start.__dict__.items() if name.endswith("_")})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        weighted.fit(parts, sequence_weight=[2, 0, 1, 3])
        repeated.fit([parts[0], parts[0], parts[2], parts[3], parts[3], parts[3]])
    assert_allclose(weighted.transmat_, repeated.transmat_, rtol=1e-9)
    assert_allclose(weighted.history_, repeated.history_, rtol=1e-10)


def test_lists_lengths_and_groups_are_one():
    import pandas as pd

    parts = np.split(NUMBERS, np.cumsum(LENGTHS)[:-1])
    ids = np.repeat(["b", "a", "d", "c"], LENGTHS)
    frame = pd.DataFrame(NUMBERS, columns=["x", "y"]).assign(who=ids)
    model = GaussianHMM(3, "full", random_state=0, max_iter=5, tol=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        by_length = clone(model).fit(NUMBERS, LENGTHS)
        by_list = clone(model).fit(parts)
        by_column = clone(model).fit(frame, groups="who")
        by_array = clone(model).fit(NUMBERS, groups=ids)
    for other in (by_list, by_column, by_array):
        assert_allclose(other.means_, by_length.means_, rtol=1e-12)
    # rows of the groups mixed: each keeps its own order, and answers come back where the rows stand
    order = np.argsort(np.random.default_rng(0).random(110))
    order = order[np.argsort(order % 7, kind="stable")]
    place = np.concatenate([np.sort(order[ids[order] == name]) for name in np.unique(ids[order])])
    mixed = np.empty(110, np.int64)
    for name in np.unique(ids):
        mixed[ids[order] == name] = place[ids[place] == name]
    expected = by_length.predict_proba(NUMBERS, LENGTHS)
    assert_allclose(by_length.predict_proba(NUMBERS[mixed], groups=ids[mixed]), expected[mixed], rtol=1e-9)
    assert list(by_column.feature_names_in_) == ["x", "y"]


@pytest.mark.parametrize("form", ["spherical", "diag", "full", "tied"])
def test_missing_cells_are_integrated_out(form):
    model, X = fitted(f"gaussian {form}")
    gaps = X.copy()
    gaps[7, 0] = gaps[40, 1] = np.nan
    gaps[60] = np.nan
    from novum.distributions import MultivariateNormal

    logs = np.zeros((110, 3))
    for t in range(110):
        seen = ~np.isnan(gaps[t])
        for j in range(3):
            if seen.any():
                S = model.covars_[j][np.ix_(seen, seen)]
                logs[t, j] = MultivariateNormal(model.means_[j][seen], S).log_prob(gaps[t][seen])
    assert_allclose(
        model._emission().densities(model._sequences(gaps, None, None, None, None).first()).log, logs, rtol=1e-9
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        again = clone(model).set_params(max_iter=300, tol=1e-10).fit(gaps, LENGTHS)
    assert (np.diff(again.history_) > -1e-9).all()
    # EM with gaps: the likelihood of what was seen is stationary in the means
    gradient = approx_fprime(again.means_.ravel(), lambda v: likelihood_in(again, gaps, "means_", (3, 2), v), 1e-6)
    if form != "spherical":
        assert_allclose(gradient, 0, atol=0.05)


@pytest.mark.notes("002", "forward-backward")
@pytest.mark.parametrize("name", ["categorical", "poisson", "multinomial", "any Normal"])
def test_a_missing_row_says_nothing(name):
    model, X = fitted(name)
    gaps = X.astype(float)
    gaps[[5, 50, 51]] = np.nan
    shares = model.predict_proba(gaps)
    predicted = shares[50] @ np.eye(shares.shape[1])
    assert_allclose(predicted.sum(), 1)
    trans, middle = np.linalg.matrix_power(model.transmat_, 1), model.filter(gaps)
    assert_allclose(middle[50], middle[49] @ trans, rtol=1e-9)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        again = clone(model).fit(gaps)
    assert np.isfinite(again.transmat_).all() and (np.diff(again.history_) > -1e-9).all()


def test_known_states_are_kept_and_named():
    order = np.array([2, 0, 1])[STATES]  # other names than the order of first visits
    labels = np.where(np.arange(110) % 4 == 0, order, -1)
    model = GaussianHMM(3, random_state=0).fit(NUMBERS, states=labels)
    assert (model.predict(NUMBERS) == order).mean() > 0.95
    shares = model.predict_proba(NUMBERS, states=labels)
    assert_allclose(shares[labels >= 0], np.eye(3)[labels[labels >= 0]], atol=1e-12)
    with pytest.raises(ValueError, match="states must be 110 whole numbers from 0 to 2"):
        GaussianHMM(3).fit(NUMBERS, states=labels + 7)


def test_topologies_keep_their_zeros():
    for topology, allowed in (("left-right", np.triu(np.ones((3, 3)))), ("banded", np.eye(3) + np.eye(3, k=1))):
        model = fitted("gaussian left-right", topology=topology)[0]
        assert (model.transmat_[allowed == 0] == 0).all() and model.startprob_.tolist() == [1, 0, 0]


def test_a_stationary_start_is_the_distribution_of_the_chain():
    model = fitted("gaussian stationary")[0]
    assert_allclose(model.startprob_ @ model.transmat_, model.startprob_, atol=1e-12)
    assert_allclose(model.get_stationary_distribution(), model.startprob_, atol=1e-12)
    assert model._n_parameters() == fitted("gaussian diag")[0]._n_parameters() - 2


def test_sticky_states_last_longer():
    plain, sticky = fitted("gaussian tied")[0], fitted("gaussian sticky", sticky=50.0)[0]
    assert np.diag(sticky.transmat_).min() > np.diag(plain.transmat_).min()


def test_a_prior_keeps_a_state_of_any_family_alive():
    X = np.array([0.0, 0.0, 0.0, 5.0, 6.0, 4.0, 5.5])
    model = HiddenMarkovModel(Normal, 2, random_state=0, emission_prior=NormalGamma(0.0, 0.1, 2.0, 0.1)).fit(X)
    assert np.isfinite(float(model.score(X)))
    assert min(float(one.std) for one in model.emissions_) > 0.05


def test_several_starts_keep_the_best():
    one = [GaussianHMM(3, random_state=seed).fit(NUMBERS).history_[-1] for seed in range(4)]
    many = GaussianHMM(3, random_state=0, n_init=6).fit(NUMBERS).history_[-1]
    assert many >= max(one) - 1e-3


def test_the_number_of_states():
    rows = np.concatenate([RNG.normal(0, 1, 70), RNG.normal(6, 1, 60), RNG.normal(0, 1, 50)])
    found = compare_states(GaussianHMM(random_state=0, n_init=3), rows, (1, 2), cv=3)
    assert found.best == 2 and found.best_model._k == 2
    assert_allclose(found.bic[0], GaussianHMM(1, covars_prior=0.0).fit(rows).bic(rows), rtol=1e-6)
    assert found.held_out[1] > found.held_out[0]
    assert list(found.to_frame()["states"]) == [1, 2]
    line = found.plot().lines[0]
    assert_allclose(line.get_ydata(), found.held_out)
    with pytest.raises(ValueError, match="cv must be an int of two or more"):
        compare_states(GaussianHMM(), rows, cv=1)


def test_forecasts_and_a_live_stream():
    model, X = fitted("gaussian full")
    forecast = model.forecast(X[:60], 40)
    filtered = model.filter(X[:60])[-1]
    assert_allclose(forecast.states[2], filtered @ np.linalg.matrix_power(model.transmat_, 3), rtol=1e-9)
    assert_allclose(forecast.mean[0], forecast.states[0] @ model.means_, rtol=1e-9)
    variance = np.diagonal(model.covars_, axis1=1, axis2=2)
    second = forecast.states[5] @ (variance + model.means_**2) - forecast.mean[5] ** 2
    assert_allclose(forecast.std[5] ** 2, second, rtol=1e-9)
    assert_allclose(forecast.plot().lines[0].get_ydata(), forecast.mean[:, 0])
    live = model.online()
    filtered = np.array([live.update(row) for row in X[:60]])
    assert_allclose(filtered, model.filter(X[:60]), rtol=1e-9, atol=1e-14)
    assert_allclose(live.log_likelihood, float(model.score(X[:60])), rtol=1e-12)
    assert_allclose(live.forecast(3).states, forecast.states[:3], rtol=1e-9)
    before = live.probabilities
    assert_allclose(live.update([np.nan, np.nan]), before @ model.transmat_, rtol=1e-9)
