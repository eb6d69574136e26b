"""Input that is wrong is refused by name and changes nothing; input that is odd is taken."""

import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from novum.distributions import MultivariateNormal, Normal
from novum.sequence import (
    GMMHMM,
    CategoricalHMM,
    GaussianHMM,
    HiddenMarkovModel,
    MultinomialHMM,
    PoissonHMM,
    VariationalCategoricalHMM,
)

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 2))


def given(cls=GaussianHMM, **options):
    model = cls(2, **options)
    model.startprob_, model.transmat_ = [0.5, 0.5], [[0.9, 0.1], [0.2, 0.8]]
    model.means_, model.covars_ = np.zeros((2, 2)), np.ones((2, 2))
    return model


@pytest.mark.parametrize(
    "call, text",
    [
        (
            lambda: GaussianHMM(2).fit(X, [10, 10]),
            r"GaussianHMM: lengths array \[10, 10\] doesn't sum to 30 samples, but to 20",
        ),
        (lambda: GaussianHMM(2).fit(X, [30, 0]), "lengths must be whole numbers of one or more"),
        (lambda: GaussianHMM(2).fit([X, X[:, :1]]), "different numbers of columns"),
        (lambda: GaussianHMM(2).fit([X, X[:0]]), "sequence 1 of X is empty"),
        (lambda: GaussianHMM(2).fit([X], [30]), "a list of sequences has its lengths"),
        (lambda: GaussianHMM(2).fit(X, groups="who"), "names a column, so X must be a frame"),
        (
            lambda: GaussianHMM(2).fit(pd.DataFrame(X, columns=["a", "b"]), groups="who"),
            "groups='who' is no column of X",
        ),
        (lambda: GaussianHMM(2).fit(X, groups=[1, 2]), "groups has 2 values for 30 rows"),
        (
            lambda: GaussianHMM(2).fit(X, sequence_weight=[-1.0]),
            "sequence_weight must be 1 finite numbers of zero or more",
        ),
        (lambda: GaussianHMM(2).fit(np.where(X > 2, np.inf, X + 5 * (X > 1.9))), "Input X contains infinity")
        if (X > 2).any()
        else (lambda: GaussianHMM(2).fit(np.full((3, 1), np.inf)), "Input X contains infinity"),
        (lambda: GaussianHMM(2).fit(np.full((5, 2), np.nan)), "column without an observed value"),
        (lambda: GaussianHMM(0).fit(X), "The 'n_components' parameter of GaussianHMM must be an int in the range"),
        (lambda: GaussianHMM(2, "round").fit(X), "The 'covariance_type' parameter of GaussianHMM must be a str among"),
        (
            lambda: GaussianHMM(2, params="xyz").fit(X),
            "The 'params' parameter of GaussianHMM must be a str of the letters",
        ),
        (lambda: GaussianHMM(2, topology="ring").fit(X), "The 'topology' parameter"),
        (lambda: CategoricalHMM(2).fit([[0.5], [1.0]]), "Symbols should be integers"),
        (lambda: CategoricalHMM(2).fit([[-1], [1]]), "Symbols should be nonnegative; the least is -1"),
        (lambda: CategoricalHMM(2).fit([[0, 1], [1, 0]]), "X must be one column of symbols; it has 2"),
        (
            lambda: CategoricalHMM(2, n_features=2).fit([[0], [5]]),
            "Largest symbol is 5 but the model only emits symbols up to 1",
        ),
        (lambda: MultinomialHMM(2).fit([[0.5, 1.0]]), "Symbol counts should be nonnegative integers"),
        (lambda: MultinomialHMM(2, 3).fit([[1, 1], [2, 1]]), "should add up to the number of trials"),
        (lambda: PoissonHMM(2).fit([[1], [-2]]), "X must hold counts, whole numbers of zero or more; it holds -2"),
        (
            lambda: HiddenMarkovModel("Norml", 2).fit(X),
            "The 'emission' parameter of HiddenMarkovModel must be a distribution",
        ),
        (lambda: HiddenMarkovModel([Normal, Normal], 3).fit(X), "emission lists 2 distributions for n_components=3"),
        (lambda: HiddenMarkovModel(Normal(0.0, 1.0), 2).fit(X), "rows have 2 column"),
        (lambda: given().decode(X, algorithm="best"), "algorithm must be 'viterbi' or 'map'; got 'best'"),
        (lambda: given().best_paths(X, 0), "n_paths must be an int of one or more; got 0"),
        (lambda: given().forecast(X, 0), "steps must be an int of one or more"),
        (lambda: given().sample(0), "n_samples must be an int of one or more"),
        (lambda: given().score(X[:, :1]), "X has 1 features, but GaussianHMM is expecting 2 features"),
        (lambda: given(init_params="st").fit(X[:, :1]), "X has 1 features, but GaussianHMM is expecting 2 features"),
    ],
)
def test_wrong_input_is_refused_by_name(call, text):
    with pytest.raises(ValueError, match=text):
        call()


