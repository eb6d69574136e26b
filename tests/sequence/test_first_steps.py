"""What people new to hidden Markov models and chains try first, and what they mistype."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import ConvergenceWarning

from novum.exceptions import DataError, DataWarning, NotConverged, ParameterError, ParameterTypeError
from novum.sequence import (
    CategoricalHMM,
    GaussianHMM,
    HiddenMarkovModel,
    LinearDynamicalSystem,
    MarkovChain,
    VariationalCategoricalHMM,
    compare_states,
)


def two_states(lengths, seed=0, scale=1.0):
    rng = np.random.default_rng(seed)
    states, rows = [], []
    for n in lengths:
        z = np.cumsum(rng.random(n) < 0.08) % 2
        states.append(z)
        rows.append(scale * rng.normal(4 * z, 1)[:, None])
    return states, rows


def test_known_states_by_sequence():
    states, X = two_states((30, 1, 120, 57))
    known = [np.where(np.arange(len(z)) % 5, -1, z) for z in states]
    lists = GaussianHMM(2, random_state=0).fit(X, states=known)
    flat = GaussianHMM(2, random_state=0).fit(X, states=np.concatenate(known))
    assert_array_equal(lists.means_, flat.means_)
    gaps = [np.where(z < 0, np.nan, z) for z in known]
    assert_array_equal(GaussianHMM(2, random_state=0).fit(X, states=gaps).means_, flat.means_)
    lengths = [len(x) for x in X]
    assert_array_equal(GaussianHMM(2, random_state=0).fit(np.concatenate(X), lengths, states=known).means_, flat.means_)
    with pytest.raises(ParameterError, match=r"states are 2 sequences of \[30, 1\] steps, but X is 4"):
        GaussianHMM(2).fit(X, states=known[:2])
    with pytest.raises(ParameterError, match="states must be 208 whole numbers"):
        GaussianHMM(2).fit(X, states=[np.full(len(z), "a") for z in states])


def test_weights_that_are_no_numbers():
    X = two_states((30, 20))[1]
    for weight in ("ab", ["a", "b"], [[1], [2, 3]]):
        with pytest.raises(ParameterError, match="sequence_weight must be 2 finite numbers"):
            GaussianHMM(2).fit(X, sequence_weight=weight)


@pytest.mark.parametrize("model", [CategoricalHMM, VariationalCategoricalHMM])
def test_symbols_that_are_numbers_of_something_else(model):
    """Customer numbers, say: a table with a column for each would not fit into memory."""
    with pytest.raises(DataError, match=r"symbols up to 1000000000 .* return_inverse"):
        model(2, random_state=0).fit([[0], [10**9], [0]])
    with pytest.raises(DataError, match="symbols up to"):
        model(2, n_features=10**9, random_state=0).fit([[0], [1], [0]])
    with pytest.raises(DataError, match="Symbols should be integers"):
        CategoricalHMM(2).fit([[0.0], [np.nan], [1e200]])


@pytest.mark.parametrize("form", ["diag", "full", "spherical", "tied"])
def test_small_units_say_that_the_prior_decides(form):
    """Daily returns: hmmlearn's covars_prior=0.01 is larger than all their squares together."""
    X = two_states((400,), scale=1e-4)[1][0]
    with pytest.warns(DataWarning) as caught:
        GaussianHMM(2, form, random_state=0).fit(X)
    first = caught[0]
    assert "covars_prior=0.01 adds" in str(first.message) and "larger units" in str(first.message)
    assert first.filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        small = GaussianHMM(2, form, covars_prior=0, random_state=0).fit(X)
        units = GaussianHMM(2, form, covars_prior=0, random_state=0).fit(1e4 * X)
        GaussianHMM(2, form, random_state=0).fit(1e4 * X)
    assert_allclose(1e4 * small.means_, units.means_, rtol=1e-6)


def test_states_without_rows_are_named():
    """All rows equal: one state takes them, and the prior's variance over nothing is left to the other."""
    with pytest.warns(DataWarning, match="state 1 has less than one row"):
        model = GaussianHMM(2, random_state=0).fit(np.ones((20, 1)))
    assert model.covars_[1, 0, 0] > 1


