"""EM and L-BFGS for linear dynamical systems: monotone, stationary at their fixed point, equal to what is known."""

import itertools
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from reference.sequence.kalman import conditioned
from sequence.systems import random_system, with_gaps

import novum
from novum.datasets import load_nile
from novum.exceptions import DataError, DataWarning, NotConverged, ParameterError
from novum.sequence import LinearDynamicalSystem

NAMES = (
    "transition",
    "transition_covariance",
    "observation",
    "observation_covariance",
    "initial_mean",
    "initial_covariance",
)


def fitted(X, **parameters):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConverged)
        return LinearDynamicalSystem(**parameters).fit(X)


def drawn(s, p, n, seed=0, series=None):
    system = random_system(s, p, seed=seed)
    system |= {"transition_offset": np.zeros(s), "observation_offset": np.zeros(p)}
    return LinearDynamicalSystem(**system).sample(n, series, random_state=seed)[0]


def literal_step(X, m):
    """Return one EM step as the notes and Ghahramani and Hinton (1996) write it, from the joint Gaussian."""
    means, V, pairs, _ = conditioned(m, X)
    n = len(X)
    Ezz = V + means[:, :, None] * means[:, None, :]
    lag = pairs + means[1:, :, None] * means[:-1, None, :]
    A = lag.sum(0) @ np.linalg.inv(Ezz[:-1].sum(0))
    Q = (Ezz[1:].sum(0) - A @ lag.sum(0).T) / (n - 1)
    C = X.T @ means @ np.linalg.inv(Ezz.sum(0))
    R = (X.T @ X - C @ means.T @ X) / n
    return {
        "transition": A,
        "transition_covariance": (Q + Q.T) / 2,
        "observation": C,
        "observation_covariance": (R + R.T) / 2,
        "initial_mean": means[0],
        "initial_covariance": V[0],
    }


@pytest.mark.notes("002", "lds-em")
def test_a_step_of_em_is_that_of_the_joint_gaussian():
    X = drawn(2, 3, 12, seed=1)
    start = {name: value for name, value in random_system(2, 3, seed=7).items() if name in NAMES}
    found = fitted(X, **start, learn=NAMES, max_iter=1)
    expected = literal_step(X, start)
    for name in NAMES:
        assert_allclose(getattr(found, f"{name}_"), expected[name], rtol=1e-8, atol=1e-9, err_msg=name)
    known = np.random.default_rng(0).normal(size=X.shape)  # what is added to the cells at every step is taken off first
    moved = fitted(X + known, **start, observation_offset=known, learn=NAMES, max_iter=1)
    for name in NAMES:
        assert_allclose(getattr(moved, f"{name}_"), expected[name], rtol=1e-8, atol=1e-9, err_msg=name)
    more = fitted(X, **start, learn=NAMES, max_iter=40, tol=0.0)
    assert (np.diff(more.history_) >= -1e-10 * abs(more.history_[-1])).all() and more.history_[-1] > found.history_[-1]


@pytest.mark.notes("002", "lds-em")
@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("kinds", [("full", "full"), ("diag", "diag"), ("spherical", "scaled")])
def test_em_never_falls_and_ends_where_the_likelihood_is_flat(kinds, gaps):
    C = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, -1.0]])
    given = {"observation": C, "initial_mean": np.zeros(2), "initial_covariance": np.eye(2)}
    start = {
        "transition": [[0.3, 0.1], [0.0, 0.3]],
        "transition_covariance": np.eye(2),
        "observation_covariance": np.diag([0.2, 0.1, 0.3]),
    }
    true = {
        "transition": [[0.8, 0.3], [-0.3, 0.6]],
        "transition_covariance": np.eye(2),
        "observation_covariance": 0.1 * np.eye(3),
    }
    X = LinearDynamicalSystem(**given, **true).sample(60, random_state=1)[0]
    X = with_gaps(X) if gaps else X
    types = dict(zip(("transition_covariance_type", "observation_covariance_type"), kinds, strict=True))
    model = fitted(X, **start, **given, **types, learn=tuple(start), max_iter=1500, tol=1e-12)
    assert (np.diff(model.history_) >= -1e-9).all()
    if kinds[1] == "scaled":
        assert_allclose(
            np.diagonal(model.observation_covariance_) / [0.2, 0.1, 0.3], model.observation_covariance_[0, 0] / 0.2
        )
    matrices = {name: getattr(model, f"{name}_") for name in NAMES}

    def value(name, change):
        return LinearDynamicalSystem(**{**matrices, name: matrices[name] + change}).score(X)

    best = model.score(X)
    for cell in np.ndindex(2, 2):
        change = np.zeros((2, 2))
        change[cell] = 1e-3
        assert value("transition", change) < best + 2e-6 and value("transition", -change) < best + 2e-6
    for name in ("transition_covariance", "observation_covariance"):
        V = matrices[name]
        assert value(name, 0.003 * V) < best + 2e-5 and value(name, -0.003 * V) < best + 2e-5