@pytest.mark.parametrize(
    "change, text",
    [
        ({"startprob_": [0.5, 0.6]}, r"startprob_ must sum to 1 \(got 1.1"),
        ({"startprob_": [0.5]}, "startprob_ must have length n_components"),
        ({"startprob_": [1.5, -0.5]}, "no probabilities: the least is -0.5"),
        ({"transmat_": [[0.5, 0.4], [0.5, 0.5]]}, "transmat_ rows must sum to 1"),
        ({"means_": [0.0, 1.0]}, "means_ must have shape"),
    ],
)
def test_wrong_parameters_are_refused_by_name(change, text):
    model = given()
    for name, value in change.items():
        setattr(model, name, value)
    with pytest.raises(ValueError, match=text):
        model.score(X)
    with pytest.raises(ValueError, match="'diag' covars must be positive"):
        model.covars_ = -np.ones((2, 2))


def test_a_fit_that_fails_changes_nothing():
    model = GaussianHMM(2, random_state=0, max_iter=3, tol=1e9).fit(X)
    before = model.means_.copy()
    with pytest.raises(ValueError, match="infinity"):
        model.fit(np.full((4, 2), np.inf))
    assert (model.means_ == before).all()


def test_a_row_that_no_state_can_have_emitted_is_named():
    model = CategoricalHMM(2, init_params="")
    model.startprob_, model.transmat_ = [0.5, 0.5], [[1.0, 0.0], [0.0, 1.0]]
    model.emissionprob_ = [[0.5, 0.5, 0.0], [0.5, 0.5, 0.0]]
    rows = [[0], [1], [2], [0]]
    assert float(model.score(rows)) == -np.inf
    for ask in (model.predict_proba, model.predict, model.fit):
        with pytest.raises(ValueError, match="row 2 has probability zero under every state"):
            ask(rows)


def test_odd_but_right_input():
    for cls in (GaussianHMM, PoissonHMM, CategoricalHMM, VariationalCategoricalHMM):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            one = cls(1, random_state=0).fit([3])
            many = cls(4, random_state=0).fit([1, 1, 2, 1])  # more states than distinct rows
        assert np.isfinite(float(one.score([3]))) and np.isfinite(float(many.score([1, 1, 2, 1])))
        assert_allclose(many.transmat_.sum(axis=1), 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        constant = GaussianHMM(2, "full", random_state=0).fit(np.column_stack([X[:, 0], np.ones(30)]))
        mixture = GMMHMM(2, 3, random_state=0).fit(X[:8])
    assert np.isfinite(constant.covars_).all() and np.isfinite(mixture.covars_).all()
    assert GaussianHMM(2, random_state=np.random.default_rng(0), max_iter=1).fit(X).predict(X).shape == (30,)
    series = pd.Series([1, 2, 1, None, 2], dtype="Int64")
    assert CategoricalHMM(2, random_state=0, max_iter=1).fit(series).emissionprob_.shape == (2, 3)


def test_large_numbers_far_from_zero():
    rows = 1e9 + np.concatenate([RNG.normal(0, 1, 80), RNG.normal(6, 1, 80)])
    model = GaussianHMM(2, random_state=0, covars_prior=0.0).fit(rows)
    assert_allclose(model.means_.ravel() - 1e9, [rows[:80].mean() - 1e9, rows[80:].mean() - 1e9], atol=0.1)
    assert_allclose(np.sqrt(model._covars_.ravel()), [rows[:80].std(), rows[80:].std()], rtol=0.05)


def test_vectors_with_a_part_missing_are_refused_and_whole_rows_are_not():
    rows = X.copy()
    rows[3] = np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        HiddenMarkovModel(MultivariateNormal, 2, random_state=0, max_iter=2).fit(rows)
    rows[5, 0] = np.nan
    with pytest.raises(ValueError, match="row 5 is missing in part, and MultivariateNormal takes whole rows"):
        HiddenMarkovModel(MultivariateNormal, 2, random_state=0).fit(rows)