@pytest.mark.parametrize("family", ["Normal", "MultivariateNormal", "StudentT", "Exponential"])
def test_densities_that_collapse_on_single_values(family):
    """Zeros and ones under a density: the likelihood has no maximum, whatever the family."""
    X = two_states((300,))[0][0].astype(float)
    with pytest.warns(ConvergenceWarning, match=r"collapsing on few values .*emission_prior"):
        HiddenMarkovModel(family, 2, random_state=0).fit(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        HiddenMarkovModel("Bernoulli", 2, random_state=0).fit(X)
        HiddenMarkovModel("Normal", 2, random_state=0).fit(two_states((300,))[1][0])


def test_more_states_that_explain_less():
    """A 3-state fit that is cut short ends far under the 2-state one; its criteria must not pass for those of three states."""
    X = two_states((200,), seed=3)[1][0]
    found = {}
    for seed in range(30):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found[seed] = compare_states(GaussianHMM(random_state=seed, n_init=1, max_iter=2), X, (3, 2, 1))
        three, two, _ = found[seed].log_likelihood
        poor = [w for w in caught if "poor local maximum" in str(w.message)]
        assert bool(poor) == (min(three - two, 0) < -0.01 * abs(two))
        assert all(w.category is NotConverged and w.filename == __file__ for w in poor)
        if poor:
            break
    else:
        pytest.fail("no start ended in a poor maximum")


def test_numbers_of_states_and_folds_that_cannot_be():
    X = two_states((40,))[1][0]
    for counts in (3, (1, 2.5), ("a",), (), (0, 1)):
        with pytest.raises(ParameterError, match="n_components must be several numbers"):
            compare_states(GaussianHMM(), X, counts)
    with pytest.raises(ParameterError, match="cv=10 folds, but X can be cut into 5 stretches"):
        compare_states(GaussianHMM(), X[:5], (1, 2), cv=10)


def test_reprs_say_what_was_learned():
    x = np.cumsum(np.random.default_rng(0).standard_normal(200))
    level = LinearDynamicalSystem.local_level()
    assert repr(level).startswith("LinearDynamicalSystem(algorithm='lbfgs'")  # before fit: its parameters
    head, *lines = repr(level.fit(x)).splitlines()
    assert f"log-likelihood {level.log_likelihood_:.3f} with 2 parameters, converged in" in head
    assert [line.split()[0] for line in lines] == ["transition_covariance", "observation_covariance"]
    lines = repr(LinearDynamicalSystem.autoregressive(2).fit(x - x.mean())).splitlines()[1:]
    assert [line.split("  ")[1] for line in lines] == [
        "transition[0, 0]",
        "transition[0, 1]",
        "transition_covariance[0, 0]",
    ]
    changed = LinearDynamicalSystem.local_level().fit(x).set_params(learn=["nothing"])
    assert len(repr(changed).splitlines()) == 1
    known = LinearDynamicalSystem.local_level(level_variance=1.0, observation_variance=1.0).fit(x)
    assert len(repr(known).splitlines()) == 1
    free = repr(LinearDynamicalSystem(n_states=2, max_iter=500, tol=1e-3).fit(np.stack([x, x[::-1]], axis=1)))
    assert [line.split()[0] for line in free.splitlines()[1:] if line[2] != " "] == [
        "transition",
        "transition_covariance",
        "observation",
        "observation_covariance",
        "initial_mean",
        "initial_covariance",
    ]
    chain = MarkovChain().fit("AABABBBA")
    assert repr(chain).splitlines() == [
        "MarkovChain of order 1, 2 states, 7 transitions, 3 parameters",
        "         A      B   seen",
        "  A   .333   .667      3",
        "  B   .500   .500      4",
    ]
    assert "A B" in repr(MarkovChain(2, smoothing=1).fit("AABABBBA"))
    assert repr(MarkovChain(3, smoothing=1).fit([0, 1, 2] * 9)).endswith("and 15 contexts more")
    assert "each of 2 places" in repr(MarkovChain(homogeneous=False, smoothing=1).fit([[0, 1, 1], [1, 0, 1]]))
    assert repr(MarkovChain(2)) == "MarkovChain(order=2)"


def test_chains_name_no_method_that_was_not_called():
    with pytest.raises(
        ParameterError, match=r"^MarkovChain: transition is not known; give transition= or learn it by fit"
    ):
        MarkovChain().stationary()
    with pytest.raises(DataError, match=r"^MarkovChain: transition sums to"):
        MarkovChain(transition=[[0.5, 0.6], [0.5, 0.5]]).is_ergodic()
    with pytest.raises(ParameterTypeError, match="transition must hold real numbers"):
        MarkovChain(transition=[["a", "b"], ["c", "d"]]).stationary()