def test_fixed_cells_stay_and_free_ones_are_learned():
    A = np.array([[np.nan, 0.5], [0.0, np.nan]])
    X = drawn(2, 2, 80, seed=3)
    Q = np.array([[1.0, 0.3], [0.3, 0.8]])
    model = fitted(
        X,
        transition=A,
        transition_covariance=Q,
        observation=np.eye(2),
        initial_mean=[0, 0],
        initial_covariance=1.0,
        max_iter=400,
        tol=1e-10,
    )
    assert model.transition_[0, 1] == 0.5 and model.transition_[1, 0] == 0 and (model.observation_ == np.eye(2)).all()
    assert (model.transition_covariance_ == Q).all() and model.n_parameters_ == 2 + 3
    matrices = {name: getattr(model, f"{name}_") for name in NAMES}
    best = model.score(X)
    for i in range(2):
        for step in (-1e-3, 1e-3):
            changed = matrices["transition"].copy()
            changed[i, i] += step
            assert LinearDynamicalSystem(**{**matrices, "transition": changed}).score(X) < best + 1e-5


def test_offsets_and_controls_are_learned():
    rng = np.random.default_rng(1)
    n, B, D, d = 3000, np.array([[0.7], [-0.4]]), np.array([[0.0], [1.0]]), np.array([3.0, -2.0])
    u = rng.normal(size=(n, 1))
    base = {
        "transition": [[0.8, 0.1], [0.0, 0.5]],
        "observation": np.eye(2),
        "transition_covariance": 0.1 * np.eye(2),
        "observation_covariance": 0.2 * np.eye(2),
        "initial_mean": [0, 0],
        "initial_covariance": np.eye(2),
    }
    true = LinearDynamicalSystem(**base, control=B, observation_control=D, observation_offset=d)
    X, _ = true.sample(n, controls=u, random_state=0)
    model = LinearDynamicalSystem(
        **base, learn=("control", "observation_control", "observation_offset", "transition"), max_iter=300, tol=1e-9
    ).fit(X, controls=u)
    assert_allclose(model.control_, B, atol=0.06)
    assert_allclose(model.observation_control_, D, atol=0.06)
    assert_allclose(model.observation_offset_, d, atol=0.1)
    assert_allclose(model.transition_, base["transition"], atol=0.06)
    assert model.score(X, controls=u) >= true.score(X, controls=u)


def test_several_series_teach_one_system():
    X = drawn(2, 2, 30, seed=5, series=6)
    start = {name: value for name, value in random_system(2, 2, seed=6).items() if name in NAMES}
    both = fitted(X, **start, learn=NAMES, max_iter=5, tol=0.0)
    steps = [fitted(x, **start, learn=NAMES, max_iter=1) for x in X]
    assert fitted(X, **start, learn=NAMES, max_iter=1).history_[0] == pytest.approx(
        sum(s.history_[0] for s in steps), rel=1e-12
    )
    assert (np.diff(both.history_) > 0).all()
    firsts = np.array([conditioned(start, x)[0][0] for x in X])
    assert_allclose(fitted(X, **start, learn=NAMES, max_iter=1).initial_mean_, firsts.mean(axis=0), rtol=1e-8)


def test_learned_from_nothing_but_the_number_of_states():
    X = drawn(2, 3, 400, seed=8)
    model = fitted(X, n_states=2, max_iter=200)
    true = {k: v for k, v in random_system(2, 3, seed=8).items() if k in NAMES}
    assert model.score(X) > LinearDynamicalSystem(**true).score(X)  # more is free, so more is reached
    assert fitted(X, max_iter=2).transition_.shape == (3, 3)
    assert model.bic(X) == pytest.approx(-2 * model.score(X) + model.n_parameters_ * np.log(X.size))
    assert model.n_parameters_ == 4 + 3 + 6 + 6 + 2 + 3


@pytest.mark.parametrize("kind", ["full", "diag", "spherical", "scaled"])
def test_the_slope_that_lbfgs_climbs_is_that_of_the_likelihood(kind):
    """The maximum that L-BFGS finds is flat in every free direction, and EM goes to the same place."""
    noise = ("transition_covariance", "observation_covariance")
    start = {
        "transition": [[0.8, 0.3], [-0.3, 0.6]],
        "observation": np.eye(2),
        "initial_mean": [0.0, 0.0],
        "initial_covariance": 1.0,
    }
    true = {"transition_covariance": [[1.0, 0.4], [0.4, 2.0]], "observation_covariance": [[0.5, -0.2], [-0.2, 0.8]]}
    X = with_gaps(LinearDynamicalSystem(**start, **true).sample(200, random_state=3)[0])
    start |= {"transition_covariance": np.diag([0.5, 1.0]), "observation_covariance": np.eye(2)}
    types = {f"{name}_type": kind for name in noise}
    climbed = fitted(X, **start, **types, learn=noise, algorithm="lbfgs", max_iter=500, tol=1e-8)
    em = fitted(X, **start, **types, learn=noise, max_iter=300, tol=1e-14)
    assert climbed.log_likelihood_ > em.log_likelihood_ - 1e-6
    assert (np.diff(climbed.history_) > -1e-9).all()
    matrices, best = {name: getattr(climbed, f"{name}_") for name in NAMES}, climbed.score(X)
    assert best == pytest.approx(climbed.log_likelihood_, rel=1e-12)
    for name in noise:
        V = matrices[name]
        changes = [np.diag(np.eye(2)[j]) * V for j in range(2)] if kind == "diag" else [V]
        for change in changes:
            for share in (-0.003, 0.003):
                assert LinearDynamicalSystem(**{**matrices, name: V + share * change}).score(X) < best + 1e-6


def test_nile_by_maximum_likelihood():
    """Durbin and Koopman: 15 099 and 1 469; statsmodels: 15 098.5 and 1 469.2."""
    flow = load_nile()["volume"]
    model = LinearDynamicalSystem.local_level().fit(flow)
    assert model.observation_covariance_[0, 0] == pytest.approx(15098.53, abs=0.5)
    assert model.transition_covariance_[0, 0] == pytest.approx(1469.17, abs=0.3)
    assert round(model.observation_covariance_[0, 0], -1) == 15100 and round(model.transition_covariance_[0, 0]) == 1469
    assert model.log_likelihood_ == pytest.approx(-633.46456, abs=1e-5) and model.converged_
    ahead = model.forecast(flow, 10)
    assert_allclose(ahead.means, ahead.means[0, 0])
    assert_allclose(ahead.rows, range(1971, 1981))
    assert_allclose(np.diff(ahead.covariances.ravel()), model.transition_covariance_[0, 0], rtol=1e-9)
    half = 1.959963984540054 * np.sqrt(ahead.covariances[:, 0])
    assert_allclose(ahead.upper - ahead.means, half)


def test_autoregression_by_exact_maximum_likelihood():
    """Against the likelihood written out: x is jointly normal with the autocovariances of the process."""
    from scipy.linalg import toeplitz
    from scipy.optimize import minimize

    X = LinearDynamicalSystem.autoregressive(2, coefficients=[0.5, -0.3], variance=2.0).sample(80, random_state=0)[0][
        :, 0
    ]

    def cost(w):
        a, b = w[:2]
        A = np.array([[a, b], [1.0, 0.0]])
        if np.abs(np.linalg.eigvals(A)).max() >= 1:
            return 1e10
        g0 = (1 - b) / ((1 + b) * ((1 - b) ** 2 - a**2)) * np.exp(w[2])
        g = [g0, a * g0 / (1 - b)]
        for _ in range(len(X) - 2):
            g.append(a * g[-1] + b * g[-2])
        V = toeplitz(g)
        return 0.5 * (X @ np.linalg.solve(V, X) + np.linalg.slogdet(V)[1] + len(X) * np.log(2 * np.pi))

    best = minimize(cost, [0.3, 0.0, 0.0], method="Nelder-Mead", options={"xatol": 1e-7, "fatol": 1e-9, "maxiter": 400})
    model = LinearDynamicalSystem.autoregressive(2).fit(X)
    assert model.log_likelihood_ == pytest.approx(-best.fun, abs=1e-7)
    assert_allclose(model.transition_[0], best.x[:2], atol=1e-4)
    assert model.transition_covariance_[0, 0] == pytest.approx(np.exp(best.x[2]), rel=1e-3)
    assert (model.transition_[1] == [1, 0]).all() and model.observation_covariance_[0, 0] == 0
    gap = X.copy()
    gap[30:35] = np.nan
    again = LinearDynamicalSystem.autoregressive(2).fit(gap)
    assert again.converged_ and abs(again.transition_[0, 0] - 0.5) < 0.3


@pytest.mark.parametrize("coefficients", [[0.95], [0.5, 0.3], [1.2, -0.3], [0.3, 0.2, 0.1, 0.1, 0.2]])
@pytest.mark.parametrize("scale", [1.0, 1e-6, 1e8])
def test_autoregression_of_a_persistent_series(coefficients, scale):
    """The first step of the climb leaves the stationary region; the fit must come back, not stay at its start."""
    order = len(coefficients)
    rng = np.random.default_rng(order)
    x = np.zeros(500)
    for t in range(order, 500):
        x[t] = np.dot(coefficients, x[t - order : t][::-1]) + rng.standard_normal()
    x = scale * x[100:]
    model = LinearDynamicalSystem.autoregressive(order).fit(x)
    lags = np.stack([x[order - i - 1 : -i - 1] for i in range(order)], axis=1)
    regression = np.linalg.lstsq(lags, x[order:], rcond=None)[0]
    assert_allclose(model.transition_[0], regression, atol=0.05)
    assert model.converged_
    for i, by in itertools.product(range(order), (-0.01, 0.01)):
        near = model.transition_[0] + by * np.eye(order)[i]
        other = LinearDynamicalSystem.autoregressive(
            order, coefficients=near, variance=model.transition_covariance_[0, 0]
        )
        assert other.score(x) < model.log_likelihood_


def test_ready_made_models():
    trend = LinearDynamicalSystem.local_linear_trend(level_variance=0.0, slope_variance=0.0, observation_variance=1.0)
    x = 3 + 2 * np.arange(30.0)
    found = trend.smooth(x)
    assert_allclose(found.means, np.stack([x, np.full(30, 2.0)], axis=1), atol=1e-9)  # a line is fitted exactly
    assert_allclose(trend.forecast(x, 3).means[:, 0], 3 + 2 * np.arange(30.0, 33), atol=1e-9)
    season = np.tile([3.0, -1.0, -4.0, 2.0], 10) + 10 + 0.5 * np.arange(40)
    model = LinearDynamicalSystem.seasonal(
        4, level_variance=0.0, slope_variance=0.0, seasonal_variance=0.0, observation_variance=1.0
    )
    assert_allclose(model.smooth(season).signal[:, 0], season, atol=1e-8)
    assert_allclose(model.forecast(season, 4).means[:, 0], [33.0, 29.5, 27.0, 33.5], atol=1e-8)
    flat = LinearDynamicalSystem.seasonal(3, trend=False)
    assert flat.transition.shape == (3, 3) and flat.transition_covariance[2, 2] == 0
    body = LinearDynamicalSystem.tracking(2, step=0.5, process_variance=2.0, observation_variance=3.0)
    A, Q = body.transition[:2, :2], body.transition_covariance[:2, :2]
    assert_allclose(A, [[1, 0.5], [0, 1]])
    assert_allclose(Q, 2 * np.array([[0.5**3 / 3, 0.5**2 / 2], [0.5**2 / 2, 0.5]]))
    jerk = LinearDynamicalSystem.tracking(
        1, motion="constant_acceleration", step=2.0, process_variance=1.0, observation_variance=1.0
    )
    # two half steps are one step
    half = LinearDynamicalSystem.tracking(
        1, motion="constant_acceleration", step=1.0, process_variance=1.0, observation_variance=1.0
    )
    assert_allclose(jerk.transition, half.transition @ half.transition)
    A, Q = half.transition, half.transition_covariance
    assert_allclose(jerk.transition_covariance, A @ Q @ A.T + Q)
    path = body.set_params(initial_covariance=np.eye(4)).sample(400, random_state=0)[0]
    learned = LinearDynamicalSystem.tracking(2, step=0.5).fit(path)
    assert learned.observation_covariance_[0, 0] == pytest.approx(3.0, rel=0.25)
    assert learned.transition_covariance_[1, 1] / 0.5 == pytest.approx(2.0, rel=0.5)


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
def test_learning_does_not_depend_on_the_scale(scale):
    X = drawn(2, 2, 60, seed=12)
    one, other = (fitted(X * c, n_states=2, max_iter=20, tol=0.0) for c in (1.0, scale))
    assert other.log_likelihood_ == pytest.approx(one.log_likelihood_ - X.size * np.log(scale), abs=1e-5)
    trend = LinearDynamicalSystem.local_linear_trend().fit(scale * np.random.default_rng(0).normal(size=60))
    assert (
        trend.converged_ and trend.transition_covariance_[1, 1] < 1e-6 * scale**2
    )  # a maximum at zero is found as such


def test_model_files_keep_all(tmp_path):
    flow = load_nile()["volume"]
    X2 = drawn(2, 2, 30)
    for model in (LinearDynamicalSystem.local_level().fit(flow), fitted(X2, n_states=2, max_iter=3)):
        X = flow if model.n_features_in_ == 1 else X2
        again = novum.load(novum.save(model, tmp_path / "lds.novum"))
        assert again.score(X) == model.score(X)
        assert_allclose(again.smooth(X).means, model.smooth(X).means)
        assert again.history_ == model.history_


def test_a_fit_that_fails_changes_nothing_and_says_why():
    model = LinearDynamicalSystem.local_level().fit(load_nile()["volume"])
    before = dict(vars(model))
    with pytest.raises(DataError, match="no cell of X was observed"):
        model.fit(np.full(5, np.nan))
    assert vars(model) == before
    X = np.arange(10.0).reshape(5, 2) ** 2
    cases = [
        ({"learn": "gain"}, "'gain' is none of 'transition'"),
        (
            {"transition": np.tile(np.eye(2), (5, 1, 1)), "learn": "transition"},
            "transition differs by step and cannot be learned",
        ),
        ({"algorithm": "lbfgs", "learn": ("initial_mean",)}, "learns no initial distribution"),
        ({"initial_covariance": "stationary"}, 'is learned by algorithm="lbfgs"'),
        ({"transition_covariance": [[1.0, np.nan], [np.nan, 1.0]]}, "NaN off its diagonal"),
        ({"observation": np.ones((3, 2))}, "X has 2 columns, but observation has 3 rows"),
    ]
    for parameters, message in cases:
        with pytest.raises((ParameterError, DataError), match=message):
            LinearDynamicalSystem(**parameters).fit(X)
    with pytest.raises(ParameterError, match="The 'algorithm' parameter of LinearDynamicalSystem must be a str among"):
        LinearDynamicalSystem(algorithm="newton").fit(X)
    with pytest.warns(DataWarning, match="column 0 of X is constant: the likelihood has no maximum"):
        LinearDynamicalSystem.local_level().fit(np.ones(20))
    with pytest.raises(ParameterError, match="observation is neither given nor named in learn='transition_covariance'"):
        LinearDynamicalSystem(transition=np.eye(2), learn="transition_covariance").fit(X)
    with pytest.warns(NotConverged, match="still rose after max_iter=1"):
        LinearDynamicalSystem(2, max_iter=1).fit(drawn(2, 2, 30))
    with pytest.raises(ParameterError, match=r"motion must be one of 'random_walk', 'constant_velocity'"):
        LinearDynamicalSystem.tracking(motion="falling")
    with pytest.raises(ParameterError, match=r"local_level\(level_variance=-1\)"):
        LinearDynamicalSystem.local_level(level_variance=-1)
    with pytest.raises(DataError, match="the first state is diffuse; give initial_covariance to draw it"):
        model.sample(3)


def test_model_files_of_matrices_that_differ_by_step(tmp_path):
    X = np.random.default_rng(0).normal(size=(9, 2))
    for n_states, seed in ((1, 0), (2, 1), (3, 2)):
        model = fitted(X, **random_system(n_states, 2, seed=seed, n=9), learn="initial_mean", max_iter=3)
        again = novum.load(novum.save(model, tmp_path / "timed.novum"))
        assert (
            again.score(X)
            == model.score(X)
            > LinearDynamicalSystem(**random_system(n_states, 2, seed=seed, n=9)).score(X)
        )
